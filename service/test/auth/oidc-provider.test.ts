import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../support/services/engines.ts';
import type { Client } from '../support/http/http-client.ts';
import { type OidcFixture, sharedOidcFixture, signed, startOidcFixture } from '../support/identity/oidc-fixture.ts';
import { message, refusal } from '../support/services/shared-service.ts';
import { eventually } from '../support/services/world.ts';

const keysPath = /^\/jwks$/;
const discoveryPath = /openid-configuration/;
const everything = /^/;
const unavailable = '503 UnavailableError';

describe.each(engines)('the OpenID provider that tokens are from, on %s', (engine) => {
  const installation = sharedOidcFixture(engine);

  /** Somebody whose token is signed with a key that the service has not seen. */
  const stranger = async ({ oidc, user }: OidcFixture): Promise<Client> => {
    oidc.rotate('stay', 'EC');
    return user('ada');
  };
  const comesIn = (client: Client) =>
    eventually(async () => ((await client.get('/nodes/free')).status === 200 ? true : undefined));
  /** The service leaves a provider that failed alone for a moment: the answer to its next question is what counts. */
  const whenAsked = async ({ oidc }: OidcFixture, client: Client): Promise<string> => {
    const before = oidc.asked.length;
    return eventually(async () => {
      const answer = await refusal(client.get('/nodes/free'));
      return oidc.asked.length > before ? answer : undefined;
    });
  };

  it('a new key is good at once, of any kind, and the old one as long as it is published', async () => {
    const { oidc, user } = installation();
    const old = await user('ada');
    expect((await old.get('/nodes/free')).status).toBe(200);
    for (const kind of ['RSA', 'EC', 'OKP'] as const) {
      oidc.rotate('stay', kind);
      expect((await (await user('ada')).get('/nodes/free')).status).toBe(200);
      expect((await old.get('/nodes/free')).status).toBe(200);
    }
  });

  it('a key that is gone is refused as soon as a new one was seen, also for tokens that were good a moment ago', async () => {
    const made = await startOidcFixture(engine);
    onTestFinished(() => made.close());
    const { oidc, user } = made;
    const old = await user('ada');
    expect((await old.get('/nodes/free')).status).toBe(200);
    oidc.rotate('go');
    expect((await (await user('ada')).get('/nodes/free')).status).toBe(200);
    expect(await refusal(old.get('/nodes/free'))).toBe('401 AuthorizationError');
    expect(await message(old.get('/nodes/free'))).toMatch(/a key that the identity provider does not publish/);
  });

  it('the keys are asked for once, however many tokens come, and a service can start before the provider', async () => {
    const made = await startOidcFixture(engine);
    onTestFinished(() => made.close());
    const { oidc, as } = made;
    const tokens = await Promise.all([1, 2, 3, 4, 5].map((sub) => signed(oidc, { claims: { sub: `user ${sub}` } })));
    const [first = ''] = tokens;
    await oidc.stop();
    expect(await refusal(as(first).get('/nodes/free'))).toBe(unavailable);
    await oidc.restart();
    await comesIn(as(first));
    const answers = await Promise.all(tokens.map((token) => as(token).get('/projects')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(oidc.asked).toEqual(['GET /.well-known/openid-configuration', 'GET /jwks']);
  });

  it('while it is down, tokens whose key is known go on; others are a 503, and good when it is back', async () => {
    const { oidc, user, service, as } = installation();
    const known = await user('ada');
    expect((await known.get('/nodes/free')).status).toBe(200);
    const alsoKnown = as(await signed(oidc, { claims: { sub: 'not seen before' } }));
    const unknown = await stranger(installation());
    await oidc.stop();
    expect((await known.get('/nodes/free')).status).toBe(200);
    expect((await alsoKnown.get('/nodes/free')).status).toBe(200);
    expect(await refusal(unknown.get('/nodes/free'))).toBe(unavailable);
    expect(await message(unknown.get('/nodes/free'))).toMatch(
      /identity provider http:.* cannot be reached; try again later/,
    );
    expect((await service.admin.get('/projects')).status).toBe(200);
    expect((await service.anonymous.get('/nodes/free')).status).toBe(200);
    await oidc.restart();
    await comesIn(unknown);
  });

  it('while it hangs, callers get an error in time, and nobody else waits', async () => {
    const { oidc, service } = installation();
    const ada = await stranger(installation());
    oidc.misbehave(everything, { kind: 'hang' });
    const waiting = ada.get('/nodes/free');
    expect((await service.admin.get('/projects')).status).toBe(200);
    expect(await message(waiting)).toMatch(/did not answer within 5 s; try again/);
    oidc.behave();
    await comesIn(ada);
  });

  it.each([
    ['garbage', { kind: 'garbage' }],
    ['noise', { kind: 'noise' }],
    ['nothing', { kind: 'drop' }],
    ['a failure', { kind: 'status', status: 500 }],
    ['a redirect to keys of somebody else', { kind: 'redirect', to: 'https://127.0.0.1:9/jwks' }],
    ['far too much', { kind: 'huge' }],
    ['JSON that is no set of keys', { kind: 'status', status: 200, body: '{"keys": "none"}' }],
    ['an array', { kind: 'status', status: 200, body: '[]' }],
  ] as const)('if it answers %s, every token is refused with 503 and none with 401', async (_what, fault) => {
    const { oidc } = installation();
    const ada = await stranger(installation());
    for (const on of [keysPath, discoveryPath]) {
      oidc.misbehave(on, fault);
      expect(await whenAsked(installation(), ada)).toBe(unavailable);
      oidc.behave();
    }
    await comesIn(ada);
  });

  it('that its keys cannot be had is in the log, with the reason', async () => {
    const { oidc, service } = installation();
    const ada = await stranger(installation());
    oidc.misbehave(keysPath, { kind: 'status', status: 418 });
    await whenAsked(installation(), ada);
    oidc.behave();
    expect(service.log.join('')).toMatch(/failed to fetch JWKS/);
    expect(service.log.join('')).toMatch(/returned status 418 at http:/);
  });

  it('keys that make no sense do no harm to those that do', async () => {
    const { oidc } = installation();
    const ada = await stranger(installation());
    const good = ((await (await fetch(`${oidc.issuer}/jwks`)).json()) as { keys: unknown[] }).keys;
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    const odd = [
      null,
      7,
      'key',
      {},
      { kty: 'oct', k: 'c2VjcmV0' },
      { kty: 'NEW' },
      publicKey.export({ format: 'jwk' }),
    ];
    const body = JSON.stringify({ keys: [...odd, ...good] });
    oidc.misbehave(keysPath, { kind: 'status', status: 200, body });
    await comesIn(ada);
    oidc.behave();
  });

  it('one that says it is somebody else is not believed', async () => {
    const { oidc } = installation();
    const ada = await stranger(installation());
    oidc.becomeIssuer('http://127.0.0.1:9');
    expect(await whenAsked(installation(), ada)).toBe(unavailable);
    expect(await message(ada.get('/nodes/free'))).toMatch(/an administrator must check it, and oidc\.issuer/);
    oidc.becomeIssuer(oidc.issuer);
    await comesIn(ada);
  });

  // Each at a service of its own: a log says the same only so often.
  it.each(['http://192.0.2.1/jwks', 'file:///etc/passwd', '//x', 7, 'https://a:b@127.0.0.1/'])(
    'keys are not fetched in the clear from another machine: %s',
    async (jwks_uri) => {
      const made = await startOidcFixture(engine);
      onTestFinished(() => made.close());
      const { oidc, service } = made;
      const ada = await stranger(made);
      const discovered = (await (await fetch(`${oidc.issuer}/.well-known/openid-configuration`)).json()) as object;
      const body = JSON.stringify({ ...discovered, jwks_uri });
      oidc.misbehave(discoveryPath, { kind: 'status', status: 200, body });
      expect(await whenAsked(made, ada)).toBe(unavailable);
      expect(service.log.join('')).toContain('has no https address as jwks_uri');
    },
  );
});
