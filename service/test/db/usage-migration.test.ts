import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase as open } from '@corral/base/db/open-database';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findViolations } from '../../src/core/invariants/find-violations.ts';
import { holdings, openDatabase } from '../../src/db/open-service-database.ts';
import type { Db } from '../../src/db/service-database.ts';
import { longestSpanMs } from '../../src/db/usage-pieces.ts';
import { dataDirectory } from '../support/services/data-directory.ts';
import { type EngineName, engines, freshPostgres } from '../support/services/engines.ts';

const before = { ...holdings, migrations: holdings.migrations.filter(({ version }) => version < 18) };
const start = Date.UTC(2026, 0, 1);

const databaseFor = async (engine: EngineName) => {
  const directory = await dataDirectory('corral-usage-');
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return engine === 'sqlite'
    ? ({ engine, path: join(directory, 'corral.db') } as const)
    : ({ engine, url: await freshPostgres(), connections: 2 } as const);
};

/** An event at so many milliseconds after the start; the first project is the one that it names. */
type Happened = readonly [ms: number, type: string, node: string, ...projects: number[]];

const fill = async (
  db: Db,
  nodes: Readonly<Record<string, number | null>>,
  events: readonly Happened[],
): Promise<void> =>
  db.write(async (tx) => {
    for (const label of ['p1', 'p2', 'pool']) await tx.insertInto('projects').values({ label }).execute();
    for (const [label, project_id] of Object.entries(nodes)) {
      await tx
        .insertInto('nodes')
        .values({
          label,
          project_id,
          metadata: '{}',
          obm_uri: 'http://192.0.2.1/',
          obm_admin_token: '',
          obm_token: null,
        })
        .execute();
    }
    const labels = [null, 'p1', 'p2', 'pool'];
    for (const [ms, type, node, ...projects] of events) {
      const { id } = await tx
        .insertInto('events')
        .values({
          at: start + ms,
          type,
          caller: 'admin',
          node,
          project: labels[projects[0] ?? 0] ?? null,
          detail: '{}',
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      for (const project_id of projects)
        await tx
          .insertInto('event_projects')
          .values({ event_id: id, project_id, project: labels[project_id] ?? '' })
          .execute();
    }
  });

const migrated = async (
  engine: EngineName,
  nodes: Readonly<Record<string, number | null>>,
  events: readonly Happened[],
): Promise<{ db: Db; spans: string[] }> => {
  const location = await databaseFor(engine);
  const old: Db = await open(location, before);
  await fill(old, nodes, events);
  await old.close();
  const db = await openDatabase(location);
  onTestFinished(() => db.close());
  const rows = await db.read((tx) => tx.selectFrom('usage_spans').selectAll().execute());
  const spans = rows.map(
    ({ kind, node, project, project_id, from_at, until_at }) =>
      `${node} ${kind} ${project}=${project_id} ${from_at - start}-${until_at === null ? '' : until_at - start}`,
  );
  return { db, spans: spans.sort() };
};

describe.each(engines)('an upgrade on %s', (engine) => {
  it('fills the ledger of usage from the events that there are', async () => {
    const { db, spans } = await migrated(engine, { n1: 1, n2: null, n3: 2, n4: 3 }, [
      [10, 'node_register', 'n1'],
      [20, 'project_connect_node', 'n1', 1],
      [30, 'node_power_on', 'n1', 1],
      [35, 'node_power_cycle', 'n1', 1],
      [40, 'node_power_off', 'n1', 1],
      [50, 'project_connect_node', 'n2', 2],
      [55, 'node_power_on', 'n2', 2],
      [60, 'project_detach_node', 'n2', 2],
      [65, 'node_power_on', 'n2'],
      [70, 'project_detach_node', 'n1', 1],
      [80, 'project_connect_node', 'n1', 1],
      [85, 'node_power_cycle', 'n1', 1],
      [90, 'node_power_on', 'n1', 1],
      // Its reservation is older than all events.
      [100, 'project_detach_node', 'gone', 2],
      [110, 'project_connect_node', 'n4', 1],
      [120, 'project_detach_node', 'n4', 1, 3],
      // The clock was set back.
      [130, 'project_connect_node', 'gone', 1],
      [125, 'project_detach_node', 'gone', 1],
    ]);
    expect(spans).toEqual(
      [
        'n1 reserved p1=1 20-70',
        'n1 powered p1=1 30-40',
        'n2 reserved p2=2 50-60',
        'n2 powered p2=2 55-60',
        'n1 reserved p1=1 80-',
        'n1 powered p1=1 85-',
        'gone reserved p2=2 10-100',
        'gone reserved p1=1 130-130',
        'n3 reserved p2=2 10-',
        'n4 reserved p1=1 110-120',
        'n4 reserved pool=3 120-',
      ].sort(),
    );
    expect(await findViolations(db, null)).toEqual([]);
  });

  it('cuts what was long, and begins now where nothing is known', async () => {
    const long = 2 * longestSpanMs + 5;
    const began = Date.now();
    const { spans } = await migrated(engine, {}, [
      [0, 'project_connect_node', 'n1', 1],
      [long, 'project_detach_node', 'n1', 1],
    ]);
    expect(spans).toEqual(
      [
        `n1 reserved p1=1 0-${longestSpanMs}`,
        `n1 reserved p1=1 ${longestSpanMs}-${2 * longestSpanMs}`,
        `n1 reserved p1=1 ${2 * longestSpanMs}-${long}`,
      ].sort(),
    );
    const { spans: unknown } = await migrated(engine, { n1: 1 }, []);
    const at = start + Number(/ (\d+)-$/.exec(unknown[0] ?? '')?.[1]);
    expect(unknown).toHaveLength(1);
    expect(at).toBeGreaterThanOrEqual(began - 1000);
    expect(at).toBeLessThanOrEqual(Date.now() + 1000);
  });
});
