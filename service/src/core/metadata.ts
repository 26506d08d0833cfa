import { badArgument, notFound } from './corral-error.ts';
import { audienceOf, findNode, type Node } from './find-objects.ts';
import { classIn, classKey, setNodeClass } from './node-classes.ts';
import { indexEntry, unindex } from './metadata-index.ts';
import type { WriteOp } from './request-context.ts';

/** Deep enough for anyone; at some thousands JSON.stringify runs out of stack, and the node could not be shown. */
const deepest = 100;

/** Metadata as it is stored. What would not come back as it went in is refused. */
export const metadataText = (metadata: Readonly<Record<string, unknown>>): string => {
  for (const [label, value] of Object.entries(metadata)) requireStorable(label, value, deepest);
  return JSON.stringify(metadata);
};

const requireStorable = (label: string, value: unknown, levels: number): void => {
  if (value === Infinity || value === -Infinity) {
    throw badArgument(`metadata ${label} contains a number that is too large; expected at most ${Number.MAX_VALUE}`);
  }
  if (typeof value !== 'object' || value === null) return;
  if (levels === 0) throw badArgument(`metadata ${label} is nested too deeply; expected at most ${deepest} levels`);
  for (const inner of Object.values(value)) requireStorable(label, inner, levels - 1);
};

interface MetadataArgs {
  readonly node: string;
  readonly label: string;
}

export const nodeSetMetadata = async (op: WriteOp, args: MetadataArgs & { value: unknown }): Promise<void> => {
  const node = await findNode(op, args.node);
  const entries = new Map(Object.entries(JSON.parse(node.metadata) as Record<string, unknown>));
  entries.set(args.label, args.value);
  await storeMetadata(op, node, entries);
  await indexEntry(op.tx, node.id, args.label, args.value);
  op.record({
    type: 'node_set_metadata',
    projects: [audienceOf(node)],
    node: node.label,
    detail: { label: args.label },
  });
};

export const nodeDeleteMetadata = async (op: WriteOp, args: MetadataArgs): Promise<void> => {
  const node = await findNode(op, args.node);
  const entries = new Map(Object.entries(JSON.parse(node.metadata) as Record<string, unknown>));
  if (!entries.delete(args.label)) throw notFound(`node ${node.label} has no metadata ${args.label}`);
  await storeMetadata(op, node, entries);
  await unindex(op.tx, node.id, args.label);
  op.record({
    type: 'node_delete_metadata',
    projects: [audienceOf(node)],
    node: node.label,
    detail: { label: args.label },
  });
};

const storeMetadata = async (op: WriteOp, node: Node, entries: ReadonlyMap<string, unknown>): Promise<void> => {
  const metadata = metadataText(Object.fromEntries(entries));
  await op.tx.updateTable('nodes').set({ metadata }).where('id', '=', node.id).execute();
  await setNodeClass(op, node, classIn(entries, await classKey(op)));
};
