import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pino } from 'pino';
import { ConfigError } from '@corral/base/config/config-error';
import { loadConfig } from '../../src/config/load-service-config.ts';
import { DatabaseRefused } from '@corral/base/db/migrations';
import { start } from '../../src/start.ts';
import { engines, freshPostgres } from '../support/services/engines.ts';
import { basic, clientOf } from '../support/http/http-client.ts';
import { startProgram } from '../support/services/service-program.ts';
import { replicaOf } from '../support/services/obm-rack.ts';
import { serviceForTest } from '../support/services/service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { done, eventually, makeNode, makeProject, makeSwitch, reserve } from '../support/services/world.ts';

describe.each(engines)('starting on a database: %s', (engine) => {
  it('a restart finds everything again', async () => {
    const service = await serviceForTest(engine);
    await makeProject(service, 'red');
    await makeNode(service, 'n1');
    await reserve(service, 'red', 'n1');
    await service.stop();
    const again = await replicaOf(service);
    expect((await again.admin.get('/node/n1')).body).toMatchObject({ project: 'red' });
  });

  it('four at once on an empty database all come up, and make one administrator', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'corral-test-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const env = {
      CORRAL_PORT: '0',
      CORRAL_DATA_DIR: dataDir,
      CORRAL_MAINTENANCE_PROJECT: 'maintenance',
      CORRAL_MAINTENANCE_URL: 'http://127.0.0.1:9/',
      ...(engine === 'postgres' ? { CORRAL_DATABASE_URL: await freshPostgres() } : {}),
    };
    const replicas = await Promise.all(
      Array.from({ length: 4 }, () => start(loadConfig(env), pino({ level: 'silent' }))),
    );
    for (const replica of replicas) onTestFinished(() => replica.stop());
    expect(replicas.map(({ firstAdmin }) => firstAdmin.kind).sort()).toEqual([
      'exists',
      'exists',
      'exists',
      'generated',
    ]);
    const password = (await readFile(join(dataDir, 'admin-password'), 'utf8')).trimEnd();
    for (const { url } of replicas) {
      const admin = clientOf(url, basic('admin', password));
      expect((await done(admin.get('/auth/basic/users'))).body).toEqual({ admin: { is_admin: true, projects: [] } });
      expect((await done(admin.get('/projects'))).body).toEqual(['maintenance']);
    }
    for (const [index, { url }] of replicas.entries()) {
      await done(clientOf(url, basic('admin', password)).put(`/project/by-${index}`));
    }
  });

  it('four processes at once on an empty database do the same, or one of them if it is embedded', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'corral-test-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const env = {
      CORRAL_PORT: '0',
      CORRAL_DATA_DIR: join(dataDir, 'not', 'there', 'yet'),
      ...(engine === 'postgres' ? { CORRAL_DATABASE_URL: await freshPostgres() } : {}),
    };
    const starts = await Promise.allSettled(Array.from({ length: 4 }, () => startProgram(env)));
    const programs = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    onTestFinished(async () => {
      await Promise.all(programs.map((program) => program.kill('SIGKILL')));
    });
    expect(programs).toHaveLength(engine === 'sqlite' ? 1 : 4);
    for (const start of starts) {
      if (start.status === 'fulfilled') continue;
      const why = `corral: cannot start: another process of the service uses the database in ${env.CORRAL_DATA_DIR}: stop it,`;
      expect(String(start.reason)).toContain(why);
    }
    const shown = await eventually(() => {
      const found = programs.flatMap(
        ({ output }) =>
          /^First start: user admin; its password is in (\S+), readable by its owner only$/m.exec(
            output.join('\n'),
          )?.[1] ?? [],
      );
      return found.length > 0 ? found : undefined;
    });
    const file = join(env.CORRAL_DATA_DIR, 'admin-password');
    expect(shown).toEqual([file]);
    const password = (await readFile(file, 'utf8')).trimEnd();
    for (const { url, output } of programs) {
      // What is not a terminal is a log.
      expect(output.join('\n')).not.toContain(password);
      const users = await done(clientOf(url, basic('admin', password)).get('/auth/basic/users'));
      expect(users.body).toEqual({ admin: { is_admin: true, projects: [] } });
    }
  });

  it('a database that is newer than the program is refused, in one line that says so', async () => {
    const service = await serviceForTest(engine);
    await makeProject(service, 'untouched');
    await service.stop();
    const statement = "insert into schema_migrations values (999, 'from the future', 'tomorrow')";
    await runSql(service, { sqlite: statement, postgres: statement });
    const refused = await service.restart().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DatabaseRefused);
    expect((refused as Error).message).toMatch(
      /^the database is at version 999, this program supports versions up to \d+: .+$/,
    );

    const undo = 'delete from schema_migrations where version = 999';
    await runSql(service, { sqlite: undo, postgres: undo });
    const again = await replicaOf(service);
    expect((await again.admin.get('/projects')).body).toEqual(['untouched']);
  });

  it('a pool without the ids of networks in use is refused', async () => {
    const service = await serviceForTest(engine, { CORRAL_VLANS: '100-110' });
    await done(service.admin.put('/network/net', { owner: 'admin', access: '', net_id: '' }));
    await service.stop();
    await expect(service.restart({ CORRAL_VLANS: '200-210' })).rejects.toThrow(/vlans: .*net \(VLAN 100\)/);
  });
});

describe.each(engines)('the key for secrets at rest on %s', (engine) => {
  it('is made at the first start, for its owner alone', async () => {
    const service = await serviceForTest(engine);
    const file = join(service.dataDir, 'secret.key');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(Buffer.from(await readFile(file, 'utf8'), 'base64')).toHaveLength(32);
  });

  it('is needed again: another key, or a new one in place of a lost one, is refused', async () => {
    const service = await serviceForTest(engine);
    const file = join(service.dataDir, 'secret.key');
    await service.stop();
    const right = await readFile(file, 'utf8');
    await writeFile(file, randomBytes(32).toString('base64'));
    await expect(service.restart()).rejects.toThrow(`key_file: ${file} is not the key`);
    await expect(service.restart()).rejects.toThrow(ConfigError);
    await rm(file);
    await expect(service.restart()).rejects.toThrow(`key_file: ${file} is missing`);
    // None is made in its place: it would look like the one that was lost.
    expect(existsSync(file)).toBe(false);
    await writeFile(file, right, { mode: 0o600 });
    await replicaOf(service);
  });

  it('that is not a key is refused', async () => {
    const service = await serviceForTest(engine);
    const file = join(service.dataDir, 'secret.key');
    await service.stop();
    for (const text of ['', 'too short', randomBytes(33).toString('base64')]) {
      await writeFile(file, text);
      await expect(service.restart()).rejects.toThrow(`key_file: ${file} does not contain 32 bytes in base64`);
    }
  });

  it('that cannot be created is reported in one line', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'corral-test-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    await writeFile(join(directory, 'file'), '');
    const file = join(directory, 'file', 'inside-it');
    await expect(serviceForTest(engine, { CORRAL_KEY_FILE: file })).rejects.toThrow(
      /^key_file: .* cannot be (read|created) \(.+\)$/,
    );
  });

  it('may be kept elsewhere', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'corral-test-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const service = await serviceForTest(engine, { CORRAL_KEY_FILE: join(directory, 'deep', 'key') });
    expect((await stat(join(directory, 'deep', 'key'))).mode & 0o777).toBe(0o600);
    await expect(stat(join(service.dataDir, 'secret.key'))).rejects.toThrow('ENOENT');
  });

  it('seals what is secret: the database holds neither tokens nor passwords in the clear', async () => {
    const service = await serviceForTest(engine);
    await done(service.admin.put('/node/n1', { obmd: { uri: 'http://127.0.0.1:9/n1', admin_token: 'very secret' } }));
    await makeSwitch(service, 'sw0');
    await done(service.admin.put('/auth/basic/user/alice', { password: 'alices password' }));
    const rows: unknown[] = [];
    for (const table of ['nodes', 'switches', 'users', 'events', 'settings']) {
      const all = `select * from ${table}`;
      rows.push(...(await runSql(service, { sqlite: all, postgres: all })));
    }
    expect(JSON.stringify(rows)).toContain('n1');
    for (const secret of ['very secret', 'switch password', 'alices password']) {
      expect(JSON.stringify(rows)).not.toContain(secret);
    }
  });
});
