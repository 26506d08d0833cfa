import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LabOidc, startOidc } from '../src/identity/lab-oidc.ts';

describe('the OpenID provider of the lab', () => {
  let oidc: LabOidc;
  beforeAll(async () => {
    oidc = await startOidc();
  });
  afterAll(() => oidc.stop());

  const claimsIn = (token: string): unknown =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const keyNames = async (): Promise<unknown[]> => {
    const { keys } = (await (await fetch(`${oidc.issuer}/jwks`)).json()) as { keys: { kid: string }[] };
    return keys.map(({ kid }) => kid);
  };

  it('issues access tokens with what is known of a user', async () => {
    oidc.user('ada', { groups: ['red'] });
    const token = await oidc.accessToken('ada', { audience: 'somebody', ttlSeconds: 60 });
    expect(claimsIn(token)).toMatchObject({ iss: oidc.issuer, aud: 'somebody', sub: 'ada', groups: ['red'] });
  });

  it('publishes the key that signs, and old ones only if they are to stay', async () => {
    const first = oidc.key.kid;
    oidc.rotate('stay', 'EC');
    expect(await keyNames()).toEqual([oidc.key.kid, first]);
    oidc.rotate('go', 'OKP');
    expect(await keyNames()).toEqual([oidc.key.kid]);
  });

  it('is gone when it is stopped, and the same when it is back', async () => {
    await oidc.stop();
    await expect(fetch(oidc.issuer)).rejects.toThrow();
    await oidc.restart();
    expect(await keyNames()).toEqual([oidc.key.kid]);
  });

  it('fails where it is configured to', async () => {
    oidc.misbehave(/^\/jwks$/, { kind: 'status', status: 500 });
    expect((await fetch(`${oidc.issuer}/jwks`)).status).toBe(500);
    expect((await fetch(`${oidc.issuer}/.well-known/openid-configuration`)).status).toBe(200);
    oidc.behave();
  });
});
