import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { labCertificate } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { type Answer, clientWith } from '../support/http/http-client.ts';
import { keystoneEnv, withToken } from '../support/identity/shared-keystone.ts';
import {
  describedToken,
  inSeconds,
  type Reaction,
  type ScriptedKeystone,
  startScriptedKeystone,
} from '../support/identity/scripted-keystone.ts';
import { serviceForTest, type Service } from '../support/services/service.ts';
import { message } from '../support/services/shared-service.ts';
import { beginSlowly } from '../support/http/slow-request.ts';
import { eventually, makeProject } from '../support/services/world.ts';

/** Lets no question through until it is opened. */
const gate = () => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const pass: ScriptedKeystone['describe'] = async (_, good) => {
    await opened;
    return good;
  };
  return { open: () => open(), pass };
};

describe.each(engines)('how a Keystone is asked on %s: one', (engine) => {
  const start = async (script: ScriptedKeystone, env: Readonly<Record<string, string>> = {}): Promise<Service> => {
    const service = await serviceForTest(engine, { ...keystoneEnv(script), ...env });
    await makeProject(service, 'red');
    return service;
  };
  const ask = (service: Service, token = 'token-of-alice'): Promise<Answer> =>
    withToken(service, token).get('/project/red/nodes');

  it('that refuses our password is not sent it again and again, which could lock us out', async () => {
    const script = await startScriptedKeystone();
    script.logIn = () => ({ status: 401, body: { error: { message: 'wrong: own password' } } });
    const service = await start(script);
    const begun = performance.now();
    for (let call = 0; call < 10; call += 1) expect((await ask(service, `token-${call}`)).status).toBe(503);
    expect(script.logins.length).toBeLessThanOrEqual(1 + (performance.now() - begun) / 5000);
    expect(service.log.join('')).toContain('wrong: …');
  });

  it('is asked again after a body that was long in coming: a token that was revoked meanwhile changes nothing', async () => {
    const script = await startScriptedKeystone();
    const service = await start(script, { CORRAL_KEYSTONE_CACHE: '0' });
    const slow = await beginSlowly(service, {
      method: 'PUT',
      path: '/network/late',
      headers: { 'x-auth-token': 'token-of-alice' },
      body: { owner: 'red', access: 'red', net_id: '' },
    });
    await eventually(() => script.questions.length === 1 || undefined);
    await eventually(() => script.waiting === 0 || undefined);
    script.describe = () => ({ status: 404, body: { error: { code: 404, message: 'gone', title: 'Not Found' } } });
    const begun = performance.now();
    await expect.poll(() => performance.now() - begun, { timeout: 10_000 }).toBeGreaterThan(2_000);
    expect((await slow.finish()).status).toBe(401);
    expect((await service.admin.get('/networks')).body).not.toHaveProperty('late');
  });

  it('that closes a kept connection is asked once more', async () => {
    const script = await startScriptedKeystone();
    const service = await start(script);
    script.describe = (_, good) => (script.questions.length === 1 ? 'drop' : good);
    expect((await ask(service)).status).toBe(200);
  });

  it('that takes our token no more is asked with a new one; when it takes none, that is a 503', async () => {
    const script = await startScriptedKeystone();
    const service = await start(script, { CORRAL_KEYSTONE_CACHE: '0' });
    expect((await ask(service)).status).toBe(200);
    const refused: Reaction = { status: 401, body: { error: { message: 'who?' } } };
    script.describe = (_, good) => (script.questions.at(-1)?.own === 'own-1' ? refused : good);
    expect((await ask(service)).status).toBe(200);
    expect(script.questions.map(({ own }) => own)).toEqual(['own-1', 'own-1', 'own-2']);
    script.describe = () => refused;
    expect((await ask(service)).status).toBe(503);
    expect(script.questions.map(({ own }) => own).slice(3)).toEqual(['own-2', 'own-3']);
  });

  it('is logged into once by many at a time, and again before our token ends', async () => {
    const script = await startScriptedKeystone();
    const endings: number[] = [];
    script.logIn = (good) => {
      endings.push(Date.now() + 3000);
      const body = { token: describedToken({ expires_at: inSeconds(3) }) };
      return { ...(good as object), status: 201, body };
    };
    let isLate = false;
    script.describe = (_, good) => {
      isLate ||= Date.now() > (endings[Number(script.questions.at(-1)?.own?.slice('own-'.length)) - 1] ?? 0);
      return good;
    };
    const service = await start(script, { CORRAL_KEYSTONE_CACHE: '0' });
    const many = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(service, `token-${index}`)));
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([200]));
    expect(script.logins).toHaveLength(1);
    await eventually(async () => {
      expect((await ask(service)).status).toBe(200);
      return script.logins.length >= 2 ? true : undefined;
    });
    expect(isLate).toBe(false);
  });

  it('is asked once by many who come with one token at the same time', async () => {
    const script = await startScriptedKeystone();
    const { open, pass } = gate();
    script.describe = pass;
    const service = await start(script);
    const many = Array.from({ length: 50 }, () => ask(service));
    await eventually(() => (script.questions.length > 0 ? true : undefined));
    open();
    for (const { status } of await Promise.all(many)) expect(status).toBe(200);
    expect(script.questions).toHaveLength(1);
  });

  it('that hangs makes so many wait and no more; the others get an answer at once', async () => {
    const script = await startScriptedKeystone();
    const service = await start(script);
    expect((await ask(service)).status).toBe(200);
    const { open, pass } = gate();
    script.describe = pass;
    const answers: Answer[] = [];
    const asked = Array.from({ length: 80 }, async (_, index) => answers.push(await ask(service, `token-${index}`)));
    await eventually(() => (answers.length === 16 ? true : undefined));
    for (const { status, body } of answers) {
      expect(status).toBe(503);
      expect(body).toMatchObject({ msg: 'too many tokens are waiting for Keystone; try again' });
    }
    expect(script.waiting).toBeLessThanOrEqual(16);
    expect((await ask(service)).status).toBe(200);
    open();
    await Promise.all(asked);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(64);
  });

  it('that hangs keeps places free for others, however many tokens one address makes up', async () => {
    const script = await startScriptedKeystone();
    const service = await start(script, { CORRAL_TRUSTED_PROXIES: 'loopback' });
    const { open, pass } = gate();
    script.describe = pass;
    const from = (address: string, token: string): Promise<Answer> =>
      clientWith(service.url, { 'x-auth-token': token, 'x-forwarded-for': address }).get('/project/red/nodes');
    const answers: Answer[] = [];
    const crowd = Array.from({ length: 80 }, async (_, index) =>
      answers.push(await from(`2001:db8:7:${index}::1`, `made-up-${index}`)),
    );
    await eventually(() => (answers.length === 72 ? true : undefined));
    for (const { status, body } of answers) {
      expect(status).toBe(429);
      expect(body).toMatchObject({
        msg: expect.stringMatching(/^8 tokens from your address are already waiting for Keystone/) as string,
      });
    }
    const other = from('192.0.2.1', 'token-of-alice');
    await eventually(() => (script.waiting === 9 ? true : undefined));
    open();
    expect((await other).status).toBe(200);
    await Promise.all(crowd);
    expect((await from('2001:db8:7::1', 'another')).status).toBe(200);
  });

  it('is contacted by HTTPS only if its certificate is trusted', async () => {
    const script = await startScriptedKeystone({ tls: true });
    const directory = await mkdtemp(join(tmpdir(), 'corral-keystone-ca-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const ca = join(directory, 'ca.pem');
    await writeFile(ca, labCertificate);
    const stranger = await start(script);
    expect(await message(ask(stranger))).toMatch(/^Keystone's certificate is not trusted here.*keystone\.ca$/);
    expect([script.logins, script.questions]).toEqual([[], []]);
    expect((await ask(await start(script, { CORRAL_KEYSTONE_CA: ca }))).status).toBe(200);
  });
});
