import { join } from 'node:path';
import Libsql from 'libsql';
import pg from 'pg';
import type { Rig } from '../authorization/authorization-rig.ts';
import { mockBehind } from '../headnodes/headnode-helpers.ts';

/** What the engine and the clock write on their own. */
const restlessTables = ['leases', 'migrations', 'event_projects'];
const restlessColumns = [
  'sweep_at',
  'swept_at',
  'sweep_wanted',
  'sweep_answered',
  'strangers',
  'unsaved_since',
  'save_at',
  'save_fault',
  'fault',
  'faults',
  'probe_at',
  'reading',
  'read_at',
  'unread',
  'retry_at',
  'attempts',
  'position',
  'last_at',
  'last_result',
  'used_at',
  'seen_at',
];

type Row = Readonly<Record<string, unknown>>;
type Ask = (sql: string) => Promise<readonly Row[]>;

/** Everything that is stored, whether or not a call shows it; of events how many, of the hypervisor its machines. */
export const storedState = async (rig: Rig): Promise<unknown> => {
  const tables = await asking(rig, async (ask, list) => {
    const names = (await ask(list)).map(({ name }) => String(name)).filter((name) => !restlessTables.includes(name));
    const contents: [string, readonly string[]][] = [];
    for (const name of names.sort()) {
      const rows = await ask(name === 'events' ? 'select count(*) as count from events' : `select * from "${name}"`);
      contents.push([name, rows.map(settled).sort()]);
    }
    return Object.fromEntries(contents);
  });
  return { tables, machines: await mockBehind(rig.service).machines(), orders: rig.obmd.calls.length };
};

const settled = (row: Row): string =>
  JSON.stringify(Object.fromEntries(Object.entries(row).filter(([column]) => !restlessColumns.includes(column))));

const asking = async <T>(rig: Rig, work: (ask: Ask, list: string) => Promise<T>): Promise<T> => {
  const url = rig.service.env['CORRAL_DATABASE_URL'];
  if (url === undefined) {
    const database = new Libsql(join(rig.service.dataDir, 'corral.db'));
    try {
      const ask: Ask = (sql) => Promise.resolve(database.prepare(sql).all() as readonly Row[]);
      return await work(ask, "select name from sqlite_master where type = 'table' and name not like 'sqlite%'");
    } finally {
      database.close();
    }
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const ask: Ask = async (sql) => (await client.query<Row>(sql)).rows;
    return await work(ask, "select tablename as name from pg_tables where schemaname = 'public'");
  } finally {
    await client.end();
  }
};
