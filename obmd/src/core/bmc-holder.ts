import { hostname } from 'node:os';
import { type LeaseOp, LeaseTable } from '@corral/base/db/lease-table';

/** The one lease of the daemon's database. */
export const leaseName = 'obmd';

/** Where the daemon of a process is. */
export interface DaemonReach {
  /** Where it listens, for processes of the same `network`; null: nowhere. */
  readonly listens_at: string | null;
  readonly network: string | null;
  /** Where all others reach it; null: they do not. */
  readonly url: string | null;
}

/** The process that has the BMCs of a database. */
export interface Holder extends DaemonReach {
  readonly host: string;
  readonly pid: number;
}

export const unreachable: DaemonReach = { listens_at: null, network: null, url: null };

/** The table of the lease, for a process that is reached there. */
export const ownerTableOf = <Schema>(reach: DaemonReach = unreachable): LeaseTable<Schema, Holder> =>
  new LeaseTable<Schema, Holder>('obmd_owner', { host: hostname(), pid: process.pid, ...reach });

/**
 * Which process has the BMCs now, in a database of whatever program that holds the daemon's tables; null: none, or one
 * that has not renewed its hold in time.
 */
export const readHolder = async <Schema>(op: LeaseOp<Schema>): Promise<Holder | null> => {
  const [row] = await ownerTableOf<Schema>().read(op, [leaseName]);
  if (row === undefined || row.expires_at === 0 || row.leftMs < 0) return null;
  const { host, pid, listens_at, network, url } = row;
  return { host, pid, listens_at, network, url };
};
