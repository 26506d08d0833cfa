import { type RawBuilder, sql } from 'kysely';
import type { UsageKind } from '../db/service-schema.ts';
import { statement } from '../db/service-statement.ts';
import { inPieces, spanColumns } from '../db/usage-pieces.ts';
import type { Node, Project } from './find-objects.ts';
import type { WriteOp } from './request-context.ts';

/*
 * The ledger of usage: who had which node, and had it turned on, from when until when. It is written in the
 * transactions that move nodes and record what was done to their power, so a process that dies loses nothing and counts
 * nothing twice. Nothing is waited for: the statements go with those that follow.
 */

type Ledger = Pick<WriteOp, 'tx'>;
type Place = Pick<Node, 'label' | 'class' | 'project_id'>;

/** A node goes to a project, or becomes free. */
export const recordMove = async ({ tx }: Ledger, node: Place, next: Project | null): Promise<void> => {
  const now = Date.now();
  if (node.project_id !== null) {
    await endPieces.send(tx, { node: node.label, now });
    await endOpen.send(tx, { node: node.label });
  }
  if (next !== null) await open.reserved.send(tx, beginning(node, next, now));
};

const powerAfter: Readonly<Record<string, 'on' | 'off'>> = {
  node_power_on: 'on',
  node_power_cycle: 'on',
  node_power_off: 'off',
};

/** Something was done to a node out of band. What is done to a free one counts for nobody. */
export const recordPower = async (
  { tx }: Ledger,
  node: Place,
  project: Project | null,
  type: string,
): Promise<void> => {
  const now = Date.now();
  const power = powerAfter[type];
  if (power === 'on' && project !== null) await open.powered.send(tx, beginning(node, project, now));
  if (power !== 'off') return;
  await endPoweredPieces.send(tx, { node: node.label, now });
  await endPowered.send(tx, { node: node.label });
};

/** A node is of another class from now on. */
export const recordClass = async ({ tx }: Ledger, node: Place, name: string): Promise<void> => {
  if (node.project_id === null) return;
  const now = Date.now();
  await endPieces.send(tx, { node: node.label, now });
  await goOn.send(tx, { node: node.label, name, now });
};

interface Beginning {
  readonly node: string;
  readonly nodeClass: string;
  readonly projectId: number;
  readonly project: string;
  readonly now: number;
}

const beginning = (node: Place, project: Project, now: number): Beginning => ({
  node: node.label,
  nodeClass: node.class,
  projectId: project.id,
  project: project.label,
  now,
});

/** Now, or where the last span of the node ended if the clock has been set back: no time is counted twice. */
const notBefore = ({ node, now }: Beginning, kind: UsageKind): RawBuilder<number> =>
  sql`coalesce((select max(until_at) from usage_spans
    where node = ${node} and kind = ${sql.lit(kind)} and until_at > ${now}), ${now})`;

const spanOf = (values: Beginning, kind: UsageKind) => ({
  node: values.node,
  class: values.nodeClass,
  project_id: values.projectId,
  project: values.project,
  kind: sql.lit(kind),
  from_at: notBefore(values, kind),
});

const open = {
  /** A span that somebody's hand left open in the database must not keep the node from the next project. */
  reserved: statement((tx, values: Beginning) =>
    tx
      .insertInto('usage_spans')
      .values(spanOf(values, 'reserved'))
      .onConflict((conflict) =>
        conflict
          .columns(['node', 'kind'])
          .where('until_at', 'is', null)
          .doUpdateSet((excluded) => ({
            class: excluded.ref('excluded.class'),
            project_id: excluded.ref('excluded.project_id'),
            project: excluded.ref('excluded.project'),
            from_at: excluded.ref('excluded.from_at'),
          })),
      ),
  ),
  /** One that is on stays on. */
  powered: statement((tx, values: Beginning) =>
    tx
      .insertInto('usage_spans')
      .values(spanOf(values, 'powered'))
      .onConflict((conflict) => conflict.columns(['node', 'kind']).where('until_at', 'is', null).doNothing()),
  ),
};

interface End {
  readonly node: string;
  readonly now: number;
}

/** Never before it began, if the clock has been set back. */
const endAt = (now: number): RawBuilder<number> => sql`case when from_at < ${now} then ${now} else from_at end`;

const whichOpen = (node: string, kind: UsageKind | null): RawBuilder<boolean> =>
  sql<boolean>`node = ${node} and until_at is null${kind === null ? sql`` : sql` and kind = ${sql.lit(kind)}`}`;

/** What was open until now, as spans that have ended; null: of every kind. */
const piecesOf = (kind: UsageKind | null) =>
  statement((tx, { node, now }: End) => {
    const [before = '', after = ''] = inPieces('|').split('|');
    return {
      compile: () =>
        sql`insert into usage_spans (${sql.raw(spanColumns)}, until_at) ${sql.raw(before)}
          select ${sql.raw(spanColumns)}, ${endAt(now)} as ends from usage_spans where ${whichOpen(node, kind)}
          ${sql.raw(after)}`.compile(tx),
    };
  });
const endPieces = piecesOf(null);
const endPoweredPieces = piecesOf('powered');

const closing = (kind: UsageKind | null) =>
  statement((tx, { node }: Pick<End, 'node'>) => tx.deleteFrom('usage_spans').where(whichOpen(node, kind)));
const endOpen = closing(null);
const endPowered = closing('powered');

/** What is open goes on from now, in another class. */
const goOn = statement((tx, { node, name, now }: End & { readonly name: string }) =>
  tx
    .updateTable('usage_spans')
    .set({ class: name, from_at: endAt(now) })
    .where('node', '=', node)
    .where('until_at', 'is', null),
);
