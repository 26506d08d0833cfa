import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@corral/base/db/open-database';
import Libsql from 'libsql';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { holdings } from '../../src/db/open-service-database.ts';
import { loadConfig } from '../../src/config/load-service-config.ts';
import { runAdminSuccessfully, runAdmin } from '../support/services/run-admin.ts';
import { type EngineName, engines, freshPostgres } from '../support/services/engines.ts';
import { serviceForTest } from '../support/services/service.ts';
import { newest, newestOfDaemon, stepsAfter, stepsOfDaemon } from '../support/services/versions.ts';

/** An installation whose database is of this version; 0: there is none. */
const siteAt = async (engine: EngineName, version: number): Promise<Record<string, string>> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'corral-admin-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const env: Record<string, string> = {
    CORRAL_DATA_DIR: dataDir,
    ...(engine === 'postgres' ? { CORRAL_DATABASE_URL: await freshPostgres() } : {}),
  };
  if (version === 0) return env;
  const migrations = holdings.migrations.filter((migration) => migration.version <= version);
  await (await openDatabase(loadConfig(env).database, { ...holdings, migrations })).close();
  if (version > newest) await run(env, `insert into schema_migrations values (${version}, 'newer', 'now')`);
  return env;
};

const run = async (env: Readonly<Record<string, string>>, text: string): Promise<void> => {
  const url = env['CORRAL_DATABASE_URL'];
  if (url === undefined) {
    const db = new Libsql(join(env['CORRAL_DATA_DIR'] ?? '', 'corral.db'));
    db.exec(text);
    db.close();
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text).finally(() => client.end());
};

const others = [
  ['check'],
  ['backup', '/nowhere/backup.gz'],
  ['create-admin', 'ada', '--generate'],
  ['reset-password', 'ada', '--generate'],
  ['rotate-key', '--dry-run'],
];

describe('a command that root runs', () => {
  it('leaves files that belong to the owner of their directory', async () => {
    const env = await siteAt('sqlite', 0);
    const dataDir = env['CORRAL_DATA_DIR'] ?? '';
    // Without root there is nobody else to be.
    const uid = process.getuid?.() === 0 ? 12_345 : (await stat(dataDir)).uid;
    await chown(dataDir, uid, (await stat(dataDir)).gid);
    await runAdminSuccessfully(env, 'migrate');
    expect((await stat(join(dataDir, 'corral.db'))).uid).toBe(uid);
    const copied = join(dataDir, 'copied.db');
    await writeFile(join(dataDir, 'other'), '');
    await runAdminSuccessfully(env, 'copy', '--to', copied);
    expect((await stat(copied)).uid).toBe(uid);
    // What it did not make stays whose it is.
    expect((await stat(join(dataDir, 'other'))).uid).toBe(process.getuid?.());
  });
});

describe.each(engines)('migrate on %s', (engine) => {
  const placeOf = (env: Record<string, string>): string =>
    engine === 'sqlite' ? join(env['CORRAL_DATA_DIR'] ?? '', 'corral.db') : 'PostgreSQL';

  it('makes a database, and brings an old one up to date, and says so', async () => {
    for (const [version, from, steps] of [
      [0, 'nothing', stepsAfter(0)],
      [2, 'version 2', stepsAfter(2)],
    ] as const) {
      const env = await siteAt(engine, version);
      const change = `from ${from} to version ${newest} (${steps})`;
      expect(await runAdminSuccessfully(env, 'migrate', '--dry-run')).toBe(
        `service       ${placeOf(env)}: would go ${change}\n\nNothing was changed.\n`,
      );
      expect(await runAdminSuccessfully(env, 'migrate')).toBe(`service       ${placeOf(env)}: ${change}\n`);
      expect(await runAdminSuccessfully(env, 'migrate')).toBe(
        `service       ${placeOf(env)}: is up to date: version ${newest}\n`,
      );
      expect(await runAdminSuccessfully(env, 'check')).toBe('The database is consistent.\n');
    }
  });

  it('includes the OBM daemon inside the service', async () => {
    const env: Record<string, string> = { ...(await siteAt(engine, newest)), CORRAL_OBMD: '127.0.0.1:0' };
    const place = engine === 'sqlite' ? join(env['CORRAL_DATA_DIR'] ?? '', 'obmd.db') : 'PostgreSQL';
    expect(await runAdminSuccessfully(env, 'migrate')).toBe(
      `service       ${placeOf(env)}: is up to date: version ${newest}\n` +
        `OBM daemon    ${place}: from nothing to version ${newestOfDaemon} (${stepsOfDaemon})\n`,
    );
  });

  it.each(others)('is not what %s does: an old database is refused, and stays old', async (...args) => {
    const env = await siteAt(engine, 2);
    expect(await runAdmin(env, ...args)).toEqual({
      code: 2,
      output: `corral-admin: the database (${placeOf(env)}) is at version 2, this program requires version ${newest}: run corral-admin migrate first\n`,
    });
    expect(await runAdminSuccessfully(env, 'migrate', '--dry-run')).toContain('would go from version 2 ');
  });

  it.each([...others, ['migrate'], ['migrate', '--dry-run']])('%s refuses a newer database', async (...args) => {
    const env = await siteAt(engine, newest + 1);
    expect(await runAdmin(env, ...args)).toEqual({
      code: 2,
      output: `corral-admin: the database is at version ${newest + 1}, this program supports versions up to ${newest}: start a newer Corral, or restore an older backup\n`,
    });
  });

  it('is done by the service itself at its start', async () => {
    const env = await siteAt(engine, 1);
    const service = await serviceForTest(engine, env);
    expect((await service.admin.get('/auth/whoami')).status).toBe(200);
  });
});
