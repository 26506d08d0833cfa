import { ConfigError } from '@corral/base/config/config-error';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-service-config.ts';

const given = {
  CORRAL_AUTH: 'oidc',
  CORRAL_OIDC_ISSUER: 'https://id.example.org/realms/lab',
  CORRAL_OIDC_AUDIENCE: 'corral',
};

const mistakesIn = (env: Readonly<Record<string, string>>): readonly string[] => {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
};

describe('the configuration of an OpenID provider', () => {
  it('has defaults for what sites seldom change', () => {
    expect(loadConfig(given).oidc).toEqual({
      issuer: 'https://id.example.org/realms/lab',
      audience: 'corral',
      client: null,
      device: null,
      claims: { name: 'preferred_username', projects: 'groups', projectsPrefix: '', admin: null },
      ca: null,
      clockSkewMs: 30_000,
      timeoutMs: 5000,
    });
    expect(loadConfig(given).publicUrl).toBeNull();
  });

  it('is not looked for if the backend is not used', () => {
    expect(loadConfig({}).oidc).toBeNull();
    expect(loadConfig({ ...given, CORRAL_AUTH: 'database' }).oidc).toBeNull();
  });

  it('always asks for an ID token', () => {
    const client = { CORRAL_OIDC_CLIENT_ID: 'console', CORRAL_OIDC_SCOPES: ' profile  groups ' };
    expect(loadConfig({ ...given, ...client }).oidc?.client).toEqual({
      id: 'console',
      secret: null,
      scopes: 'openid profile groups',
    });
  });

  it('has the same scopes for command lines as for browsers', () => {
    const device = { CORRAL_OIDC_DEVICE_CLIENT_ID: 'cli', CORRAL_OIDC_SCOPES: 'groups' };
    expect(loadConfig({ ...given, ...device }).oidc?.device).toEqual({ id: 'cli', scopes: 'openid groups' });
  });

  it('is reported as idle if it is configured and not used', () => {
    expect(loadConfig(given).idleBackends).toEqual([]);
    const keystone = { CORRAL_KEYSTONE_URL: 'https://keystone.example.org:5000/v3' };
    expect(loadConfig({ ...given, ...keystone, CORRAL_AUTH: 'database' }).idleBackends).toEqual(['keystone', 'oidc']);
  });

  it('names what is missing', () => {
    expect(mistakesIn({ CORRAL_AUTH: 'oidc' })).toEqual([
      'oidc.issuer: missing; required by auth "oidc"',
      'oidc.audience: missing; required by auth "oidc"',
    ]);
    expect(mistakesIn({ ...given, CORRAL_OIDC_CLIENT_SECRET: 'canary' })).toEqual([
      'oidc.client_secret: must be given together with oidc.client_id; give both, or neither',
    ]);
    for (const name of ['CORRAL_OIDC_ADMIN_CLAIM', 'CORRAL_OIDC_ADMIN_VALUE']) {
      expect(mistakesIn({ ...given, [name]: 'x' })).toEqual([
        'oidc.admin_claim: must be given together with oidc.admin_value; give both, or neither',
      ]);
    }
  });

  it.each([
    ['CORRAL_OIDC_ISSUER', 'id.example.org'],
    ['CORRAL_OIDC_ISSUER', 'http://id.example.org'],
    ['CORRAL_OIDC_ISSUER', 'http://10.0.0.1'],
    ['CORRAL_OIDC_ISSUER', 'https://user:password@id.example.org'],
    ['CORRAL_OIDC_ISSUER', 'https://id.example.org?tenant=1'],
    ['CORRAL_OIDC_ISSUER', 'ftp://127.0.0.1'],
    ['CORRAL_OIDC_SCOPES', 'openid "profile"'],
    ['CORRAL_OIDC_CLOCK_SKEW', '301'],
    ['CORRAL_OIDC_CLOCK_SKEW', 'much'],
    ['CORRAL_OIDC_TIMEOUT', '0'],
    ['CORRAL_OIDC_CA', '/nonexistent.pem'],
    ['CORRAL_PUBLIC_URL', 'corral.example.org'],
    ['CORRAL_PUBLIC_URL', 'https://corral.example.org/path'],
    ['CORRAL_PUBLIC_URL', 'https://user@corral.example.org'],
    ['CORRAL_PUBLIC_URL', 'ftp://corral.example.org'],
  ])('does not take %s=%s', (name, value) => {
    expect(mistakesIn({ ...given, [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name}: ".*" is invalid; expected \\w+`)),
    ]);
  });

  it.each([
    'http://127.0.0.1:8080',
    'http://localhost:8080',
    'http://[::1]:8080/realm',
    'https://id.example.org/o/corral/',
  ])('takes the issuer %s as it is written', (issuer) => {
    expect(loadConfig({ ...given, CORRAL_OIDC_ISSUER: issuer }).oidc?.issuer).toBe(issuer);
  });
});
