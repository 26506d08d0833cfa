import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { audience } from '../support/identity/oidc-fixture.ts';
import { serviceForTest } from '../support/services/service.ts';

const openid = {
  CORRAL_OIDC_ISSUER: 'https://id.example.org',
  CORRAL_OIDC_AUDIENCE: audience,
  CORRAL_OIDC_CLIENT_ID: 'console',
  CORRAL_OIDC_CLIENT_SECRET: 'canary of the console',
};
const keystone = {
  CORRAL_KEYSTONE_URL: 'https://keystone.example.org:5000',
  CORRAL_KEYSTONE_USERNAME: 'canary',
  CORRAL_KEYSTONE_PASSWORD: 'canary of the service',
  CORRAL_KEYSTONE_PROJECT: 'canary',
};

describe.each(engines)('show_auth_methods on %s', (engine) => {
  const methodsOf = async (env: Readonly<Record<string, string>>) => {
    const { anonymous } = await serviceForTest(engine, env);
    const { status, body, text } = await anonymous.get('/auth/methods');
    expect(status).toBe(200);
    expect(text).not.toContain('canary');
    return body;
  };

  it('tells what there is, and nothing that is secret', async () => {
    expect(await methodsOf({})).toEqual({ basic: true, keystone: null, oidc: null });
    const device = { CORRAL_OIDC_DEVICE_CLIENT_ID: 'cli', CORRAL_OIDC_SCOPES: 'openid groups' };
    expect(await methodsOf({ CORRAL_AUTH: 'keystone,oidc', ...keystone, ...openid, ...device })).toEqual({
      basic: false,
      keystone: { url: 'https://keystone.example.org:5000/v3' },
      oidc: {
        issuer: 'https://id.example.org',
        audience,
        browser: true,
        device: { client_id: 'cli', scopes: 'openid groups' },
      },
    });
    expect(await methodsOf({ CORRAL_AUTH: 'database,oidc', ...openid })).toMatchObject({
      basic: true,
      oidc: { browser: true, device: null },
    });
  });

  it('is for everybody, also where everything else wants credentials', async () => {
    const service = await serviceForTest(engine, { CORRAL_REQUIRE_AUTHENTICATION: 'true' });
    expect((await service.anonymous.get('/nodes/free')).status).toBe(401);
    for (const client of [service.anonymous, service.as('nobody'), service.admin]) {
      expect((await client.get('/auth/methods')).status).toBe(200);
    }
  });
});
