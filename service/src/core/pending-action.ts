import type { ActionDraft } from './actions.ts';
import { timeOf } from './drift.ts';

type ActionKind = ActionDraft['kind'];

/** A change that waits for its switch, as `show_networking_action` tells of it. */
export interface PendingAction {
  readonly status_id: string;
  readonly type: 'modify_port' | 'revert_port';
  /** The network that is to be connected; null: one is detached, or all are. */
  readonly network: string | null;
  readonly channel: string;
  readonly since: string;
  /** Number of failed attempts. */
  readonly attempts: number;
}

/** The columns of an action beside those of something else. */
export const actionColumns = [
  'actions.status_id as statusId',
  'actions.kind as actionKind',
  'actions.network as actionNetwork',
  'actions.channel as actionChannel',
  'actions.created_at as queuedAt',
  'actions.attempts as attempts',
] as const;

/** All of it is null where there is no action. */
interface ActionRow {
  readonly statusId: string | null;
  readonly actionKind: ActionKind | null;
  readonly actionNetwork: string | null;
  readonly actionChannel: string | null;
  readonly queuedAt: number | null;
  readonly attempts: number | null;
}

/** The action in a row; null: there is none. */
export const pendingIn = (row: ActionRow): PendingAction | null =>
  row.statusId === null || row.actionKind === null
    ? null
    : {
        status_id: row.statusId,
        type: row.actionKind === 'revert' ? 'revert_port' : 'modify_port',
        network: row.actionKind === 'connect' ? row.actionNetwork : null,
        channel: row.actionChannel ?? '',
        since: timeOf(row.queuedAt) ?? '',
        attempts: row.attempts ?? 0,
      };
