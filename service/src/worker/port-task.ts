import type { PortState } from '../core/port-state.ts';

/** What is known of a port to which something may still arrive, by the database's clock. */
export interface Late {
  readonly until: number;
  /** When this was planned: before the reading that comes of it. */
  readonly now: number;
}

/** A pending action as the engine sees it. */
export interface PlannedAction {
  readonly id: number;
  readonly statusId: string;
  readonly kind: 'connect' | 'detach' | 'revert';
  readonly networkId: number | null;
  readonly network: string | null;
  readonly channel: string;
  readonly createdAt: number;
  readonly attempts: number;
  readonly touched: boolean;
}

/** One port that wants work: its whole recorded state, and the whole state it is to have. */
export interface PortTask {
  readonly portId: number;
  readonly port: string;
  readonly nicId: number | null;
  readonly nic: string | null;
  readonly node: string | null;
  readonly project: { readonly id: number; readonly label: string } | null;
  readonly recorded: PortState;
  readonly wanted: PortState;
  /** Nobody knew what it carries when this was planned; only this worker, under its lease, makes it suspect or known. */
  readonly isSuspect: boolean;
  /** Nobody has read it since a nic was connected to it. */
  readonly isUnread: boolean;
  /** It was not to be trusted when this was planned, for whatever reason. */
  readonly isDoubtful: boolean;
  /** It wants to be written: an action, a suspicion, or drift that the policy repairs. */
  readonly isWork: boolean;
  readonly driftSince: number | null;
  /** Something of a session that broke off may still arrive, or may have before it is read. */
  readonly late: Late | null;
  /** What it was last seen to carry, as it is stored. */
  readonly reading: string | null;
  /** null: a port that is to be put back to what is recorded, or only read. */
  readonly action: PlannedAction | null;
  readonly suspectAttempts: number;
}
