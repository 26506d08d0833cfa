import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { basic, type Client, clientWith } from '../support/http/http-client.ts';
import { adminPassword, passwordOf, type Service } from '../support/services/service.ts';
import { refusal, sharedService } from '../support/services/shared-service.ts';
import { done, makeUser } from '../support/services/world.ts';

describe.each(engines)('failed logins on %s', (engine) => {
  const service = sharedService(engine, { CORRAL_TRUSTED_PROXIES: 'loopback' });
  const from = (address: string, name: string, password: string): Client =>
    clientWith(service().url, { authorization: basic(name, password), 'x-forwarded-for': address });
  /** The statuses of so many wrong passwords at once, each another. */
  const guess = async (address: string, name: string, count: number): Promise<number[]> => {
    const guesses = Array.from({ length: count }, (_, index) => from(address, name, `guess ${index}`));
    const answers = await Promise.all(guesses.map((client) => client.get('/nodes/free')));
    return answers.map(({ status }) => status).sort();
  };
  const five = [401, 401, 401, 401, 401];
  const metric = async ({ url }: Service, why: string): Promise<number> => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(new RegExp(`corral_failed_logins_total{why="${why}"} (\\d+)`).exec(text)?.[1]);
  };

  it('have to wait after some, and the answer says for how long', async () => {
    await makeUser(service(), 'target');
    expect(await guess('192.0.2.1', 'target', 5)).toEqual(five);
    const held = await from('192.0.2.1', 'target', 'a sixth').get('/nodes/free');
    expect([held.status, held.headers.get('retry-after'), held.body]).toEqual([
      429,
      expect.stringMatching(/^[1-5]$/),
      {
        type: 'TooManyRequestsError',
        msg: expect.stringMatching(
          /^too many failed logins; try again in [1-5] s, or use a session or an API token$/,
        ) as string,
      },
    ]);
  });

  it('hold up an unknown user exactly as a known one', async () => {
    await makeUser(service(), 'existing');
    const answersTo = async (name: string) => {
      await guess('192.0.2.2', name, 5);
      const { status, text, headers } = await from('192.0.2.2', name, 'a sixth').get('/nodes/free');
      return [status, text.replace(/\d+ s/, ''), headers.has('retry-after'), headers.get('www-authenticate')];
    };
    expect(await answersTo('not-existing')).toEqual(await answersTo('existing'));
  });

  it('hold up nobody at another address', async () => {
    await guess('192.0.2.3', 'admin', 6);
    expect((await from('192.0.2.4', 'admin', adminPassword).get('/projects')).status).toBe(200);
    expect((await from('2001:db8::4', 'admin', adminPassword).get('/projects')).status).toBe(200);
  });

  it('do not delay a user who logged in from the same address before, also when users have changed', async () => {
    const owner = from('192.0.2.5', 'admin', adminPassword);
    await done(owner.get('/projects'));
    expect((await guess('192.0.2.5', 'admin', 8)).at(-1)).toBe(429);
    expect((await owner.get('/projects')).status).toBe(200);
    await makeUser(service(), 'someone-new');
    expect((await owner.get('/projects')).status).toBe(200);
  });

  it('are not a way around the wait: what is remembered of one address is not for another', async () => {
    await makeUser(service(), 'active');
    await done(from('192.0.2.6', 'active', passwordOf('active')).get('/nodes/free'));
    expect((await guess('192.0.2.7', 'active', 6)).at(-1)).toBe(429);
    expect((await from('192.0.2.7', 'active', passwordOf('active')).get('/nodes/free')).status).toBe(429);
  });

  it('are forgotten after a right password', async () => {
    await makeUser(service(), 'clumsy');
    expect(await guess('192.0.2.8', 'clumsy', 4)).toEqual([401, 401, 401, 401]);
    await done(from('192.0.2.8', 'clumsy', passwordOf('clumsy')).get('/nodes/free'));
    for (let count = 0; count < 4; count += 1) {
      expect((await from('192.0.2.8', 'clumsy', `typo ${count}`).get('/nodes/free')).status).toBe(401);
    }
  });

  it('with the same password over and over are one: a script with an old password locks nobody out', async () => {
    await makeUser(service(), 'scripted');
    const script = from('192.0.2.9', 'scripted', 'the old password');
    for (let count = 0; count < 20; count += 1) expect((await script.get('/nodes/free')).status).toBe(401);
    await done(from('192.0.2.9', 'scripted', passwordOf('scripted')).get('/nodes/free'));
  });

  it('many at once are no better than one after the other', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => from('192.0.2.10', 'admin', `at once ${index}`).get('/nodes/free')),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(25);
  });

  it('of all users together hold up their address, but nobody who came right from it', async () => {
    await makeUser(service(), 'neighbour');
    const neighbour = from('192.0.2.11', 'neighbour', passwordOf('neighbour'));
    await done(neighbour.get('/nodes/free'));
    for (let count = 0; count < 13; count += 1) {
      await Promise.all([1, 2, 3, 4].map((index) => guess('192.0.2.11', `sprayed-${count}-${index}`, 1)));
    }
    expect(await guess('192.0.2.11', 'sprayed-more', 1)).toEqual([429]);
    expect((await neighbour.get('/nodes/free')).status).toBe(200);
  });

  it('take the addresses of one IPv6 customer for one', async () => {
    await makeUser(service(), 'sixth');
    for (let count = 0; count < 5; count += 1) {
      expect((await from(`2001:db8:1:2::${count}`, 'sixth', `six ${count}`).get('/nodes/free')).status).toBe(401);
    }
    const answer = from('2001:db8:1:2:ffff::', 'sixth', 'six more').get('/nodes/free');
    expect(await refusal(answer)).toBe('429 TooManyRequestsError');
    expect((await from('2001:db8:1:3::1', 'sixth', passwordOf('sixth')).get('/nodes/free')).status).toBe(200);
  });

  it('are counted, and told to the log once, with the name and never the password', async () => {
    const before = { wrong: await metric(service(), 'wrong'), throttled: await metric(service(), 'throttled') };
    await guess('192.0.2.12', 'counted', 9);
    expect(await metric(service(), 'wrong')).toBe(before.wrong + 5);
    expect(await metric(service(), 'throttled')).toBe(before.throttled + 4);
    const lines = service().log.filter((line) => line.includes('too many failed logins') && line.includes('counted'));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ user: 'counted', address: '192.0.2.12' });
    expect(service().log.join('')).not.toContain('guess ');
  });
});
