import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { labCertificate, labKey } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load-service-config.ts';
import { startServiceWithDaemon } from '../support/obm/service-with-daemon.ts';
import { engines } from '../support/services/engines.ts';
import { runSql } from '../support/services/run-sql.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import { done, makeProject, makeUser, reserve } from '../support/services/world.ts';
import { freePort } from '../support/vitest/parts.ts';

const env = { CORRAL_OBMD: '127.0.0.1:0', CORRAL_OBMD_CALL_GAP: '0', CORRAL_OBM_TIMEOUT: '10' };
const mock = (addr: string) => ({ type: 'mock', info: { addr } });

/** The address of a node as it is stored. */
const storedUri = async (service: Service, node: string): Promise<unknown> => {
  const statement = `select obm_uri from nodes where label = '${node}'`;
  const [row] = (await runSql(service, { sqlite: statement, postgres: statement })) as { obm_uri: string }[];
  return row?.obm_uri;
};

const change = (service: Service, statement: string) =>
  runSql(service, { sqlite: statement, postgres: statement }, 'obmd.db');

describe.each(engines)('the OBM daemon inside the service, on %s', (engine) => {
  it('is stored without an address, also where one is given, and shown with it', async () => {
    const service = await serviceForTest(engine, env);
    const { admin, obmdUrl } = service;
    await done(admin.put('/node/n1', {}));
    await done(admin.put('/node/n2', { obmd: { uri: `${obmdUrl}/node/n2`, admin_token: 'any' } }));
    await done(admin.put('/node/n3', { obmd: { uri: 'http://127.0.0.1:9/node/n3', admin_token: 'any' } }));
    expect([await storedUri(service, 'n1'), await storedUri(service, 'n2')]).toEqual([
      'http://inside.invalid/node/n1',
      'http://inside.invalid/node/n2',
    ]);
    expect((await admin.get('/node/n2/obmd')).body).toEqual({ uri: `${obmdUrl}/node/n2`, inside: true });
    expect((await admin.get('/node/n3/obmd')).body).toMatchObject({ inside: false });
    // A node comes to it from another daemon by the address that is shown.
    await done(admin.put('/node/n3/obmd', { uri: `${obmdUrl}/node/n3`, admin_token: 'any' }));
    await done(admin.put('/node/n3/bmc', mock('n3')));
    await done(admin.post('/node/n3/bmc/test'));
  });

  it('listens elsewhere after a restart, and has the nodes of before', async () => {
    const first = await serviceForTest(engine, env);
    await done(first.admin.put('/node/n1', {}));
    await done(first.admin.put('/node/n1/bmc', mock('n1')));
    await done(first.admin.put('/node/old', {}));
    await done(first.admin.put('/node/old/bmc', mock('old')));
    // As versions before stored it.
    const port = await freePort();
    const old = `update nodes set obm_uri = 'http://127.0.0.1:${port}/node/old' where label = 'old'`;
    await runSql(first, { sqlite: old, postgres: old });
    await first.stop();
    const second = await first.restart({ CORRAL_OBMD: `127.0.0.1:${port}` });
    onTestFinished(() => second.stop());
    expect(await storedUri(second, 'old')).toBe('http://inside.invalid/node/old');
    for (const node of ['n1', 'old']) await done(second.admin.post(`/node/${node}/bmc/test`));
  });

  it('has one node for each address, however it is written', async () => {
    const service = await serviceForTest(engine, env);
    await makeProject(service, 'red');
    const ada = await makeUser(service, 'ada', 'red');
    await done(service.admin.put('/node/n1', {}));
    await done(service.admin.put('/node/n1/bmc', mock('n1')));
    await done(service.admin.put('/node/n2', { obmd: { uri: `${service.obmdUrl}/node/n1`, admin_token: 'any' } }));
    for (const node of ['n1', 'n2']) await reserve(service, 'red', node);
    await done(ada.put('/node/n1/obm', { enabled: true }));
    expect(await ada.put('/node/n2/obm', { enabled: true })).toMatchObject({
      status: 409,
      text: expect.stringContaining('same OBM address as node n1') as string,
    });
  });

  it('is called where outbound.allow permits other daemons nothing', async () => {
    const { admin } = await serviceForTest(engine, { ...env, CORRAL_OUTBOUND_ALLOW: '192.0.2.0/24' });
    await done(admin.put('/node/n1', {}));
    await done(admin.put('/node/n1/bmc', mock('n1')));
    await done(admin.post('/node/n1/bmc/test'));
    expect((await admin.put('/node/n2', { obmd: { uri: 'http://127.0.0.1:9/n2', admin_token: 'x' } })).status).toBe(
      400,
    );
  });

  it('that runs no more is named as what is missing', async () => {
    const first = await serviceForTest(engine, env);
    await done(first.admin.put('/node/n1', {}));
    await first.stop();
    const second = await first.restart({ CORRAL_OBMD: 'off' });
    onTestFinished(() => second.stop());
    expect(await second.admin.post('/node/n1/bmc/test')).toMatchObject({
      status: 502,
      text: expect.stringMatching(/CORRAL_OBMD|no process of the service has the BMCs/) as string,
    });
    expect(await second.admin.get('/node/n1/obmd')).toMatchObject({
      body: { uri: 'http://inside.invalid/node/n1', inside: true },
    });
    expect((await second.admin.put('/node/n2', {})).status).toBe(400);
  });
});

/** Two services on one PostgreSQL; the second one waits. */
const twoServices = async (settings: Readonly<Record<string, string>>[]): Promise<[Service, Service]> => {
  const [one = {}, two = {}] = settings;
  const first = await serviceForTest('postgres', { ...env, ...one });
  await done(first.admin.put('/node/n1', {}));
  await done(first.admin.put('/node/n1/bmc', mock('n1')));
  const second = await first.restart({ ...env, ...two });
  onTestFinished(() => second.stop());
  return [first, second];
};

describe.runIf(engines.includes('postgres'))('a standby of the OBM daemon inside the service', () => {
  it('on another machine says that it cannot reach the daemon, and what to set', async () => {
    const [first, second] = await twoServices([]);
    await done(second.admin.post('/node/n1/bmc/test'));
    await makeProject(first, 'red');
    await makeUser(first, 'ada', 'red');
    await reserve(first, 'red', 'n1');
    await done(first.as('ada').put('/node/n1/obm', { enabled: true }));
    await change(first, `update obmd_owner set network = 'another'`);
    expect(await second.admin.post('/node/n1/bmc/test')).toMatchObject({
      status: 502,
      text: expect.stringMatching(new RegExp(`on ${hostname()} .*CORRAL_OBMD_URL`)) as string,
    });
    // Which machines there are is no business of tenants.
    const told = await second.as('ada').get('/node/n1/power_status');
    expect(told).toMatchObject({ status: 502, text: expect.stringContaining('obmd.url') as string });
    expect(told.text).not.toContain(hostname());
    // The one that has them needs nobody for it.
    await done(first.admin.post('/node/n1/bmc/test'));
  });

  it('that is led to a daemon of another database says so, and tells no secret', async () => {
    const [first, second] = await twoServices([]);
    const other = await startServiceWithDaemon('postgres', 'inside');
    onTestFinished(() => other.stop());
    await change(first, `update obmd_owner set url = '${other.daemonUrl}'`);
    const answer = await second.admin.post('/node/n1/bmc/test');
    expect(answer).toMatchObject({
      status: 502,
      text: expect.stringContaining('works on another database') as string,
    });
  });

  it('speaks TLS where the address says so', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'corral-tls-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const files = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') };
    await writeFile(files.cert, labCertificate);
    await writeFile(files.key, labKey);
    const port = await freePort();
    const tls = { CORRAL_OBMD_TLS_CERT: files.cert, CORRAL_OBMD_TLS_KEY: files.key };
    const url = { CORRAL_OBMD: `127.0.0.1:${port}`, CORRAL_OBMD_URL: `https://localhost:${port}` };
    const trust = { CORRAL_OBM_CA: files.cert };
    const [first, second] = await twoServices([
      { ...tls, ...url, ...trust },
      { ...tls, ...trust, CORRAL_OBMD_URL: '' },
    ]);
    expect((await second.admin.get('/node/n1/obmd')).body).toMatchObject({ uri: `https://localhost:${port}/node/n1` });
    for (const { admin } of [first, second]) await done(admin.post('/node/n1/bmc/test'));
    const third = await first.restart({ ...env, CORRAL_OBMD_URL: '', CORRAL_OBM_CA: '' });
    onTestFinished(() => third.stop());
    expect(await third.admin.post('/node/n1/bmc/test')).toMatchObject({
      status: 502,
      text: expect.stringContaining('obm.ca') as string,
    });
  });
});

describe('the address of the OBM daemon for other machines', () => {
  const settings = (more: Readonly<Record<string, string>>) => () =>
    loadConfig({ CORRAL_OBMD: '10.0.0.5:8080', ...more });

  it('has TLS, or the operator has said that it has none', () => {
    const url = 'http://10.0.0.5:8080';
    expect(settings({ CORRAL_OBMD_URL: url })).toThrow(
      /obmd\.url: "http:\/\/10\.0\.0\.5:8080" has no TLS.*obmd\.allow_http/,
    );
    expect(settings({ CORRAL_OBMD_URL: url, CORRAL_OBMD_ALLOW_HTTP: 'true' })().obmd?.url).toBe(url);
    for (const fine of ['https://10.0.0.5:8080', 'http://127.0.0.2:8080', 'http://[::1]:8080'])
      expect(settings({ CORRAL_OBMD_URL: fine })().obmd?.url).toBe(fine);
    expect(settings({})().obmd?.url).toBeNull();
  });

  it.each(['10.0.0.5:8080', 'ftp://10.0.0.5', 'https://a:8080/path', 'https://user@a:8080', 'https://'])(
    'is not %s',
    (url) => expect(settings({ CORRAL_OBMD_URL: url })).toThrow(/CORRAL_OBMD_URL: .*without a path/),
  );
});
