import { checkOf } from '@corral/base/schema/schema-check';
import { plainSettings } from '../db/sealed-columns.ts';
import { NodeClass } from '../schema/labels.ts';
import type { Node } from './find-objects.ts';
import { recordClass } from './usage-ledger.ts';
import type { ReadOp, RequestContext, WriteOp } from './request-context.ts';

/*
 * Of what class a node is: what its metadata says under a key that the operator names. It is kept beside the metadata,
 * so that nodes of a class are counted by index. The key is kept, too: processes that were started with different keys
 * would otherwise disagree about the class of the same node.
 */

const defects = checkOf(NodeClass, () => 'class');

/** The class that metadata gives a node; empty: none, or nothing that can be the name of one. */
export const classIn = (metadata: ReadonlyMap<string, unknown>, key: string): string => {
  const value = metadata.get(key);
  return typeof value === 'string' && defects(value).length === 0 ? value : '';
};

/** A class as answers name it: null for none. */
export const shownClass = (name: string): string | null => (name === '' ? null : name);

/** The metadata key that says the class, as the process that was started last had it. */
export const classKey = async ({ tx }: Pick<ReadOp, 'tx'>): Promise<string> => (await storedKey({ tx })) ?? '';

const storedKey = async ({ tx }: Pick<ReadOp, 'tx'>): Promise<string | null> => {
  const row = await tx
    .selectFrom('settings')
    .select('value')
    .where('name', '=', plainSettings.classKey)
    .executeTakeFirst();
  return row?.value ?? null;
};

type ClassedNode = Pick<Node, 'id' | 'label' | 'class' | 'project_id'>;

/** Records the class of a node. Quotas take nothing away from a project that has too many of the new class. */
export const setNodeClass = async (op: WriteOp, node: ClassedNode, name: string): Promise<void> => {
  if (node.class === name) return;
  await recordClass(op, node, name);
  await op.tx.updateTable('nodes').set({ class: name }).where('id', '=', node.id).execute();
};

/** Makes `key` the one that says the class of every node. */
export const adoptClassKey = async (context: RequestContext, key: string): Promise<void> => {
  if ((await context.read(storedKey)) === key) return;
  await context.write(async (op) => {
    const nodes = await op.tx.selectFrom('nodes').select(['id', 'label', 'class', 'project_id', 'metadata']).execute();
    for (const { metadata, ...node } of nodes) {
      const entries = Object.entries(JSON.parse(metadata) as Record<string, unknown>);
      await setNodeClass(op, node, classIn(new Map(entries), key));
    }
    const { classKey: name } = plainSettings;
    await op.tx.deleteFrom('settings').where('name', '=', name).execute();
    await op.tx.insertInto('settings').values({ name, value: key }).execute();
  });
};
