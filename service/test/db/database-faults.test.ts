import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/db/open-service-database.ts';
import { engines, migratedPostgres } from '../support/services/engines.ts';
import { canMount, smallDisk } from '../support/services/small-disk.ts';
import { relayTo } from '../support/services/tcp-relay.ts';
import { type Service, serviceForTest, startService } from '../support/services/service.ts';
import { done, eventually, makeProject, makeUser } from '../support/services/world.ts';

/** What `/readyz` and the like say. */
const statusAt = async (
  url: string,
): Promise<{ readonly code: number; readonly status: string; readonly ms: number }> => {
  const began = performance.now();
  const answer = await fetch(url);
  const { status } = (await answer.json()) as { status: string };
  return { code: answer.status, status, ms: performance.now() - began };
};

/** The promises that hold whatever is wrong with the database, once it is. */
const expectReadsOnly = async (service: Service, why: RegExp): Promise<void> => {
  const refused = await service.admin.put('/project/refused');
  expect(refused).toMatchObject({
    status: 503,
    body: { type: 'UnavailableError', msg: expect.stringMatching(why) as string },
  });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await done(service.admin.get('/projects'))).body).toContain('before');
  expect(await statusAt(`${service.url}/healthz`)).toMatchObject({ code: 200 });
  expect(await statusAt(`${service.url}/readyz`)).toMatchObject({
    code: 503,
    status: expect.stringMatching(why) as string,
  });
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toContain('corral_database_writable 0');
};

const expectRecovery = async (service: Service): Promise<void> => {
  await eventually(async () => ((await statusAt(`${service.url}/readyz`)).code === 200 ? true : undefined));
  await done(service.admin.put('/project/after'));
  expect((await done(service.admin.get('/projects'))).body).toEqual(expect.arrayContaining(['before', 'after']));
  expect((await done(service.admin.get('/projects'))).body).not.toContain('refused');
};

describe.runIf(canMount)('a full disk', () => {
  it('stops changes and nothing else, and changes go on when there is room', async () => {
    const disk = await smallDisk(8);
    onTestFinished(disk.remove);
    const service = await startService('sqlite', { CORRAL_DATA_DIR: disk.directory, CORRAL_OBMD: '127.0.0.1:0' });
    onTestFinished(service.stop);
    await makeProject(service, 'before');
    const token = (await done(service.admin.put('/auth/token/t'))).body as { token: string };
    disk.fill();
    await expectReadsOnly(service, /disk of the database is full/);
    // Written down when it was last used, if that can be: it is no part of the answer.
    const withToken = await fetch(`${service.url}/v0/projects`, {
      headers: { authorization: `Bearer ${token.token}` },
    });
    expect(withToken.status).toBe(200);
    expect(await statusAt(`${service.obmdUrl ?? ''}/readyz`)).toMatchObject({
      code: 503,
      status: expect.stringContaining('full') as string,
    });
    for (let index = 0; index < 20; index += 1)
      expect((await service.admin.put(`/project/p${index}`)).status).toBe(503);
    const told = service.log.filter((line) => line.includes('cannot write to the database:'));
    expect(told).toHaveLength(1);
    disk.makeRoom();
    await expectRecovery(service);
    expect(service.log.some((line) => line.includes('writes to the database succeed again'))).toBe(true);
  });
});

describe('a database file', () => {
  /** Locks the file as another program does, until it is let go. */
  const lock = async (path: string): Promise<() => Promise<void>> => {
    const libsql = createRequire(import.meta.url).resolve('libsql');
    const script = `const db = new (require(${JSON.stringify(libsql)}))(${JSON.stringify(path)});
      db.exec('begin immediate'); console.log('locked'); process.stdin.resume();`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    return async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    };
  };

  it('that another program locks is waited for without holding up anybody', async () => {
    const service = await serviceForTest('sqlite');
    await makeProject(service, 'before');
    const release = await lock(join(service.dataDir, 'corral.db'));
    onTestFinished(release);
    const slowest = { ms: 0 };
    const watch = setInterval(
      () => void statusAt(`${service.url}/healthz`).then(({ ms }) => (slowest.ms = Math.max(slowest.ms, ms))),
      50,
    );
    onTestFinished(() => clearInterval(watch));
    const waiting = service.admin.put('/project/refused');
    expect((await done(service.admin.get('/projects'))).body).toContain('before');
    const unready = await eventually(async () => {
      const answer = await statusAt(`${service.url}/readyz`);
      return answer.code === 503 ? answer : undefined;
    });
    expect(unready.status).toContain('another program has locked the database');
    const refused = await waiting;
    expect(refused).toMatchObject({ status: 503, body: { type: 'UnavailableError' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    clearInterval(watch);
    // It was 5 s and more.
    expect(slowest.ms).toBeLessThan(4_000);
    const patient = service.admin.put('/project/patient');
    await release();
    await done(patient);
    await expectRecovery(service);
  });

  it('that was taken away takes no changes, which would be lost with it', async () => {
    const service = await serviceForTest('sqlite');
    await makeProject(service, 'before');
    const alice = await makeUser(service, 'alice', 'before');
    const path = join(service.dataDir, 'corral.db');
    renameSync(path, `${path}.elsewhere`);
    const found = 'cannot write to the database: the database file was removed or replaced';
    await eventually(() => service.log.some((line) => line.includes(found)) || undefined);
    await expectReadsOnly(service, /database file was removed or replaced/);
    // Where the file is, is for administrators.
    const told = 'was removed while it was in use';
    expect((await service.admin.put('/project/refused')).text).toContain(told);
    const alices = await alice.put('/auth/token/refused');
    expect(alices.status).toBe(503);
    expect(alices.text).not.toContain(told);
    renameSync(`${path}.elsewhere`, path);
    await expectRecovery(service);
  });
});

describe.runIf(engines.includes('postgres'))('a PostgreSQL', () => {
  /** Says something to the server about the database of a service, over a connection that is not the service's. */
  const asOperator = async (url: string, ...statements: readonly string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: url.replace(/\/[^/]*$/, '/postgres') });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };

  it('that is read-only stops changes and nothing else', async () => {
    const url = await migratedPostgres('corral', openDatabase);
    const name = new URL(url).pathname.slice(1);
    const cutOff = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;
    const service = await serviceForTest('sqlite', { CORRAL_DATABASE_URL: url });
    await makeProject(service, 'before');
    await asOperator(url, `alter database ${name} set default_transaction_read_only = on`, cutOff);
    await eventually(async () => ((await service.admin.get('/projects')).status === 200 ? true : undefined));
    await expectReadsOnly(service, /the database is read-only/);
    await asOperator(url, `alter database ${name} reset default_transaction_read_only`);
    await expectRecovery(service);
  });

  it('that is gone is reported as such, and used again when it is back', async () => {
    const url = new URL(await migratedPostgres('corral', openDatabase));
    const relay = await relayTo(Number(url.port));
    url.port = String(relay.port);
    const service = await serviceForTest('sqlite', { CORRAL_DATABASE_URL: url.href });
    onTestFinished(() => relay.cut());
    await makeProject(service, 'before');
    await relay.cut();
    for (const call of [service.admin.put('/project/refused'), service.admin.get('/projects')]) {
      const answer = await call;
      expect(answer).toMatchObject({
        status: 503,
        body: { type: 'UnavailableError', msg: expect.stringContaining('the database does not answer') as string },
      });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(await statusAt(`${service.url}/healthz`)).toMatchObject({ code: 200 });
    expect(await statusAt(`${service.url}/readyz`)).toMatchObject({ code: 503 });
    await relay.restore();
    await expectRecovery(service);
  });
});
