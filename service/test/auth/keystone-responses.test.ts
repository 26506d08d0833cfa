import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EngineName, engines } from '../support/services/engines.ts';
import type { Answer } from '../support/http/http-client.ts';
import { keystoneEnv, withToken } from '../support/identity/shared-keystone.ts';
import {
  describedToken,
  inSeconds,
  openScriptedKeystone,
  type Reaction,
} from '../support/identity/scripted-keystone.ts';
import { type Service, startService } from '../support/services/service.ts';
import { done, makeProject } from '../support/services/world.ts';

/** What no Keystone says, or none that is well. */
const odd: readonly (readonly [string, Reaction])[] = [
  ['a page in place of JSON', { status: 200, body: '<html>' }],
  ['nothing', { status: 200 }],
  ['no object', { status: 200, body: [] }],
  ['no token', { status: 200, body: { token: null } }],
  ['no user', { status: 200, body: { token: describedToken({ user: undefined }) } }],
  ['no expiry', { status: 200, body: { token: describedToken({ expires_at: null }) } }],
  ['an expiry that is no time', { status: 200, body: { token: describedToken({ expires_at: 'never' }) } }],
  ['a project whose id is no id', { status: 200, body: { token: describedToken({ project: { id: '../red' } }) } }],
  ['roles that are no list', { status: 200, body: { token: describedToken({ roles: 'admin' }) } }],
  ['far too much', { status: 200, body: { token: describedToken({ more: 'x'.repeat(300_000) }) } }],
  ['204', { status: 204 }],
  ['a redirect', { status: 302, headers: { location: '/v3/auth/tokens?elsewhere' } }],
  ['400', { status: 400, body: { error: { code: 400, message: 'what?', title: 'Bad Request' } } }],
  ['403', { status: 403, body: { error: { code: 403, message: 'not you', title: 'Forbidden' } } }],
  ['404 of something that is no Keystone', { status: 404, body: '<h1>Not Found</h1>' }],
  ['429', { status: 429, body: { error: { code: 429, message: 'slowly', title: 'Too Many Requests' } } }],
  ['500', { status: 500, body: { error: { code: 500, message: 'oops', title: 'Internal Server Error' } } }],
  ['502 of a proxy', { status: 502, body: '<html>' }],
  ['nothing before it hangs up', 'drop'],
];

/** One service and the Keystone that it asks, for a whole suite. */
const sharedPair = (engine: EngineName) => {
  let pair: { script: Awaited<ReturnType<typeof openScriptedKeystone>>; service: Service } | null = null;
  const both = () => {
    if (pair === null) throw new Error('both are started before the first test');
    return pair;
  };
  beforeAll(async () => {
    const script = await openScriptedKeystone();
    pair = { script, service: await startService(engine, keystoneEnv(script)) };
    await makeProject(pair.service, 'red');
  });
  afterAll(async () => {
    const { service, script } = both();
    await service.stop();
    script.close();
    await rm(service.dataDir, { recursive: true, force: true });
  });
  return { script: () => both().script, service: () => both().service };
};

/** What Keystone says to a token that it does not know: one of ours here. */
const unknown: Reaction = { status: 401, body: { error: { code: 401, message: 'who?', title: 'Unauthorized' } } };

describe.each(engines)('the answers of a Keystone on %s', (engine) => {
  const { script, service } = sharedPair(engine);
  let count = 0;
  let token = '';
  let logged = 0;
  beforeEach(() => {
    token = `token-of-alice-${(count += 1)}`;
    logged = service().log.length;
    script().logIn = (good) => good;
    script().describe = (_, good) => good;
  });
  const log = () => service().log.slice(logged).join('');
  const ask = (): Promise<Answer> => withToken(service(), token).get('/project/red/nodes');
  const expectUnavailable = ({ status, body }: Answer): void =>
    expect([status, body]).toEqual([
      503,
      {
        type: 'UnavailableError',
        msg: expect.stringMatching(/^Keystone .*(cannot be validated|validate tokens); /) as string,
      },
    ]);

  it.each(odd)('to a question, if they are %s, make a 503, and the log has the details', async (_, reaction) => {
    script().describe = () => reaction;
    const asked = script().questions.length;
    expectUnavailable(await ask());
    expect(log()).toMatch(/"level":40.*"message":"Keystone: [^"]+"/);
    expect(log()).not.toMatch(/token-of-alice|own-\d|own password/);
    expect(script().questions).toHaveLength(asked + (reaction === 'drop' ? 2 : 1));
    script().describe = (_subject, good) => good;
    expect((await ask()).status).toBe(200);
  });

  it.each([
    ...odd.filter(([what]) => !/user|project|roles/.test(what)),
    ['201 without a token', { status: 201, body: { token: describedToken() } }],
    ['201 and a token that is none', { status: 201, headers: { 'x-subject-token': 'a b' }, body: {} }],
  ] as const)('to our own log-in, if they are %s, make a 503, and we log in again at the next call', async (_, odd) => {
    script().describe = () => unknown;
    script().logIn = () => odd;
    expectUnavailable(await ask());
    expect(log()).toMatch(/"level":40.*"message":"Keystone: [^"]+"/);
    expect(log()).not.toMatch(/token-of-alice|own-\d|own password/);
    script().describe = (_subject, good) => good;
    script().logIn = (good) => good;
    expect((await ask()).status).toBe(200);
  });

  it('that repeat tokens do not bring them into the log', async () => {
    script().describe = (subject) => ({
      status: 500,
      body: { error: { message: `${script().questions.at(-1)?.own ?? ''} asked about ${subject}` } },
    });
    expectUnavailable(await ask());
    expect(log()).toContain('Keystone: status 500: … asked about …');
  });

  it.each([
    ['that is over by our clock', { expires_at: inSeconds(-1) }],
    ['until a time that is none', { expires_at: '2026-99-99T99:99:99Z' }],
    ['of a project that acts as a domain', { is_domain: true, roles: [{ name: 'admin' }] }],
    ['without a project', { project: undefined, roles: [{ name: 'admin' }] }],
    ['of only a part of the system', { project: undefined, system: { all: false }, roles: [{ name: 'admin' }] }],
  ])('that call a token good %s do not make it so', async (_, changes) => {
    script().describe = () => ({ status: 200, body: { token: describedToken(changes) } });
    expect((await ask()).status).toBe(401);
  });

  it.each([
    ['long ago', inSeconds(-86_400), 401],
    ['at a time that is none', '2026-99-99T99:99:99Z', 401],
    ['a while ago', inSeconds(-3_000), 200],
    ['at a time that they do not tell', undefined, 200],
  ])('that call a token good which was made %s: API tokens count from then', async (_, issued_at, status) => {
    script().describe = () => ({ status: 200, body: { token: describedToken({ issued_at }) } });
    expect((await ask()).status).toBe(200);
    const made = await withToken(service(), token).put(`/auth/token/${token}`, {});
    expect(made.status, made.text).toBe(status);
  });

  it('tell until when a token is good, and so does whoami', async () => {
    const expires_at = inSeconds(1234);
    script().describe = () => ({ status: 200, body: { token: describedToken({ expires_at }) } });
    const { body } = await withToken(service(), `token-${Math.random()}`).get('/auth/whoami');
    expect(body).toMatchObject({ by: 'credentials', expires_at: new Date(expires_at).toISOString() });
  });

  it('with odd names of users cannot make one look like another, nor write lines into logs', async () => {
    const nameOf = async (name: string, domain: string): Promise<string> => {
      const user = { id: 'u1', name, domain: { name: domain } };
      script().describe = () => ({ status: 200, body: { token: describedToken({ user }) } });
      const client = withToken(service(), `token-${Math.random()}`);
      const network = `network-${Math.random()}`;
      await done(client.put(`/network/${network}`, { owner: 'red', access: 'red', net_id: '' }));
      const { body } = await done(service().admin.get('/events?limit=1'));
      return (body as { events: [{ caller: string }] }).events[0].caller;
    };
    expect(await nameOf('ada@example.org', 'Default')).toBe('keystone:ada@example.org@Default');
    expect(await nameOf('ada', 'example.org@Default')).toBe('keystone:ada@example.org%40Default');
    expect(await nameOf('a\r\nb\0\u202e%0D', 'D\u2028')).toBe('keystone:a%0D%0Ab%00%202E%250D@D%2028');
    expect(await nameOf('ünï 日本 🐎', 'Ä')).toBe('keystone:ünï 日本 🐎@Ä');
  });
});
