import { sql } from 'kysely';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EventSource, type EventStart, indexedColumns, windowQuery } from '../../src/core/event-window.ts';
import type { Db } from '../../src/db/service-database.ts';
import { openDatabase } from '../../src/db/open-service-database.ts';
import { dataDirectory } from '../support/services/data-directory.ts';
import { type EngineName, engines, migratedPostgres } from '../support/services/engines.ts';

const count = 50_000;

/** A long history: every event is about a node, a network and a switch, and belongs to one of ten projects. */
const fill = (db: Db): Promise<unknown> =>
  db.write(async (tx) => {
    const numbers =
      db.engine === 'sqlite'
        ? sql`(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n) as n`
        : sql`generate_series(1, ${sql.lit(count)}) as n(i)`;
    await sql`insert into events (at, type, caller, request_id, project, node, nic, network, headnode, hnic, switch, port, "user", detail)
      select 1000 + i, 'type_' || (i % 7), 'caller_' || (i % 5), null, 'p' || (i % 10), 'node_' || (i % 300), 'nic_' || (i % 4),
        'net_' || (i % 50), 'head_' || (i % 20), 'hnic_' || (i % 3), 'sw_' || (i % 9), 'port_' || (i % 48), 'user_' || (i % 30), '{}'
      from ${numbers}`.execute(tx);
    await sql`insert into event_projects (event_id, project_id, project) select id, id % 10, 'p' || (id % 10) from events`.execute(
      tx,
    );
  });

const openFor = async (engine: EngineName, directory: string): Promise<Db> =>
  engine === 'sqlite'
    ? openDatabase({ engine, path: join(directory, 'events.db') })
    : openDatabase({ engine, url: await migratedPostgres('corral', openDatabase), connections: 2 });

describe.each(engines)('a look for events on %s', (engine) => {
  let db: Db;
  let directory: string;
  beforeAll(async () => {
    directory = await dataDirectory('corral-plans-');
    db = await openFor(engine, directory);
    await fill(db);
    await db.write((tx) => sql`analyze`.execute(tx));
  });
  afterAll(async () => {
    await db.close();
    await rm(directory, { recursive: true, force: true });
  });

  const planOf = (source: EventSource, start: EventStart): Promise<string> =>
    db.read(async (tx) => {
      const { sql: text, parameters } = windowQuery(tx, source, start, 200).compile();
      const explain = engine === 'sqlite' ? 'explain query plan ' : 'explain (analyze, timing off) ';
      const parts = text.split(/\?|\$\d+/);
      const pieces = parts.map((part, index) =>
        index === 0 ? sql.raw(explain + part) : sql`${parameters[index - 1]}${sql.raw(part)}`,
      );
      const { rows } = await sql<Record<string, string>>`${sql.join(pieces, sql``)}`.execute(tx);
      return rows.map((row) => row['detail'] ?? row['QUERY PLAN'] ?? '').join('\n');
    });

  const sources: readonly (readonly [string, EventSource])[] = [
    ['all', { kind: 'all' }],
    ['a label', { kind: 'label', project: 'p7' }],
    ['one project', { kind: 'projects', ids: [7] }],
    ['several projects', { kind: 'projects', ids: [7, 8, 9, 120] }],
    ...indexedColumns.map((column) => [column, { kind: 'column', column, value: `${column}_1` }] as const),
  ];
  const starts: readonly (readonly [string, EventStart])[] = [
    ['what is new', { after: count - 5 }],
    ['what follows an old one', { after: 10 }],
    ['the newest', { before: null }],
    ['what is before one', { before: count / 2 }],
  ];

  it.each(sources)('of %s costs what it finds, wherever it begins', async (_, source) => {
    for (const [where, start] of starts) {
      const plan = await planOf(source, start);
      // Of SQLite's words a search goes by an index; a scan of the table itself, in the order of ids, ends at the limit.
      if (engine === 'sqlite') {
        const scans = plan.split('\n').filter((line) => /^SCAN (events|event_projects)\b/.test(line));
        expect(
          source.kind === 'all' && 'before' in start && start.before === null ? [] : scans,
          `${where}: ${plan}`,
        ).toEqual([]);
        expect(plan.includes('USE TEMP B-TREE FOR ORDER BY') && source.kind !== 'projects', `${where}: ${plan}`).toBe(
          false,
        );
      } else {
        expect(plan, where).not.toContain('Seq Scan');
        const rows = [...plan.matchAll(/Scan .*actual rows=(\d+)/g)].map(([, text]) => Number(text));
        expect(Math.max(...rows), `${where}: ${plan}`).toBeLessThanOrEqual(200);
      }
    }
  });
});
