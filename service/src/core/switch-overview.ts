import { settledEvents } from '../db/event-order.ts';
import type { DriftPolicy } from '../db/service-schema.ts';
import { timeOf } from './drift.ts';
import type { ReadOp, RequestContext } from './request-context.ts';

/** How a switch is, and how much of it is not as recorded. */
export interface SwitchOverview {
  readonly name: string;
  readonly type: string;
  readonly policy: DriftPolicy;
  /** The worst first: another record has its device; it does not answer; it has not been read yet. */
  readonly state: 'duplicate' | 'unreachable' | 'unread' | 'ok';
  /** When the whole switch was last read. */
  readonly swept_at: string | null;
  /** Why it cannot be reached now; null if it can. */
  readonly fault: string | null;
  readonly unsaved_since: string | null;
  readonly save_fault: string | null;
  /** The switch that has this device already. */
  readonly duplicate_of: string | null;
  /** How many ports are registered, and how many of them are not to be trusted, by why. */
  readonly ports: number;
  readonly drifting: number;
  readonly suspect: number;
  readonly unread: number;
  readonly in_doubt: number;
}

interface SwitchesOverview {
  /** Everything up to this event is in the answer. */
  readonly event: number;
  readonly switches: readonly SwitchOverview[];
  /** Where to go on; null: there are no more. */
  readonly next: string | null;
}

/** A page of all switches, by three statements. What the engine last read, and not what it is asked now. */
export const switchesOverview = async (
  context: RequestContext,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<SwitchesOverview> => {
  const event = await settledEvents(context.query);
  return context.read(async (op) => {
    const found = await pageOf(op, after, limit + 1);
    const page = found.slice(0, limit);
    const counts = await portCounts(
      op,
      page.map(({ id }) => id),
    );
    return {
      event,
      switches: page.map((row) => overviewOf(row, counts.get(row.id))),
      next: found.length > limit ? (page.at(-1)?.label ?? null) : null,
    };
  });
};

/** What is stored of a switch that its overview is made from. */
interface SwitchRow {
  readonly label: string;
  readonly type: string;
  readonly policy: DriftPolicy;
  readonly swept_at: number | null;
  readonly fault: string | null;
  readonly unsaved_since: number | null;
  readonly save_fault: string | null;
  readonly other: string | null;
}

/** One switch, and how its ports are. */
export const overviewOf = (row: SwitchRow, counts: typeof noPorts = noPorts): SwitchOverview => ({
  name: row.label,
  type: row.type,
  policy: row.policy,
  state: stateOf(row),
  swept_at: timeOf(row.swept_at),
  fault: row.fault,
  unsaved_since: timeOf(row.unsaved_since),
  save_fault: row.save_fault,
  duplicate_of: row.other,
  ...counts,
});

const noPorts = { ports: 0, drifting: 0, suspect: 0, unread: 0, in_doubt: 0 };

const stateOf = (row: SwitchRow): SwitchOverview['state'] => {
  if (row.other !== null) return 'duplicate';
  if (row.fault !== null) return 'unreachable';
  return row.swept_at === null ? 'unread' : 'ok';
};

const pageOf = ({ tx }: ReadOp, after: string, limit: number) =>
  tx
    .selectFrom('switches')
    .leftJoin('switches as others', 'others.id', 'switches.duplicate_of')
    .select([
      'switches.id',
      'switches.label',
      'switches.type',
      'switches.policy',
      'switches.swept_at',
      'switches.fault',
    ])
    .select(['switches.unsaved_since', 'switches.save_fault', 'others.label as other'])
    .where('switches.label', '>', after)
    .orderBy('switches.label')
    .limit(limit)
    .execute();

/** How many ports each of these switches has, and how many are not to be trusted. */
export const portCounts = async ({ tx }: ReadOp, switchIds: readonly number[]) => {
  if (switchIds.length === 0) return new Map<number, typeof noPorts>();
  const rows = await tx
    .selectFrom('ports')
    .select('switch_id as id')
    .select(({ fn }) => [
      fn.count<number>('id').as('ports'),
      fn.count<number>('drift_since').as('drifting'),
      fn.count<number>('suspect').as('suspect'),
      fn.sum<number | string>('unread').as('unread'),
      fn.count<number>('late_until').as('in_doubt'),
    ])
    .where('switch_id', 'in', switchIds)
    .groupBy('switch_id')
    .execute();
  return new Map(rows.map(({ id, unread, ...counts }) => [id, { ...counts, unread: Number(unread) }]));
};
