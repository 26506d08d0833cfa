import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SimulatedSwitch } from '../../src/drivers/switches/simulated-switch.ts';
import { runAdminSuccessfully, runAdmin, startAdmin } from '../support/services/run-admin.ts';
import { engines, freshPostgres } from '../support/services/engines.ts';
import {
  type LargeInstallation,
  networkOfNode,
  seedLargeInstallation,
  switchOfNode,
} from '../support/services/large-installation.ts';
import { basic, clientOf } from '../support/http/http-client.ts';
import { type Program, startProgram } from '../support/services/service-program.ts';
import { adminPassword } from '../support/services/service.ts';
import { newest } from '../support/services/versions.ts';
import { done, eventually } from '../support/services/world.ts';

type Env = Readonly<Record<string, string>>;

const settings = {
  CORRAL_PORT: '0',
  CORRAL_ADMIN_PASSWORD: adminPassword,
  CORRAL_ENGINE_LEASE: '0.5',
  CORRAL_ENGINE_POLL: '0.2',
  CORRAL_ENGINE_SWEEP: '0',
  CORRAL_LOG_LEVEL: 'warn',
};

const running = async (env: Env): Promise<Program> => {
  const program = await startProgram(env);
  onTestFinished(async () => {
    await program.kill('SIGKILL');
  });
  return program;
};

/** A service that ran once on the embedded database, and is stopped. */
const stoppedSite = async (more: Env = {}): Promise<{ readonly dataDir: string; readonly env: Env }> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'corral-copy-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const env = { ...settings, CORRAL_DATA_DIR: dataDir, ...more };
  await (await running(env)).kill('SIGTERM');
  return { dataDir, env };
};

const fleetSite = async (fleet: LargeInstallation) => {
  const installation = await stoppedSite();
  seedLargeInstallation(installation.dataDir, fleet);
  return installation;
};

const adminOf = ({ url }: Program) => clientOf(url, basic('admin', adminPassword));

const inPostgres = async (url: string, text: string): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
};

const inFile = (file: string, text: string): unknown[] => {
  const db = new Libsql(file);
  try {
    return db.prepare(text).all();
  } finally {
    db.close();
  }
};

const hasPostgres = engines.includes('postgres');

describe.runIf(hasPostgres)('copy', () => {
  it(
    'brings 10,000 nodes with actions in flight from SQLite to PostgreSQL, where the service goes on with them',
    { timeout: 180_000 },
    async () => {
      const fleet = { nodes: 10_000, pending: 200 };
      const { dataDir, env } = await fleetSite(fleet);
      const before = await readFile(join(dataDir, 'corral.db'));
      const url = await freshPostgres();
      const output = await runAdminSuccessfully(env, 'copy', '--to', url);
      expect(output).toMatch(/^compared 10\d,\d{3} of 10\d,\d{3} rows$/m);
      expect(output).toMatch(/^service {7}10\d,\d{3} rows in PostgreSQL, each compared$/m);
      expect(output).toContain(`database_url = "${url}"`);
      expect((await readFile(join(dataDir, 'corral.db'))).equals(before)).toBe(true);

      const moved = { ...env, CORRAL_DATABASE_URL: url };
      expect(await runAdminSuccessfully(moved, 'check')).toBe('The database is consistent.\n');
      const program = await running(moved);
      const admin = adminOf(program);
      await eventually(async () => {
        const [row] = await inPostgres(url, "select count(*)::int as count from actions where status <> 'DONE'");
        return row?.['count'] === 0 ? true : undefined;
      }, 60_000);
      expect((await done(admin.get('/nodes/all'))).body).toHaveLength(fleet.nodes);
      for (const node of [0, 1, fleet.pending - 1]) {
        const { label, vlan } = networkOfNode(node);
        const { body } = await done(admin.get(`/node/n${node}`));
        expect(body).toMatchObject({
          project: `p${node % 20}`,
          nics: [{ networks: { 'vlan/native': label } }, { networks: { 'vlan/native': label } }],
        });
        const ports = new SimulatedSwitch(join(dataDir, 'simulated-switches'), switchOfNode(node));
        expect(ports.read([`n${node}/eth0`])).toEqual([{ port: `n${node}/eth0`, native: vlan, tagged: [] }]);
      }
      // No id is given a second time, not even that of something that is gone.
      await done(admin.put('/project/new'));
      const [project] = await inPostgres(url, "select id from projects where label = 'new'");
      expect(project?.['id']).toBe('901');
      expect(await runAdminSuccessfully(moved, 'check')).toBe('The database is consistent.\n');
    },
  );

  it('leaves nothing behind when it is killed, and works when it is run again', { timeout: 120_000 }, async () => {
    const { env } = await fleetSite({ nodes: 10_000, pending: 10 });
    const url = await freshPostgres();
    const copy = startAdmin(env, ['copy', '--to', url]);
    await eventually(() => (copy.output().includes('wrote ') ? true : undefined));
    copy.kill('SIGKILL');
    expect(await copy.ended).toBe('SIGKILL');
    expect(await inPostgres(url, 'select id from projects')).toEqual([]);
    expect(await inPostgres(url, 'select id from nodes')).toEqual([]);
    // PostgreSQL may take a moment to notice that the other side is gone.
    await eventually(async () => ((await runAdmin(env, 'copy', '--to', url)).code === 0 ? true : undefined));
    expect(await inPostgres(url, 'select count(*)::int as count from nodes')).toEqual([{ count: 10_000 }]);
  });

  it('brings everything back to SQLite, the OBM daemon too', { timeout: 60_000 }, async () => {
    const { dataDir, env } = await stoppedSite({ CORRAL_OBMD: '127.0.0.1:0' });
    seedLargeInstallation(dataDir, { nodes: 20, pending: 0 });
    const url = await freshPostgres();
    // From standard input, so that it is in no list of processes.
    const copy = startAdmin(env, ['copy', '--to', '-'], `${url}\n`);
    expect(await copy.ended, copy.output()).toBe(0);
    expect(copy.output()).toMatch(/^OBM daemon {4}\d+ rows in PostgreSQL, each compared$/m);
    const daemonWord = inFile(join(dataDir, 'obmd.db'), 'select name, value from obmd_settings order by name');
    expect(daemonWord).not.toEqual([]);
    expect(await inPostgres(url, 'select name, value from obmd_settings order by name')).toEqual(daemonWord);

    const back = join(dataDir, 'back.db');
    const moved = { ...env, CORRAL_DATABASE_URL: url };
    // A copy that is refused leaves no half of it.
    const refused = await runAdmin(moved, 'copy', '--to', back);
    expect(refused.code, refused.output).toBe(2);
    expect((await readdir(dataDir)).filter((name) => name.startsWith('back'))).toEqual([]);
    await rm(join(dataDir, 'obmd.db'));
    expect(await runAdminSuccessfully(moved, 'copy', '--to', back)).toContain(`database_url = "${back}"`);
    expect(inFile(join(dataDir, 'obmd.db'), 'select name, value from obmd_settings order by name')).toEqual(daemonWord);
    for (const table of ['nodes', 'events', 'network_access', 'settings', 'sqlite_sequence']) {
      const text = `select * from ${table} order by 1, 2`;
      expect(inFile(back, text)).toEqual(inFile(join(dataDir, 'corral.db'), text));
    }
    expect(await runAdminSuccessfully({ ...env, CORRAL_DATABASE_URL: back }, 'check')).toContain(
      'database is consistent',
    );
    await running({ ...env, CORRAL_DATABASE_URL: back });
  });

  it('refuses while the service runs, on either side', { timeout: 60_000 }, async () => {
    const { dataDir, env } = await stoppedSite();
    const url = await freshPostgres();
    const refusal = (place: string) => ({
      code: 2,
      output: `corral-admin: the database (${place}) is in use: stop the service on every machine, and every other program that has it open, then try again\n`,
    });
    const program = await running(env);
    expect(await runAdmin(env, 'copy', '--to', url)).toEqual(refusal(join(dataDir, 'corral.db')));
    await program.kill('SIGTERM');
    const other = await stoppedSite({ CORRAL_DATABASE_URL: url });
    const there = await running(other.env);
    expect(await runAdmin(env, 'copy', '--to', url)).toEqual(refusal('PostgreSQL'));
    expect(await runAdmin(other.env, 'copy', '--to', join(dataDir, 'new.db'))).toEqual(refusal('PostgreSQL'));
    await there.kill('SIGTERM');
    expect(await runAdmin(env, 'copy', '--to', url)).toEqual({
      code: 2,
      output: 'corral-admin: the database (PostgreSQL) is not empty: table users has rows; give an empty database\n',
    });
    expect(await inPostgres(url, 'select label from users')).toEqual([{ label: 'admin' }]);
  });

  it('keeps nothing that is not the same on the other side', async () => {
    const { dataDir, env } = await stoppedSite();
    seedLargeInstallation(dataDir, { nodes: 20, pending: 0 });
    const url = await freshPostgres();
    await runAdminSuccessfully({ ...env, CORRAL_DATABASE_URL: url }, 'migrate');
    await inPostgres(
      url,
      `create function spoil() returns trigger language plpgsql as
        'begin if new.label = ''n7'' then new.metadata = ''{}''; end if; return new; end';
      create trigger spoil before insert on nodes for each row execute function spoil()`,
    );
    const { code, output } = await runAdmin(env, 'copy', '--to', url);
    expect(code).toBe(1);
    expect(output).toMatch(
      /^corral-admin: table nodes differs from its source \(row \d+ of all tables\); the transaction was rolled back/m,
    );
    expect(await inPostgres(url, 'select id from projects union all select id from nodes')).toEqual([]);
  });

  it('shows no password, wherever in the URL it is', async () => {
    const { env } = await stoppedSite();
    const output = await runAdminSuccessfully(
      env,
      'copy',
      '--to',
      `${await freshPostgres()}?password=hush&sslpassword=hush`,
    );
    expect(output).toContain('?password=PASSWORD&sslpassword=PASSWORD"');
    expect(output).not.toContain('hush');
  });

  it('counts all ports as unread if the service was killed, and not if it was stopped', async () => {
    const { env } = await stoppedSite({ CORRAL_ENGINE_SESSION_IDLE: '60' });
    const program = await running(env);
    const admin = adminOf(program);
    await done(admin.put('/switch/sw', { type: 'mock', hostname: 'sw', username: 'u', password: 'p' }));
    await done(admin.put('/switch/sw/port/p1'));
    await done(admin.put('/switch/sw/port/p2'));
    await done(admin.post('/switch/sw/sweep'));
    await program.kill('SIGKILL');
    const unreadAfter = async () => {
      const url = await freshPostgres();
      const output = await runAdminSuccessfully(env, 'copy', '--to', url);
      const rows = await inPostgres(url, 'select label from ports where unread = 1 and may_carry_any = 1');
      return [/^The service was not shut down cleanly: 2 ports/m.test(output), rows.length];
    };
    expect(await unreadAfter()).toEqual([true, 2]);
    const again = await running(env);
    await done(adminOf(again).post('/switch/sw/sweep'));
    await again.kill('SIGTERM');
    expect(await unreadAfter()).toEqual([false, 0]);
  });

  it('refuses a target of another version', async () => {
    const { env } = await stoppedSite();
    const url = await freshPostgres();
    await inPostgres(url, 'create table schema_migrations (version integer primary key, name text, applied_at text)');
    const copied = async (version: number) => {
      await inPostgres(url, `delete from schema_migrations`);
      await inPostgres(url, `insert into schema_migrations values (${version}, 'x', 'x')`);
      const { code, output } = await runAdmin(env, 'copy', '--to', url);
      return [code, output];
    };
    expect(await copied(1)).toEqual([
      2,
      `corral-admin: the database (PostgreSQL) is at version 1, this program requires version ${newest}: run corral-admin migrate first\n`,
    ]);
    expect(await copied(newest + 1)).toEqual([
      2,
      expect.stringContaining(`the database is at version ${newest + 1}, this program supports`),
    ]);
  });
});

describe('copy', () => {
  it.each([
    [[], 'copy: --to is missing; see corral-admin help copy'],
    [
      ['--to', 'mysql://secret@db/corral'],
      'copy: --to is invalid; expected a path, sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE',
    ],
  ])('%j is a mistake', async (args, sentence) => {
    expect(await runAdmin({ CORRAL_DATA_DIR: '/nowhere' }, 'copy', ...args)).toEqual({
      code: 2,
      output: `corral-admin: ${sentence}\n`,
    });
  });

  it('refuses the database itself, and one that is not there', async () => {
    const { dataDir, env } = await stoppedSite();
    const own = join(dataDir, 'corral.db');
    expect((await runAdmin(env, 'copy', '--to', own)).output).toBe(
      `corral-admin: copy: --to is the configured database (${own}); give another one\n`,
    );
    const missing = { ...env, CORRAL_DATABASE_URL: join(dataDir, 'missing.db') };
    expect((await runAdmin(missing, 'copy', '--to', join(dataDir, 'new.db'))).output).toBe(
      `corral-admin: there is no database yet (${join(dataDir, 'missing.db')}); start the service once first\n`,
    );
  });
});
