import { statement } from '../db/service-statement.ts';
import { blocked, type CorralError, duplicate } from './corral-error.ts';
import type { Node } from './find-objects.ts';
import type { ReadOp, WriteOp } from './request-context.ts';

/*
 * One device has one record. Two would be two nics on one port, each with VLANs of its own. Before anybody has talked
 * to a device, the places are compared at which it is reached; then what it says it is.
 */

/** What is known of the device behind a record. */
export interface Device {
  /** What it says it is; null: it does not say. */
  readonly identity: string | null;
  /** Where it is reached, after resolution. */
  readonly places: readonly string[];
}

interface Labelled {
  readonly id: number;
  readonly label: string;
}

const switchAt = async (
  { tx }: ReadOp,
  places: readonly string[],
  except: number,
): Promise<(Labelled & { place: string }) | undefined> =>
  places.length === 0
    ? undefined
    : tx
        .selectFrom('switch_places')
        .innerJoin('switches', 'switches.id', 'switch_places.switch_id')
        .select(['switches.id', 'switches.label', 'switch_places.place'])
        .where('switch_places.place', 'in', places)
        .where('switches.id', '!=', except)
        .where('switches.duplicate_of', 'is', null)
        .orderBy('switches.id')
        .executeTakeFirst();

/** Refuses a switch at a place where another is recorded. */
export const requireFreeAddresses = async (op: WriteOp, own: Labelled, places: readonly string[]): Promise<void> => {
  const other = await switchAt(op, places, own.id);
  if (!other) return;
  throw duplicate(
    `switch ${own.label} would be the same device as switch ${other.label} (${other.place}); ` +
      `register its ports there, or delete switch ${other.label} first`,
  );
};

export const recordAddresses = async ({ tx }: WriteOp, switchId: number, places: readonly string[]): Promise<void> => {
  await tx.deleteFrom('switch_places').where('switch_id', '=', switchId).execute();
  if (places.length === 0) return;
  await tx
    .insertInto('switch_places')
    .values(places.map((place) => ({ switch_id: switchId, place })))
    .execute();
};

/** Nothing that was read of the ports counts any more; they are read again. */
const distrustPorts = async ({ tx }: WriteOp, switchId: number): Promise<void> => {
  await tx.updateTable('ports').set({ unread: 1, may_carry_any: 1 }).where('switch_id', '=', switchId).execute();
  await askForSweep(tx, switchId);
};

/** Has the switch read as a whole, soon. */
export const askForSweep = (tx: WriteOp['tx'], switchId: number): Promise<unknown> =>
  tx
    .updateTable('switches')
    .set(({ eb }) => ({ sweep_wanted: eb('sweep_wanted', '+', 1) }))
    .where('id', '=', switchId)
    .execute();

/**
 * Writes down which device a session found behind a record. Answers with the label of the record that has the device
 * already, if that is news: the second record is not used any more then, until one of the two is deleted.
 */
export const recordDevice = async (op: WriteOp, switchId: number, device: Device): Promise<string | null> => {
  const { tx } = op;
  const { identity, places } = device;
  const own = await tx
    .selectFrom('switches')
    .select(['id', 'label', 'identity', 'duplicate_of'])
    .where('id', '=', switchId)
    .executeTakeFirstOrThrow();
  await recordAddresses(op, switchId, places);
  if (identity !== null && identity !== own.identity) {
    await tx.updateTable('switches').set({ identity }).where('id', '=', switchId).execute();
    if (own.identity !== null) {
      op.record({ type: 'switch_replaced', switch: own.label, detail: { was: own.identity, is: identity } });
      await distrustPorts(op, switchId);
      // They were second to the device that was here.
      await releaseDuplicates(op, switchId);
    }
  }
  // A device that does not say this time which it is, is still what it said.
  const known = identity ?? own.identity;
  const other = known === null ? await switchAt(op, places, switchId) : await switchWith(op, known, switchId);
  if (other && own.duplicate_of === null) {
    await tx.updateTable('switches').set({ duplicate_of: other.id }).where('id', '=', switchId).execute();
    // What was done through the second record is seen through the first.
    await askForSweep(tx, other.id);
    op.record({ type: 'switch_duplicate', switch: own.label, detail: { same_as: other.label, identity } });
    return other.label;
  }
  if (!other && own.duplicate_of !== null) await resolve(op, own);
  return null;
};

/** The switch that a device with this identity is registered as, beside this one. */
export const switchWith = ({ tx }: ReadOp, identity: string, except: number): Promise<Labelled | undefined> =>
  tx
    .selectFrom('switches')
    .select(['id', 'label'])
    .where('identity', '=', identity)
    .where('id', '!=', except)
    .where('duplicate_of', 'is', null)
    .orderBy('id')
    .executeTakeFirst();

/** A record that was the second is the only one now. */
const resolve = async (op: WriteOp, own: Labelled): Promise<void> => {
  await op.tx.updateTable('switches').set({ duplicate_of: null }).where('id', '=', own.id).execute();
  op.record({ type: 'switch_resolved', switch: own.label });
  await distrustPorts(op, own.id);
};

/** A record goes: the first of those that were second to it takes its place, and the others are second to that one. */
export const releaseDuplicates = async (op: WriteOp, switchId: number): Promise<void> => {
  const seconds = await op.tx
    .selectFrom('switches')
    .select(['id', 'label'])
    .where('duplicate_of', '=', switchId)
    .orderBy('id')
    .execute();
  const [heir, ...others] = seconds;
  if (heir === undefined) return;
  await resolve(op, heir);
  for (const { id } of others) {
    await op.tx.updateTable('switches').set({ duplicate_of: heir.id }).where('id', '=', id).execute();
  }
  op.notify('actions');
};

/**
 * A switch is somewhere else from now on, or may be: nothing that was found out at the old place counts, neither about
 * its ports nor about which device it is the second record of. What it said it is stays, so that another device at the
 * new place is announced as one that replaced it.
 */
export const movePlace = async (
  op: WriteOp,
  own: Labelled & { readonly duplicate_of: number | null },
  places: readonly string[],
): Promise<void> => {
  await recordAddresses(op, own.id, places);
  await releaseDuplicates(op, own.id);
  await distrustPorts(op, own.id);
  await op.tx
    .updateTable('ports')
    .set({ reading: null, read_at: null, drift_since: null })
    .where('switch_id', '=', own.id)
    .execute();
  await op.tx
    .updateTable('switches')
    .set({ swept_at: null, strangers: null })
    // What the second record said it is, is the first.
    .$if(own.duplicate_of !== null, (update) => update.set({ duplicate_of: null, identity: null }))
    .where('id', '=', own.id)
    .execute();
};

/** A nic of a node whose switch is the second record of its device. */
export interface SecondRecord {
  readonly nic: string;
  readonly switch: string;
  readonly other: string;
}

/** What keeps a node from being reserved because its switch has two records. */
export const secondRecord = (found: SecondRecord, prefix = ''): CorralError =>
  blocked(`${prefix}the switch of nic ${found.nic} is registered twice; an administrator has to delete one record`, {
    forAdmins: `${prefix}switch ${found.switch} (nic ${found.nic}) is the same device as switch ${found.other}; delete one of the two records`,
  });

/** Refuses what would put a project on a port of a device that has two records. */
export const requireSoleRecords = async ({ tx }: ReadOp, node: Node, what: string): Promise<void> => {
  const found = await duplicateUnderNode.first(tx, { nodeId: node.id });
  if (found) throw secondRecord(found, `${what}: `);
};

const duplicateUnderNode = statement((tx, { nodeId }: { nodeId: number }) =>
  tx
    .selectFrom('nics')
    .innerJoin('ports', 'ports.id', 'nics.port_id')
    .innerJoin('switches', 'switches.id', 'ports.switch_id')
    .innerJoin('switches as others', 'others.id', 'switches.duplicate_of')
    .select(['nics.label as nic', 'switches.label as switch', 'others.label as other'])
    .where('nics.node_id', '=', nodeId)
    .limit(1),
);
