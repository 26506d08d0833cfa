import { expect, onTestFinished } from 'vitest';
import type { EngineName } from '../services/engines.ts';
import { makeHeadnode } from '../headnodes/headnode-helpers.ts';
import { type Client, clientOf } from './http-client.ts';
import { startServiceWithDaemon } from '../obm/service-with-daemon.ts';
import { backstage, oddHypervisor } from '../headnodes/faulty-hypervisor.ts';
import { setObm } from '../services/obm-rack.ts';
import { type Display, Screen, startDisplay } from '../headnodes/screen-client.ts';
import type { Service } from '../services/service.ts';
import { Talker } from '../obm/console-talker.ts';
import { done, makeProject, makeUser, reserve } from '../services/world.ts';

const soon = { timeout: 20_000, interval: 10 };

/** Alice's project red has a node with a console, and a headnode with a screen. */
export interface HttpFixture {
  readonly service: Service;
  readonly alice: Client;
  readonly display: Display;
}

export const httpFixture = async (
  engine: EngineName,
  env: Readonly<Record<string, string>> = {},
): Promise<HttpFixture> => {
  backstage.reset();
  const household = await startServiceWithDaemon(engine, 'inside', {
    CORRAL_OBM_TIMEOUT: '20',
    ...oddHypervisor,
    ...env,
  });
  onTestFinished(() => household.stop());
  const { service } = household;
  await makeProject(service, 'red');
  const alice = await makeUser(service, 'alice', 'red');
  await household.addNode('n1', 'mock', { addr: `front-${engine}` });
  await reserve(service, 'red', 'n1');
  await setObm(alice, true);
  await done(alice.post('/node/n1/power_on'));
  const display = await startDisplay();
  backstage.display = { host: '127.0.0.1', port: display.port };
  await makeHeadnode(service, 'h', 'red');
  await done(alice.post('/headnode/h/start'));
  return { service, alice, display };
};

/** What comes over a stream, as far as it has come. */
export const reading = async (url: string, { headers }: Client): Promise<{ readonly text: string }> => {
  const left = new AbortController();
  const response = await fetch(url, { headers, signal: left.signal });
  expect(response.status).toBe(200);
  onTestFinished(() => left.abort());
  const heard = { text: '' };
  void (async () => {
    for await (const chunk of response.body ?? []) heard.text += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  return heard;
};

/** Every kind of call there is, made at this address by a page that came from there. */
export const tryEverything = async ({ service, alice, display }: HttpFixture, url: string): Promise<void> => {
  const here = { ...service, url };
  const headers = { origin: url };
  const caller = clientOf(url, service.admin.headers['authorization']);
  await done(caller.get('/node/n1'));
  await done(caller.put('/node/n1/metadata/a', { value: 'x'.repeat(100_000) }));

  const events = await reading(`${url}/v0/events/stream`, service.admin);
  await expect.poll(() => events.text, soon).toContain('connected');
  await done(caller.put('/project/blue'));
  await expect.poll(() => events.text, soon).toContain('event: project_create');

  const console = await reading(`${url}/v0/node/n1/console`, alice);
  await expect.poll(() => console.text, soon).toContain('tick');

  const talker = new Talker(here, alice, { headers });
  await expect.poll(() => talker.status, soon).toBe(101);
  talker.type('typed by a person');
  await expect.poll(() => talker.text, soon).toContain('typed by a person');
  talker.leave();

  const [screen, viewer] = await Promise.all([Screen.open(here, alice, 'h', headers), display.viewer()]);
  if (!(screen instanceof Screen)) throw new Error(`refused: ${screen.status} ${screen.msg}`);
  viewer.write('RFB 003.008\n');
  await expect.poll(() => screen.bytes.toString(), soon).toBe('RFB 003.008\n');
  screen.socket.close();
};
