import type { SettingReader } from '@corral/base/config/setting-reader';
import type { Settings, ValuesOf } from '@corral/base/config/setting';
import { text, whole } from '@corral/base/config/value-types';

const dayMs = 86_400_000;

/** How long what happened is kept. */
export const historySettings = {
  'events.keep_days': {
    takes: whole(0, 36_500, dayMs),
    fallback: '0',
    about: 'Days after which [events](operator-guide.md#history) are deleted, 1 to 36500. 0: they are kept.',
  },
  'actions.keep_days': {
    takes: whole(0, 36_500, dayMs),
    fallback: '0',
    about: 'The same for networking actions that are over.',
  },
  'history.export_dir': {
    takes: text,
    about:
      'Directory that expired events and actions are [written to](operator-guide.md#history) before they are deleted. None: they are only deleted.',
  },
} as const satisfies Settings;

export interface HistoryConfig {
  /** In milliseconds; null: for ever. */
  readonly eventsMs: number | null;
  readonly actionsMs: number | null;
  /** Nothing is deleted before it was written there; null: it need not be. */
  readonly exportDir: string | null;
}

/** A day at least: lost streams and clients that read page by page still find what they have not seen. */
export const historyConfig = (read: SettingReader<ValuesOf<typeof historySettings>>): HistoryConfig => ({
  eventsMs: read.value('events.keep_days') || null,
  actionsMs: read.value('actions.keep_days') || null,
  exportDir: read.value('history.export_dir'),
});
