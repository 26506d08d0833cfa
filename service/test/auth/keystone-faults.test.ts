import { hasPart, type KeystoneUser } from '@corral/lab';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { type Client } from '../support/http/http-client.ts';
import { keystoneEnv, sharedKeystone, validations, withToken } from '../support/identity/shared-keystone.ts';
import { serviceForTest, type Service, startService } from '../support/services/service.ts';
import { eventually, makeProject } from '../support/services/world.ts';

const keystone = sharedKeystone();
let red = '';
let alice: KeystoneUser;
/** Made while Keystone is well. */
let token = '';

describe.runIf(hasPart('Keystone')).each(engines)('a Keystone that fails, on %s', (engine) => {
  beforeAll(async () => {
    if (red !== '') return;
    red = await keystone().api.project('red');
    alice = await keystone().api.user('alice');
    await keystone().api.assign(alice, 'member', { project: red });
    token = await keystone().api.token(alice, { project: red });
  });
  const start = async (env: Readonly<Record<string, string>> = {}): Promise<Service> => {
    const service = await serviceForTest(engine, { ...keystoneEnv(keystone()), ...env });
    await makeProject(service, red);
    return service;
  };
  const statusOf = async (client: Client) => (await client.get(`/project/${red}/nodes`)).status;
  const expectUnavailable = async (client: Client, sentence: RegExp) => {
    // Also where anybody is let in without credentials, and where the caller would be refused.
    for (const path of ['/nodes/all', `/project/${red}/nodes`, '/projects']) {
      const { status, body, headers } = await client.get(path);
      expect([status, body]).toEqual([
        503,
        { type: 'UnavailableError', msg: expect.stringMatching(sentence) as string },
      ]);
      expect(headers.get('www-authenticate')).toBeNull();
    }
  };

  describe('by being gone', () => {
    let [patient, hasty]: Service[] = [];
    let unknown = '';
    let rememberedUntil = 0;
    const services = () => {
      if (patient === undefined || hasty === undefined)
        throw new Error('the services are started before the first test');
      return { patient, hasty };
    };
    beforeAll(async () => {
      patient = await startService(engine, keystoneEnv(keystone()));
      hasty = await startService(engine, { ...keystoneEnv(keystone()), CORRAL_KEYSTONE_CACHE: '1' });
      for (const service of [patient, hasty]) {
        await makeProject(service, red);
        expect(await statusOf(withToken(service, token))).toBe(200);
      }
      unknown = await keystone().api.token(alice, { project: red });
      rememberedUntil = Date.now() + 1000;
      await keystone().kill();
    });
    afterAll(async () => {
      for (const service of [patient, hasty]) {
        await service?.stop();
        if (service) await rm(service.dataDir, { recursive: true, force: true });
      }
    });

    it('is a 503, not a 401 and not access', async () => {
      await expectUnavailable(
        withToken(services().patient, unknown),
        /^Keystone cannot be reached, so tokens cannot be validated; try again later$/,
      );
      expect(await statusOf(services().patient.admin)).toBe(200);
    });

    it('lets those in who are remembered, until their time is up', async () => {
      expect(await statusOf(withToken(services().patient, token))).toBe(200);
      await eventually(() => (Date.now() > rememberedUntil ? true : undefined));
      expect(await statusOf(withToken(services().hasty, token))).toBe(503);
    });

    it('does not keep the service from starting', async () => {
      await expectUnavailable(withToken(await start(), token), /^Keystone cannot be reached/);
    });

    it('is over when it is back', async () => {
      await keystone().restart();
      for (const service of Object.values(services())) {
        expect(await statusOf(withToken(service, unknown))).toBe(200);
        expect(await statusOf(withToken(service, token))).toBe(200);
      }
    }, 120_000);
  });

  it('by hanging is a 503 when its time is up; who is remembered does not wait', async () => {
    const service = await start({ CORRAL_KEYSTONE_TIMEOUT: '1' });
    const known = withToken(service, token);
    // The first answer of all, on a machine that is busy.
    await eventually(async () => ((await statusOf(known)) === 200 ? true : undefined));
    const other = withToken(service, await keystone().api.token(alice, { project: red }));
    keystone().hang();
    onTestFinished(() => keystone().recover());
    const late = expectUnavailable(other, /^Keystone did not answer within 1 s, so tokens cannot be validated/);
    expect(await statusOf(known)).toBe(200);
    await late;
    keystone().recover();
    await eventually(async () => ((await statusOf(other)) === 200 ? true : undefined));
  });

  it('by revoking our own token costs nothing but a new one', async () => {
    const service = await start({ CORRAL_KEYSTONE_CACHE: '0' });
    const client = withToken(service, token);
    expect(await statusOf(client)).toBe(200);
    await keystone().api.revokeAll(keystone().service);
    // Keystone also revokes what it gives out in the rest of that second.
    await eventually(async () => ((await statusOf(client)) === 200 ? true : undefined));
    expect(await validations(service, 'refused')).toBe(0);
  });

  it.each([
    ['the wrong password', { CORRAL_KEYSTONE_PASSWORD: 'not it' }, /^Keystone rejects the credentials of this/],
    ['a project that is not there', { CORRAL_KEYSTONE_PROJECT: 'none' }, /^Keystone rejects the credentials of this/],
    [
      'another address',
      { CORRAL_KEYSTONE_URL: 'PLACE/nothing/here' },
      /^Keystone answered with an error.*keystone\.url$/,
    ],
  ])('us because we have %s is a 503', async (_, env, sentence) => {
    const place = (text: string) => text.replace('PLACE', keystone().url);
    const service = await start(Object.fromEntries(Object.entries(env).map(([key, value]) => [key, place(value)])));
    await expectUnavailable(withToken(service, token), sentence);
    expect(service.log.join('')).not.toContain('not it');
    expect(service.log.join('')).toMatch(/Keystone: (401|status 404) (to our own credentials)/);
  });

  it('us because our user may not validate tokens is a 503', async () => {
    const weak = await keystone().api.user(`weak-${engine}`);
    await keystone().api.assign(weak, 'member', { project: red });
    const service = await start({
      CORRAL_KEYSTONE_USERNAME: weak.name,
      CORRAL_KEYSTONE_PASSWORD: weak.password,
      CORRAL_KEYSTONE_PROJECT: 'red',
    });
    await expectUnavailable(withToken(service, token), /^Keystone does not allow this service to validate tokens/);
  });

  it('takes an application credential of ours in place of a password', async () => {
    const { service: own, api } = keystone();
    const { id, secret } = await api.applicationCredential(own, own.projectId);
    const { CORRAL_KEYSTONE_URL } = keystoneEnv(keystone());
    const service = await serviceForTest(engine, {
      CORRAL_AUTH: 'database,keystone',
      CORRAL_KEYSTONE_URL: String(CORRAL_KEYSTONE_URL),
      CORRAL_KEYSTONE_TIMEOUT: '20',
      CORRAL_KEYSTONE_APPLICATION_CREDENTIAL_ID: id,
      CORRAL_KEYSTONE_APPLICATION_CREDENTIAL_SECRET: secret,
    });
    await makeProject(service, red);
    expect(await statusOf(withToken(service, token))).toBe(200);
  });
});
