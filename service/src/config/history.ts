import type { SettingReader } from '@corral/base/config/reader';
import type { Setting } from '@corral/base/config/setting';

/** How long what happened is kept. */
export const historySettings = [
  {
    key: 'events.keep_days',
    env: 'CORRAL_EVENTS_KEEP_DAYS',
    takes: 'count',
    fallback: '0',
    about: 'days after which events are deleted; 0: never',
  },
  {
    key: 'actions.keep_days',
    env: 'CORRAL_ACTIONS_KEEP_DAYS',
    takes: 'count',
    fallback: '0',
    about: 'days after which networking actions that are over are deleted; 0: never',
  },
] as const satisfies readonly Setting[];

export type HistorySettingKey = (typeof historySettings)[number]['key'];

/** In milliseconds; null: for ever. */
export interface HistoryConfig {
  readonly eventsMs: number | null;
  readonly actionsMs: number | null;
}

const dayMs = 86_400_000;

/** A day at least: lost streams and clients that read page by page still find what they have not seen. */
export const historyConfig = (read: SettingReader<HistorySettingKey>): HistoryConfig => {
  const days = (key: HistorySettingKey): number | null => {
    const count = read.whole(key, 0, 36_500);
    return count === 0 ? null : count * dayMs;
  };
  return { eventsMs: days('events.keep_days'), actionsMs: days('actions.keep_days') };
};
