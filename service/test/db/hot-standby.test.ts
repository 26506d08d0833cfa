import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { type PostgresPair, startPostgresPair } from '../support/services/postgres-pair.ts';
import { relayTo } from '../support/services/tcp-relay.ts';
import { serviceForTest } from '../support/services/service.ts';
import { done, eventually, makeProject } from '../support/services/world.ts';

describe.runIf(engines.includes('postgres'))('a service whose PostgreSQL fails over', () => {
  let pair: PostgresPair;
  beforeAll(async () => {
    pair = await startPostgresPair();
  });
  afterAll(() => pair.stop());

  it('goes on reading from a hot standby, says why it stores nothing, and goes on when it is promoted', async () => {
    const relay = await relayTo(pair.primary);
    onTestFinished(() => relay.cut());
    const url = `postgres://postgres@127.0.0.1:${relay.port}/postgres`;
    const service = await serviceForTest('sqlite', { CORRAL_DATABASE_URL: url });
    const { admin } = service;
    await makeProject(service, 'before');
    await pair.follow();
    await relay.cut();
    await relay.restore(pair.standby);

    await eventually(async () => ((await admin.get('/projects')).status === 200 ? true : undefined));
    expect((await done(admin.get('/projects'))).body).toContain('before');
    const refused = await admin.put('/project/refused');
    expect(refused).toMatchObject({
      status: 503,
      body: { type: 'UnavailableError', msg: expect.stringContaining('the database is read-only') as string },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    const readiness = await fetch(`${service.url}/readyz`);
    expect([readiness.status, await readiness.text()]).toEqual([
      503,
      expect.stringContaining('the database is read-only') as string,
    ]);

    await pair.promote();
    await eventually(async () => ((await fetch(`${service.url}/readyz`)).status === 200 ? true : undefined));
    await done(admin.put('/project/after'));
    const projects = (await done(admin.get('/projects'))).body;
    expect(projects).toEqual(expect.arrayContaining(['before', 'after']));
    expect(projects).not.toContain('refused');
  });
});
