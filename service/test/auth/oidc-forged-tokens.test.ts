import { createHmac, createPublicKey } from 'node:crypto';
import { type LabOidc, newOidcKey, type OidcKey } from '@corral/lab';
import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { startListener } from '../support/http/http-listener.ts';
import { assembled, claimsOf, sharedOidcFixture, signed } from '../support/identity/oidc-fixture.ts';
import { refusal } from '../support/services/shared-service.ts';

const publicPart = (key: OidcKey) => createPublicKey({ key: { ...key }, format: 'jwk' });

/** Signs with what everybody knows, as if it were a shared secret. */
const hmac = (oidc: LabOidc, secret: string | Buffer, header: object): string => {
  const token = assembled(header, claimsOf(oidc)).replace(/\.$/, '');
  return `${token}.${createHmac('sha256', secret).update(token).digest('base64url')}`;
};

describe.each(engines)('tokens that nobody should take, on %s', (engine) => {
  const installation = sharedOidcFixture(engine);

  const expectRefused = async (token: string): Promise<void> => {
    const client = installation().as(token);
    expect(await refusal(client.get('/nodes/free'))).toBe('401 AuthorizationError');
    expect(await refusal(client.get('/projects'))).toBe('401 AuthorizationError');
  };

  it('what is refused below is refused for its trick: without one, the same token is good', async () => {
    const { oidc, as } = installation();
    expect((await as(await signed(oidc, {})).get('/projects')).status).toBe(200);
  });

  it.each(['none', 'None', 'NONE', '', 'nOnE'])('unsigned, with alg %j', async (alg) => {
    const { oidc } = installation();
    const header = { alg, kid: oidc.key.kid, typ: 'at+jwt' };
    await expectRefused(assembled(header, claimsOf(oidc)));
    await expectRefused(assembled(header, claimsOf(oidc), 'signature'));
    const good = await signed(oidc, {});
    await expectRefused(`${good.split('.').slice(0, 2).join('.')}.`);
  });

  it("HS256 with the provider's public key as the secret, in any form", async () => {
    const { oidc } = installation();
    const key = publicPart(oidc.key);
    const jwks = await (await fetch(`${oidc.issuer}/jwks`)).text();
    const secrets = [
      key.export({ type: 'spki', format: 'pem' }),
      key.export({ type: 'pkcs1', format: 'pem' }),
      key.export({ type: 'spki', format: 'der' }),
      JSON.stringify(key.export({ format: 'jwk' })),
      jwks,
      '',
    ];
    for (const secret of secrets) {
      for (const alg of ['HS256', 'HS384', 'HS512']) {
        await expectRefused(hmac(oidc, secret, { alg, kid: oidc.key.kid, typ: 'at+jwt' }));
      }
    }
  });

  it('signed with another key, whatever name it gives the key', async () => {
    const { oidc } = installation();
    const key = { ...newOidcKey(), kid: oidc.key.kid };
    const names = [
      oidc.key.kid,
      undefined,
      '',
      '../../../../dev/null',
      '/etc/passwd',
      "' or 1=1 --",
      '__proto__',
      'x'.repeat(4000),
    ];
    for (const kid of names) await expectRefused(await signed(oidc, { key, header: { kid } }));
  });

  it('signed with a key of another kind than the one it names', async () => {
    const { oidc } = installation();
    for (const kind of ['EC', 'OKP'] as const) {
      await expectRefused(await signed(oidc, { key: { ...newOidcKey(kind), kid: oidc.key.kid } }));
    }
  });

  it('with a key of its own, or an address of one: nobody looks there', async () => {
    const { oidc } = installation();
    const key = newOidcKey();
    const { n, e, kty } = key;
    const elsewhere = await startListener();
    const jwk = { kty, n, e };
    for (const extra of [
      { jwk },
      { jku: `${elsewhere.url}/jwks` },
      { x5u: `${elsewhere.url}/cert` },
      { x5c: ['MIIB'] },
    ]) {
      await expectRefused(await signed(oidc, { key, header: { ...extra, kid: oidc.key.kid } }));
      await expectRefused(await signed(oidc, { key, header: { ...extra, kid: key.kid } }));
      await expectRefused(await signed(oidc, { key, header: { ...extra, kid: undefined } }));
    }
    expect(elsewhere.heard).toEqual([]);
  });

  it('with a critical header that nobody here understands', async () => {
    const { oidc } = installation();
    const token = assembled({ alg: 'RS256', kid: oidc.key.kid, crit: ['exp'], exp: 1 }, claimsOf(oidc), 'signature');
    await expectRefused(token);
    for (const crit of [[], ['b64'], ['unknown'], 'exp', null]) {
      const header = { alg: 'RS256', kid: oidc.key.kid, crit, b64: false, unknown: 1 };
      await expectRefused(assembled(header, claimsOf(oidc), 'signature'));
    }
  });

  it('of another kind: a logout token, a proof of possession, a signed request', async () => {
    const { oidc } = installation();
    for (const typ of ['logout+jwt', 'dpop+jwt', 'oauth-authz-req+jwt', 'secevent+jwt', 'id+jwt']) {
      await expectRefused(await signed(oidc, { header: { typ } }));
    }
  });

  it('cut short, changed in any part, or put together from two', async () => {
    const { oidc } = installation();
    const [header = '', claims = '', signature = ''] = (await signed(oidc, {})).split('.');
    const [, others = ''] = (await signed(oidc, { claims: { sub: 'somebody else' } })).split('.');
    const flipped = (part: string) => (part.startsWith('A') ? `B${part.slice(1)}` : `A${part.slice(1)}`);
    const tokens = [
      `${header}.${claims}.${signature.slice(0, -8)}`,
      `${header}.${claims.slice(0, -4)}.${signature}`,
      `${header.slice(0, -4)}.${claims}.${signature}`,
      `${header}.${claims}.${flipped(signature)}`,
      `${header}.${flipped(claims)}.${signature}`,
      `${header}.${others}.${signature}`,
      `${header}.${claims}`,
      `.${claims}.${signature}`,
      `${header}..${signature}`,
      `${header}.${claims}.${signature}.${signature}`,
    ];
    for (const token of tokens) await expectRefused(token);
  });

  it.each([
    ['an array', '[]'],
    ['null', 'null'],
    ['a string', '"claims"'],
    ['no JSON', '{'],
    ['deep', `${'['.repeat(3000)}${']'.repeat(3000)}`],
  ])('whose parts are %s', async (_what, text) => {
    const { oidc } = installation();
    const odd = Buffer.from(text).toString('base64url');
    const [header = '', claims = '', signature = ''] = (await signed(oidc, {})).split('.');
    await expectRefused(`${odd}.${claims}.${signature}`);
    await expectRefused(`${header}.${odd}.${signature}`);
  });

  it('as long as a header can be, and longer', async () => {
    const { oidc, as } = installation();
    const groups = Array.from({ length: 300 }, (_, index) => `group-${index}`);
    expect((await as(await signed(oidc, { claims: { groups } })).get('/projects')).status).toBe(200);
    await expectRefused(assembled({ alg: 'RS256', kid: oidc.key.kid }, { padding: 'x'.repeat(9_000) }, 'signature'));
    const { status } = await as(assembled({ alg: 'RS256' }, { padding: 'x'.repeat(60_000) })).get('/nodes/free');
    expect([401, 431]).toContain(status);
  });

  it('made-up names of keys do not make the service ask the provider again and again', async () => {
    const { oidc, as } = installation();
    const key = newOidcKey();
    const before = oidc.asked.length;
    for (let count = 0; count < 50; count += 1) {
      expect(
        (await as(await signed(oidc, { key, header: { kid: `made-up-${count}` } })).get('/nodes/free')).status,
      ).toBe(401);
    }
    expect(oidc.asked.length - before).toBeLessThanOrEqual(4);
  });
});
