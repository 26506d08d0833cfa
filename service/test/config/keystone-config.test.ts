import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@corral/base/config/config-error';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load-service-config.ts';

const given = {
  CORRAL_AUTH: 'keystone',
  CORRAL_KEYSTONE_URL: 'https://keystone.example.org:5000/v3',
  CORRAL_KEYSTONE_USERNAME: 'corral',
  CORRAL_KEYSTONE_PASSWORD: 'secret',
  CORRAL_KEYSTONE_PROJECT: 'service',
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

describe('the configuration of Keystone', () => {
  it('has defaults for what sites seldom change', () => {
    expect(loadConfig(given).keystone).toEqual({
      url: 'https://keystone.example.org:5000/v3',
      credentials: {
        kind: 'password',
        username: 'corral',
        password: 'secret',
        userDomain: 'Default',
        project: 'service',
        projectDomain: 'Default',
      },
      ca: null,
      timeoutMs: 5000,
      cacheMs: 60_000,
      adminRole: 'admin',
    });
  });

  it('is needed only where tokens are taken, and each missing setting is reported in a line', () => {
    expect(loadConfig({}).keystone).toBeNull();
    expect(mistakesIn({ CORRAL_AUTH: 'database, keystone' })).toEqual(
      ['url', 'username', 'password', 'project'].map((key) => `keystone.${key}: missing; required by auth "keystone"`),
    );
    expect(mistakesIn({ ...given, CORRAL_KEYSTONE_PASSWORD: '' })).toEqual([
      'keystone.password: missing; required by auth "keystone"',
    ]);
  });

  it('takes an application credential in place of a user, whole, and not both', () => {
    const { CORRAL_AUTH, CORRAL_KEYSTONE_URL } = given;
    const application = {
      CORRAL_AUTH,
      CORRAL_KEYSTONE_URL,
      CORRAL_KEYSTONE_APPLICATION_CREDENTIAL_ID: 'abc',
      CORRAL_KEYSTONE_APPLICATION_CREDENTIAL_SECRET: 'secret',
    };
    expect(loadConfig(application).keystone?.credentials).toEqual({ kind: 'application', id: 'abc', secret: 'secret' });
    expect(mistakesIn({ ...application, CORRAL_KEYSTONE_APPLICATION_CREDENTIAL_SECRET: '' })).toEqual([
      'keystone.application_credential_secret: missing; required by auth "keystone"',
    ]);
    expect(mistakesIn({ ...given, ...application })).toEqual([
      'keystone: a user with a password, or an application credential; give one of them',
    ]);
  });

  it.each([
    ['https://keystone.example.org', 'https://keystone.example.org/v3'],
    ['https://keystone.example.org/', 'https://keystone.example.org/v3'],
    ['https://keystone.example.org/identity', 'https://keystone.example.org/identity/v3'],
    ['https://keystone.example.org/identity/v3/', 'https://keystone.example.org/identity/v3'],
    ['http://[::1]:5000', 'http://[::1]:5000/v3'],
  ])('takes %s for %s', (url, meant) => {
    expect(loadConfig({ ...given, CORRAL_KEYSTONE_URL: url }).keystone?.url).toBe(meant);
  });

  it.each([
    ['CORRAL_KEYSTONE_URL', 'keystone.example.org'],
    ['CORRAL_KEYSTONE_URL', 'ftp://keystone.example.org'],
    ['CORRAL_KEYSTONE_URL', 'https://user:secret@keystone.example.org/v3'],
    ['CORRAL_KEYSTONE_URL', 'https://keystone.example.org/v3?x=y'],
    ['CORRAL_KEYSTONE_CACHE', '61'],
    ['CORRAL_KEYSTONE_CACHE', '-1'],
    ['CORRAL_KEYSTONE_TIMEOUT', '0'],
    ['CORRAL_KEYSTONE_TIMEOUT', '61'],
    ['CORRAL_KEYSTONE_CA', '/nowhere/ca.pem'],
  ])('does not take %s=%s', (variable, value) => {
    expect(mistakesIn({ ...given, [variable]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${variable}: .* is invalid; expected `)),
    ]);
  });

  it('comes from the file too', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'corral-keystone-config-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const file = join(directory, 'corral.toml');
    await writeFile(
      file,
      'auth = ["database", "keystone"]\n[keystone]\nurl = "https://k.example"\nusername = "c"\npassword = "p"\nproject = "s"\ncache = 10\n',
    );
    expect(loadConfig({ CORRAL_CONFIG: file })).toMatchObject({
      auth: ['database', 'keystone'],
      keystone: { url: 'https://k.example/v3', cacheMs: 10_000 },
    });
  });
});
