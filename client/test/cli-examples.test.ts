import { startCiscoIos, startLabObmd } from '@corral/lab';
import { expect, it, onTestFinished } from 'vitest';
import { adminPassword, serviceForTest } from '../../service/test/support/services/service.ts';
import { done, makeProject } from '../../service/test/support/services/world.ts';
import { commands } from '../src/cli/commands/all-commands.ts';
import { shellForTest } from './support/shell.ts';

/** Every command, in an order in which each finds what it is about. */
const order: readonly string[] = [
  ...['switch register', 'switch list', 'switch types', 'switch show', 'switch test', 'port register'],
  ...['node register', 'node nic register', 'port nic add', 'node metadata add', 'project create', 'project list'],
  ...[
    'user create',
    'login',
    'profile list',
    'profile use',
    'logout',
    'user list',
    'user set-admin',
    'user password',
    'user project add',
  ],
  ...['quota set', 'quota list', 'quota delete', 'usage'],
  ...['network create', 'network list', 'network show', 'project list-networks', 'network grant-access'],
  ...['network revoke-access', 'node list', 'project node add', 'project node list', 'node network connect'],
  ...[
    'node show',
    'port show',
    'reach',
    'network list-attachments',
    'switch sweep',
    'drift',
    'wiring check',
    'switch policy',
    'switch update',
    'events',
  ],
  ...[
    'networking-action list',
    'networking-action show',
    'export',
    'apply',
    'node obm enable',
    'node power on',
    'node power status',
  ],
  ...['node power cycle', 'node bootdev', 'node power off', 'node console show', 'node obm disable'],
  ...['node network detach', 'port revert', 'headnode list-images', 'headnode create', 'headnode nic create'],
  ...['headnode network connect', 'headnode network detach', 'headnode nic delete', 'headnode list', 'headnode start'],
  ...['headnode show', 'headnode stop', 'headnode delete', 'whoami', 'token create', 'token list', 'token revoke'],
  ...['subscription create', 'subscription list', 'subscription show', 'subscription update', 'subscription pause'],
  ...['subscription resume', 'subscription rotate-secret', 'subscription dead-letters', 'subscription delete'],
  ...['mail set', 'mail show', 'subscription mail', 'mail off', 'mail on', 'mail remove'],
  ...['session list', 'session end', 'extension list', 'completion', '__complete', 'port nic remove'],
  ...[
    'node metadata delete',
    'node nic delete',
    'node delete',
    'port delete',
    'switch delete',
    'project node remove',
    'release',
    'project release list',
    'project release show',
  ],
  ...['network delete', 'project delete', 'user project remove', 'user delete'],
];

/**
 * These are run with what they need by other tests: a machine that the service does not know (`drift-commands.test.ts`),
 * nodes that fit a claim (`claim-commands.test.ts`), nodes that are cleaned (`cleaning-commands.test.ts`), an OBM daemon
 * inside the service (`bmc-commands.test.ts`), a terminal (`terminal-console.test.ts`), a receiver of webhooks
 * (`subscription-commands.test.ts`).
 */
const elsewhere = [
  'headnode leftover delete',
  'node console',
  ...['claim nodes', 'claim list', 'claim show', 'claim cancel'],
  ...['subscription test', 'subscription resend'],
  ...['cleaning list', 'cleaning show', 'cleaning retry', 'cleaning skip', 'node quarantine'],
  ...['bmc register', 'bmc show', 'bmc list', 'bmc delete', 'bmc test', 'bmc types'],
];

it('the example in the help of every command works', { timeout: 120_000 }, async () => {
  // A busy machine takes longer for a login by SSH than a service in tests waits.
  const service = await serviceForTest('sqlite', {
    CORRAL_ENGINE_DEVICE_TIMEOUT: '30',
    CORRAL_WEBHOOKS_PROJECT_TARGETS: 'ci.example.org',
    CORRAL_MAIL_HOST: '127.0.0.1',
    CORRAL_MAIL_FROM: 'corral@example.org',
  });
  const obmd = await startLabObmd({ adminToken: 'token of the lab', tickMs: 20 });
  onTestFinished(() => obmd.close());
  for (const node of ['n1', 'node-12']) obmd.add(node);
  const device = await startCiscoIos();
  onTestFinished(() => device.stop());

  const mock = { type: 'mock', hostname: 'tor-1', username: 'u', password: 'p' };
  await done(service.admin.put('/switch/tor-1', mock));
  await done(service.admin.put('/switch/tor-1/port/gi1/0/3'));
  await done(
    service.admin.put('/node/node-12', { obmd: { uri: obmd.uri('node-12'), admin_token: 'token of the lab' } }),
  );
  await done(service.admin.put('/node/node-12/nic/eth0', { macaddr: '52:54:00:00:00:0c' }));
  await done(service.admin.post('/switch/tor-1/port/gi1/0/3/connect_nic', { node: 'node-12', nic: 'eth0' }));
  await makeProject(service, 'physics');
  await done(service.admin.put('/network/campus', { owner: 'admin', access: '', net_id: '' }));
  const signedIn = await fetch(`${service.url}/v0/auth/session`, {
    method: 'POST',
    headers: { origin: service.url },
    body: JSON.stringify({ username: 'admin', password: adminPassword }),
  });
  expect(signedIn.status).toBe(200);

  const shell = await shellForTest();
  const env = { CORRAL_ENDPOINT: service.url, CORRAL_USERNAME: 'admin', CORRAL_PASSWORD: adminPassword };
  const read = async <T>(line: string): Promise<T> => JSON.parse((await shell(`${line} --json`, { env })).out) as T;
  /** What stands in an example for something of this site. */
  const here: Readonly<Record<string, string | (() => Promise<string>)>> = {
    pw: await shell.file('pw', String(device.fields['password'])),
    'new-pw': await shell.file('new-pw', 'another password'),
    token: await shell.file('token', 'token of the lab'),
    'site.yaml': `${shell.home}/site.yaml`,
    'hostname=192.0.2.1': `hostname=127.0.0.1 port=${String(device.fields['port'])}`,
    'http://127.0.0.1:8080/node/n1': obmd.uri('n1'),
    'http://127.0.0.1:5000': service.url,
    '62b8ac25-1299-4b08-8f1f-f7fdf99d201d': async () =>
      (await read<{ status_id: string }>('port revert sw1 gi1/0/11 --no-wait')).status_id,
    '1f0c6a52-9d3e-4c1b-8a57-2f6f0f4f1f00': async () => {
      await done(service.admin.post('/project/astronomy/connect_node', { node: 'node-12' }));
      return (await read<{ release: string }[]>('release node-12'))[0]?.release ?? '';
    },
    '12': async () => (await read<{ session: string }[]>('session list'))[0]?.session ?? '',
  };
  const substituted = async (word: string, index: number): Promise<string> => {
    const there = index > 0 && Object.hasOwn(here, word) ? here[word] : undefined;
    return typeof there === 'function' ? there() : (there ?? word);
  };

  for (const name of order) {
    const command = commands.find(({ words }) => words.join(' ') === name);
    const words = await Promise.all((command?.example ?? '').split(' ').map(substituted));
    const line = `${words.join(' ')}${command?.options?.['wait'] ? ' --wait' : ''}`;
    const watching = new AbortController();
    const isEndless = name === 'node console show';
    const timer = isEndless ? setTimeout(() => watching.abort(), 1_000) : undefined;
    const ran = await shell(line, {
      env: ['login', 'logout', 'profile list', 'profile use'].includes(name) ? {} : env,
      signal: watching.signal,
    });
    clearTimeout(timer);
    expect(ran.code, `corral ${line}: ${ran.err}`).toBe(isEndless ? 130 : 0);
  }
  const all = commands.map(({ words }) => words.join(' '));
  expect(all.filter((name) => !order.includes(name)).sort()).toEqual([...elsewhere].sort());
});
