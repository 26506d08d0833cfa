import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { labCertificate, labKey } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type EngineName, engines } from '../support/services/engines.ts';
import { basic, type Client } from '../support/http/http-client.ts';
import { type ServiceWithDaemon, startServiceWithDaemon } from '../support/obm/service-with-daemon.ts';
import { orders, setObm } from '../support/services/obm-rack.ts';
import { Talker } from '../support/obm/console-talker.ts';
import { Watcher } from '../support/obm/console-watcher.ts';
import { done, makeProject, makeUser, reserve } from '../support/services/world.ts';

const soon = { timeout: 15_000, interval: 10 };

interface Trial {
  readonly household: ServiceWithDaemon;
  readonly alice: Client;
}

/** The daemon with a certificate that only this authority vouches for, and a service that was told of it or not. */
const start = async (engine: EngineName, knows: 'the authority' | 'nobody'): Promise<Trial> => {
  const directory = await mkdtemp(join(tmpdir(), 'corral-tls-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const files = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') };
  await writeFile(files.cert, labCertificate);
  await writeFile(files.key, labKey);
  const household = await startServiceWithDaemon(engine, engine === 'sqlite' ? 'inside' : 'beside', {
    CORRAL_OBM_TIMEOUT: '20',
    CORRAL_OBMD_TLS_CERT: files.cert,
    CORRAL_OBMD_TLS_KEY: files.key,
    ...(knows === 'nobody' ? {} : { CORRAL_OBM_CA: files.cert }),
  });
  onTestFinished(() => household.stop());
  await makeProject(household.service, 'red');
  const alice = await makeUser(household.service, 'alice', 'red');
  await household.addNode('n1', 'mock', { addr: `tls-${engine}` });
  await reserve(household.service, 'red', 'n1');
  return { household, alice };
};

describe.each(engines)('a daemon that speaks TLS, on %s', (engine) => {
  it('is talked to if its authority is known', async () => {
    const { household, alice } = await start(engine, 'the authority');
    expect(household.daemonUrl).toMatch(/^https:/);
    await setObm(alice, true);
    for (const [, order] of orders) await done(order(alice));
    await done(alice.post('/node/n1/power_on'));
    const watcher = new Watcher(household.service, alice);
    await expect.poll(() => watcher.text, soon).toContain('tick');
    const talker = new Talker(household.service, alice);
    await expect.poll(() => talker.status, soon).toBe(101);
    talker.type('by way of TLS');
    await expect.poll(() => talker.text, soon).toContain('by way of TLS');
    await setObm(alice, false);
    await expect.poll(() => talker.end?.code, soon).toBe(4000);
  });

  it('is not talked to otherwise, and what is wrong is said', async () => {
    const { household, alice } = await start(engine, 'nobody');
    const answer = await alice.put('/node/n1/obm', { enabled: true });
    expect(answer, answer.text).toMatchObject({ status: 502, body: { type: 'OBMError' } });
    expect(answer.text).toContain('certificate');
    expect(answer.text).toContain('obm.ca');
    expect((await alice.get('/node/n1/power_status')).status).toBe(409);
    expect(household.log()).not.toContain(household.adminToken);
  });

  it('answers those who offer another protocol as if they had not', async () => {
    const { household } = await start(engine, 'the authority');
    const headers = {
      authorization: basic('admin', household.adminToken),
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
    };
    const body = JSON.stringify({ type: 'mock', info: { addr: 'another' } });
    const status = await new Promise<number>((resolve, reject) => {
      const options = { method: 'PUT', headers, ca: labCertificate, agent: false };
      const sent = request(`${household.daemonUrl}/node/n2`, options, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      });
      sent.once('error', reject).end(body);
    });
    expect(status).toBe(200);
  });
});
