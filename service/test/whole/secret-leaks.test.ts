import { randomBytes } from 'node:crypto';
import type { Settings } from '@corral/base/config/setting';
import { rm } from 'node:fs/promises';
import { startLabObmd } from '@corral/lab';
import { bmcDrivers } from '@corral/obmd/drivers/bmc-drivers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settings } from '../../src/config/service-settings.ts';
import { isStream } from '../../src/server/route-reply.ts';
import { routeGroups } from '../../src/server/routes/all-routes.ts';
import { Canaries } from '../support/secret-leaks/canary-secrets.ts';
import { bodiesOf, pathOf } from '../support/secret-leaks/secret-fields.ts';
import { storedIn, watchCommandLines } from '../support/secret-leaks/stored-secrets.ts';
import { askSwitches, type Caller } from '../support/secret-leaks/canary-switches.ts';
import { type Echo, startHttpEcho, startSshEcho } from '../support/secret-leaks/echo-devices.ts';
import { engines, freshPostgres } from '../support/services/engines.ts';
import { basic } from '../support/http/http-client.ts';
import { type Service, startService } from '../support/services/service.ts';

const all: Settings = settings;
const secretSettings = Object.keys(all).filter((key) => all[key]?.takes.isSecret);
const bmcTypes = Object.entries(bmcDrivers).filter(([, { secrets }]) => secrets.length > 0);

describe.each(engines)('a secret on %s', (engine) => {
  const canaries = new Canaries();
  const answers: (readonly [place: string, text: string, allowed: readonly string[]])[] = [];
  let service: Service;
  let web: Echo;
  let ssh: Echo;
  let stream = '';
  let commandLines = '';
  let stored: Awaited<ReturnType<typeof storedIn>> = [];
  let metrics = '';

  const call: Caller = async (method, path, headers, body, shows = []) => {
    const response = await fetch(`${service.url}/v0${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const head = JSON.stringify([...response.headers]);
    const place = `answer to ${method} ${path.replace(/\?.*/, '')}: ${response.status}`;
    answers.push([place, `${head} ${text}`, shows]);
    return { status: response.status, text, headers: response.headers };
  };
  const must: Caller = async (method, path, ...rest) => {
    const answer = await call(method, path, ...rest);
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
    return answer;
  };

  const adminPassword = canaries.make('setting admin_password');
  const admin = { authorization: basic('admin', adminPassword) };
  const obmdToken = canaries.make('setting obmd.admin_token');
  const url = { password: canaries.make('setting database_url') };
  const webhookKey = randomBytes(32).toString('base64');
  canaries.note('setting cleaning.webhook_secret', webhookKey);

  /** Passwords, sessions and tokens: right ones, wrong ones, and those that are no more. */
  const comeAndGo = async (): Promise<void> => {
    const [first, second, wrong] = ['first', 'second', 'wrong'].map((name) => canaries.make(`${name} password`));
    const path = '/auth/basic/user/ada';
    const page = { origin: service.url };
    await must('PUT', path, admin, { password: first });
    await call('PUT', path, admin, { password: second });
    const ada = { authorization: basic('ada', first ?? '') };
    await call('PUT', `${path}/password`, ada, { password: second, current: wrong });
    await call('PUT', `${path}/password`, ada, { password: first, current: first });
    await must('PUT', `${path}/password`, ada, { password: second, current: first });
    await call('GET', '/projects', ada);
    await call('POST', '/auth/session', page, { username: 'ada', password: wrong });
    const opened = await must('POST', '/auth/session', page, { username: 'ada', password: second }, ['session cookie']);
    const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    canaries.note('session cookie', cookie.split('=')[1] ?? '');
    await must('GET', '/auth/sessions', { cookie });
    await call('GET', '/projects', { cookie: `${cookie.slice(0, -2)}xx` });
    const made = await must('PUT', '/auth/token/script', { ...page, cookie }, {}, ['API token']);
    const { token } = JSON.parse(made.text) as { token: string };
    canaries.note('API token', token.replace(/^corral_/, ''));
    await must('GET', '/auth/tokens', { cookie });
    await must('GET', '/auth/whoami', { authorization: `Bearer ${token}` });
    await call('PUT', `${path}/password`, { authorization: `Bearer ${token}` }, { password: first, current: second });
    await must('PUT', `${path}/password`, admin, { password: first });
    await call('GET', '/auth/whoami', { authorization: `Bearer ${token}` });
    await call('GET', '/auth/whoami', { cookie });
    for (let count = 0; count < 8; count += 1) {
      const guess = canaries.make(`guess ${count}`);
      await call('GET', '/projects', { authorization: basic('ada', guess) });
    }
    const odd = canaries.make('odd credentials');
    for (const scheme of ['Bearer', 'Basic', 'Digest', 'bearer ']) {
      await call('GET', '/projects', { authorization: `${scheme} ${odd}` });
    }
    await call('GET', '/projects', { 'x-auth-token': canaries.make('Keystone token') });
    await call('GET', '/projects', { 'x-auth-token': odd, authorization: `Bearer ${odd}` });
    const claims = Buffer.from(JSON.stringify({ iss: 'x' })).toString('base64url');
    await call('GET', '/projects', { authorization: `Bearer e30.${claims}.${canaries.make('JWT').slice(3)}` });
  };

  /** OBM through a daemon that works, one that says back all that it is sent, and our own with such BMCs. */
  const useObm = async (): Promise<void> => {
    const labToken = canaries.make('admin token of a daemon');
    const lab = await startLabObmd({ adminToken: labToken });
    const machine = lab.add('good');
    const nodes = [{ node: 'good', uri: lab.uri('good'), admin_token: labToken }];
    for (const status of [302, 400, 404, 500, 503]) {
      const uri = `http://127.0.0.1:${web.port}/e${status}/node`;
      nodes.push({ node: `echo-${status}`, uri, admin_token: canaries.make(`admin token of echo ${status}`) });
    }
    for (const [type, { secrets }] of bmcTypes) {
      const secret = Object.fromEntries(
        secrets.map((name) => [name, canaries.make(`${name} of a BMC of type ${type}`)]),
      );
      const where = type === 'ipmi' ? { addr: '127.0.0.1', port: web.port } : { url: `http://127.0.0.1:${web.port}` };
      const uri = `${service.obmdUrl ?? ''}/node/${type}`;
      for (const extra of [{}, { unknown: 1 }]) {
        const response = await fetch(uri, {
          method: 'PUT',
          headers: { authorization: basic('admin', obmdToken) },
          body: JSON.stringify({ type, info: { ...where, user: 'operator', ...secret, ...extra } }),
        });
        answers.push([`answer of the daemon to ${type}`, await response.text(), []]);
      }
      nodes.push({ node: `bmc-${type}`, uri, admin_token: obmdToken });
    }
    const passOfBmc = canaries.make('password of a BMC, through the service');
    const use = async ({ node, uri, admin_token }: (typeof nodes)[number]): Promise<void> => {
      await must('PUT', `/node/${node}`, admin, { obmd: { uri, admin_token } });
      await call('PUT', `/node/${node}/obm`, admin, { enabled: true });
      await call('GET', `/node/${node}/power_status`, admin);
      await call('POST', `/node/${node}/power_cycle`, admin, { force: true });
      await call('PUT', `/node/${node}/boot_device`, admin, { bootdev: 'disk' });
      const console = await fetch(`${service.url}/v0/node/${node}/console`, { headers: admin });
      if (console.status < 300) await console.body?.cancel();
      else answers.push([`console of ${node}`, await console.text(), []]);
      await call('GET', `/node/${node}`, admin);
      await call('PUT', `/node/${node}/obmd`, admin, { uri: 'nonsense', admin_token });
      await call('PUT', `/node/${node}/obm`, admin, { enabled: false });
      // Through the service, with a password that the daemon or the BMC may repeat.
      for (const pass of [passOfBmc, [passOfBmc]]) {
        const info = { url: `http://127.0.0.1:${web.port}`, user: 'operator', pass, system: node };
        await call('PUT', `/node/${node}/bmc`, admin, { type: 'redfish', info });
      }
      await call('GET', `/node/${node}/bmc`, admin);
      await call('POST', `/node/${node}/bmc/test`, admin);
      await call('DELETE', `/node/${node}/bmc`, admin);
    };
    await Promise.all(nodes.map(use));
    for (const [index, token] of machine.tokens.entries()) canaries.note(`token ${index} of a node`, token);
    await lab.close();
  };

  /** Every call there is, by anybody, with secrets where they belong and where they do not. */
  const tryRoutes = async (): Promise<void> => {
    const stray = canaries.make('stray secret');
    const ada = { authorization: basic('ada', canaries.make('another wrong password')) };
    for (const route of routeGroups.flatMap(({ routes }) => routes)) {
      if (isStream(route.reply)) continue;
      const path = pathOf(route);
      await call(route.method, `${path}?token=${encodeURIComponent(stray)}&password=${stray}`, admin);
      for (const headers of [{}, ada]) await call(route.method, path, headers);
      if (route.method === 'GET') continue;
      for (const body of bodiesOf(route, stray)) await call(route.method, path, admin, body);
    }
    await call('GET', `/nowhere?token=${stray}`, admin);
  };

  let leaveSwitches = (): Promise<unknown> => Promise.resolve();
  beforeAll(async () => {
    const tokenOfEcho = canaries.make('token of a node').slice(3);
    [web, ssh] = await Promise.all([startHttpEcho(() => tokenOfEcho), startSshEcho()]);
    const echo = `http://127.0.0.1:${web.port}`;
    const database =
      engine === 'postgres'
        ? { CORRAL_DATABASE_URL: (await freshPostgres()).replace('@', `:${encodeURIComponent(url.password)}@`) }
        : {};
    service = await startService(engine, {
      CORRAL_ADMIN_PASSWORD: adminPassword,
      CORRAL_OBMD: '127.0.0.1:0',
      CORRAL_OBMD_ADMIN_TOKEN: obmdToken,
      CORRAL_ENGINE_DEVICE_TIMEOUT: '4',
      CORRAL_OBMD_CALL_TIMEOUT: '2',
      CORRAL_OBM_TIMEOUT: '5',
      CORRAL_CLEANING_WEBHOOK_SECRET: `whsec_${webhookKey}`,
      CORRAL_AUTH: 'database, keystone, oidc',
      CORRAL_KEYSTONE_URL: echo,
      CORRAL_KEYSTONE_USERNAME: 'corral',
      CORRAL_KEYSTONE_PROJECT: 'service',
      CORRAL_KEYSTONE_PASSWORD: canaries.make('setting keystone.password'),
      CORRAL_OIDC_ISSUER: echo,
      CORRAL_OIDC_AUDIENCE: 'corral',
      CORRAL_OIDC_CLIENT_ID: 'corral',
      CORRAL_OIDC_CLIENT_SECRET: canaries.make('setting oidc.client_secret'),
      ...database,
    });
    const following = await fetch(`${service.url}/v0/events/stream`, { headers: admin });
    const followed = following.text().catch(() => '');
    await must('PUT', '/project/red', admin);
    await must('PUT', '/network/net', admin, { owner: 'red', access: 'red', net_id: '' });
    await comeAndGo();
    await tryRoutes();
    const watched = watchCommandLines();
    await useObm();
    commandLines = watched.stop();
    leaveSwitches = await askSwitches({ service, canaries, admin, web, ssh, call, must });
    for (let next = ''; ;) {
      const { text } = await must('GET', `/events?limit=1000${next}`, admin);
      const page = JSON.parse(text) as { next: number | null };
      if (page.next === null) break;
      next = `&before=${page.next}`;
    }
    metrics = await (await fetch(`${service.url}/metrics`)).text();
    stored = await storedIn(service);
    await service.stop();
    stream = await followed;
  }, 300_000);

  afterAll(async () => {
    await Promise.all([leaveSwitches(), web.stop(), ssh.stop()]);
    await rm(service.dataDir, { recursive: true, force: true });
  });

  it('of every setting that takes one is looked for', () => {
    const known = [...canaries.names, 'setting keystone.application_credential_secret'];
    expect(secretSettings.filter((key) => !known.includes(`setting ${key}`))).toEqual([]);
  });

  it('was sent to devices that say it back', () => {
    expect(web.count()).toBeGreaterThan(20);
    expect(ssh.count()).toBeGreaterThan(5);
    expect(service.log.join('')).toContain('[secret]');
    expect(answers.length).toBeGreaterThan(500);
    expect(stream).toContain('user_set_password');
  });

  it('is in no line of the log', () => {
    expect(canaries.seenIn('log', service.log.join(''))).toEqual([]);
  });

  it('is in no answer but the one that shows it', () => {
    const [showing, silent] = [
      answers.filter(([, , shows]) => shows.length > 0),
      answers.filter(([, , shows]) => shows.length === 0),
    ];
    expect(showing.flatMap(([place, text, shows]) => canaries.seenIn(place, text, shows))).toEqual([]);
    expect(canaries.seenIn('answers', silent.map(([place, text]) => `${place} ${text}`).join('\n'))).toEqual([]);
  });

  it('is in no event and no metric', () => {
    expect([...canaries.seenIn('stream', stream), ...canaries.seenIn('metrics', metrics)]).toEqual([]);
  });

  it('is in no command line', () => {
    expect(commandLines).toContain('node');
    expect(canaries.seenIn('command lines', commandLines)).toEqual([]);
  });

  it('is not to be read in what is stored', () => {
    expect(stored.length).toBeGreaterThan(1);
    expect(stored.flatMap(([place, text]) => canaries.seenIn(place, text))).toEqual([]);
  });
});
