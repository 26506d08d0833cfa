import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemCaller } from '../../src/core/caller.ts';
import { listUsage, monthStart, type UsageKey } from '../../src/core/usage.ts';
import { recordClass, recordMove, recordPower } from '../../src/core/usage-ledger.ts';
import { openDatabase } from '../../src/db/open-service-database.ts';
import type { Db } from '../../src/db/service-database.ts';
import { longestSpanMs } from '../../src/db/usage-pieces.ts';
import { dataDirectory } from '../support/services/data-directory.ts';
import { type EngineName, engines, migratedPostgres } from '../support/services/engines.ts';

const dayMs = 86_400_000;
const began = Date.UTC(2024, 0, 20);

const openFor = async (engine: EngineName): Promise<Db> => {
  const directory = await dataDirectory('corral-ledger-');
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const db = await openDatabase(
    engine === 'sqlite'
      ? { engine, path: join(directory, 'corral.db') }
      : { engine, url: await migratedPostgres('corral', openDatabase), connections: 2 },
  );
  onTestFinished(() => db.close());
  return db;
};

const classes = ['', 'cpu', 'gpu'];
const nodes = ['n0', 'n1'];

/** One step: how far the clock goes, also back, and what happens then. */
type Step = readonly [number, string, number, 'move' | 'node_power_on' | 'node_power_off' | 'class'];

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.tuple(
    fc.oneof(
      fc.integer({ min: 0, max: 5000 }),
      fc.integer({ min: 0, max: 100 * dayMs }),
      fc.integer({ min: -3 * dayMs, max: -1 }),
    ),
    fc.constantFrom(...nodes),
    fc.nat({ max: 2 }),
    fc.constantFrom('move', 'node_power_on', 'node_power_off', 'class'),
  ),
  { maxLength: 25 },
);

/** What the ledger should say, in the plainest way: spans in a list, an end that is not before the beginning. */
class Model {
  readonly spans: { node: string; kind: string; project: number; class: string; from: number; until: number | null }[] =
    [];
  readonly states = new Map(nodes.map((label) => [label, { label, class: '', project_id: null as number | null }]));

  state(node: string) {
    const state = this.states.get(node);
    if (state === undefined) throw new Error(`no ${node}`);
    return state;
  }

  open(node: string, kind: string, now: number): void {
    const { project_id, class: name } = this.state(node);
    const mine = this.spans.filter((span) => span.node === node && span.kind === kind);
    if (project_id === null || mine.some(({ until }) => until === null)) return;
    const from = Math.max(now, ...mine.map(({ until }) => until ?? 0));
    this.spans.push({ node, kind, project: project_id, class: name, from, until: null });
  }

  close(node: string, now: number, ...kinds: string[]): string[] {
    const ending = this.spans.filter((span) => span.node === node && span.until === null && kinds.includes(span.kind));
    for (const span of ending) span.until = Math.max(now, span.from);
    return ending.map(({ kind }) => kind);
  }

  /** Milliseconds by kind, between two times. */
  total(from: number, to: number): Record<string, number> {
    const sums: Record<string, number> = { reserved: 0, powered: 0 };
    for (const span of this.spans) {
      const ms = Math.min(span.until ?? to, to) - Math.max(span.from, from);
      if (ms > 0) sums[span.kind] = (sums[span.kind] ?? 0) + ms;
    }
    return sums;
  }
}

const play = async (db: Db, played: readonly Step[]): Promise<{ model: Model; end: number }> => {
  const model = new Model();
  let now = began;
  let end = began;
  for (const [passed, label, choice, what] of played) {
    now += passed;
    vi.spyOn(Date, 'now').mockReturnValue(now);
    const node = { ...model.state(label) };
    const project = node.project_id === null ? null : { id: node.project_id, label: `p${node.project_id}` };
    await db.write(async (tx) => {
      if (what === 'move') {
        const next = node.project_id === null ? { id: choice + 1, label: `p${choice + 1}` } : null;
        await recordMove({ tx }, node, next);
      } else if (what === 'class') await recordClass({ tx }, node, classes[choice] ?? '');
      else await recordPower({ tx }, node, project, what);
    });
    const state = model.state(label);
    if (what === 'move') {
      model.close(label, now, 'reserved', 'powered');
      state.project_id = node.project_id === null ? choice + 1 : null;
      model.open(label, 'reserved', now);
    } else if (what === 'class') {
      const ended = model.close(label, now, 'reserved', 'powered');
      state.class = classes[choice] ?? '';
      for (const kind of ended) model.open(label, kind, now);
    } else if (what === 'node_power_on') model.open(label, 'powered', now);
    else model.close(label, now, 'powered');
    vi.restoreAllMocks();
    end = Math.max(end, now, ...model.spans.map(({ from, until }) => until ?? from));
  }
  return { model, end };
};

const sumOf = async (db: Db, from: number, to: number, ...by: UsageKey[]): Promise<Record<string, number>> =>
  db.read(async (tx) => {
    const { rows } = await listUsage({ tx, caller: systemCaller }, { from, to, by, limit: 10_000, after: 0 });
    const sums = { reserved: 0, powered: 0 };
    for (const row of rows) {
      sums.reserved += Math.round(row.reserved_seconds * 1000);
      sums.powered += Math.round(row.powered_seconds * 1000);
    }
    return sums;
  });

const added = (one: Record<string, number>, other: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(one).map(([kind, ms]) => [kind, ms + (other[kind] ?? 0)]));

describe.each(engines)('the ledger of usage on %s', (engine) => {
  afterEach(() => void vi.restoreAllMocks());

  it('adds up over every split of the time and by everything, and is what happened', { timeout: 240_000 }, async () => {
    const db = await openFor(engine);
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
        async (played, shares) => {
          await db.write((tx) => tx.deleteFrom('usage_spans').execute());
          const { model, end } = await play(db, played);
          const after = end + dayMs;
          const at = (share: number): number => Math.round(began - dayMs + share * (after - began + dayMs));
          const [a = 0, b = 0, c = 0] = shares.map(at).sort((one, other) => one - other);
          const whole = await sumOf(db, a, c, 'project');
          expect(whole).toEqual(model.total(a, c));
          expect(added(await sumOf(db, a, b, 'node'), await sumOf(db, b, c, 'class'))).toEqual(whole);
          for (const by of ['class', 'node', 'month'] as const) expect(await sumOf(db, a, c, by)).toEqual(whole);
          expect(await sumOf(db, a, c, 'project', 'class', 'node', 'month')).toEqual(whole);
        },
      ),
      { numRuns: 60 },
    );
  });

  it(
    'has no span that overlaps another of the same node, and no long one that has ended',
    { timeout: 120_000 },
    async () => {
      const db = await openFor(engine);
      await fc.assert(
        fc.asyncProperty(steps, async (played) => {
          await db.write((tx) => tx.deleteFrom('usage_spans').execute());
          await play(db, played);
          const rows = await db.read((tx) =>
            tx.selectFrom('usage_spans').selectAll().orderBy('from_at').orderBy('until_at').orderBy('id').execute(),
          );
          for (const label of nodes) {
            for (const kind of ['reserved', 'powered']) {
              const mine = rows.filter((row) => row.node === label && row.kind === kind);
              const ended = mine.filter(({ until_at }) => until_at !== null);
              for (const { from_at, until_at } of ended)
                expect((until_at ?? 0) - from_at).toBeLessThanOrEqual(longestSpanMs);
              const sorted = [...ended, ...mine.filter(({ until_at }) => until_at === null)];
              for (const [index, { from_at }] of sorted.entries())
                expect(from_at).toBeGreaterThanOrEqual(sorted[index - 1]?.until_at ?? 0);
            }
          }
        }),
        { numRuns: 30 },
      );
    },
  );

  it('is by calendar month, in UTC', async () => {
    const db = await openFor(engine);
    const node = { label: 'n0', class: '', project_id: null };
    vi.spyOn(Date, 'now').mockReturnValue(Date.UTC(2024, 0, 31, 23, 59, 59));
    await db.write((tx) => recordMove({ tx }, node, { id: 1, label: 'p1' }));
    vi.spyOn(Date, 'now').mockReturnValue(Date.UTC(2024, 2, 1, 0, 0, 1, 500));
    await db.write((tx) => recordMove({ tx }, { ...node, project_id: 1 }, null));
    const { rows } = await db.read((tx) => {
      const query = {
        from: Date.UTC(2023, 11, 15),
        to: Date.UTC(2024, 5),
        by: ['month'] as const,
        limit: 100,
        after: 0,
      };
      return listUsage({ tx, caller: systemCaller }, query);
    });
    expect(rows).toEqual([
      { month: '2024-01', reserved_seconds: 1, powered_seconds: 0 },
      { month: '2024-02', reserved_seconds: 29 * 86_400, powered_seconds: 0 },
      { month: '2024-03', reserved_seconds: 1.5, powered_seconds: 0 },
    ]);
    expect(monthStart(Date.UTC(2024, 11, 31), 1)).toBe(Date.UTC(2025, 0));
  });
});
