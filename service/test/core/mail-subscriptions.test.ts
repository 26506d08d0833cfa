import { describe, expect, it } from 'vitest';
import { mailAddressIn } from '../../src/schema/mail-address.ts';
import { startRelay } from '../support/mail/mail-relay.ts';
import { engines } from '../support/services/engines.ts';
import { serviceForTest } from '../support/services/service.ts';
import { message, refusal, sharedService } from '../support/services/shared-service.ts';
import { done, makeProject, makeUser } from '../support/services/world.ts';

/** Nobody listens there. */
const withMail = {
  CORRAL_MAIL_HOST: '127.0.0.1',
  CORRAL_MAIL_PORT: '9',
  CORRAL_MAIL_FROM: 'corral@example.org',
};

const mailOf = (user: string): string => `/auth/basic/user/${user}/mail`;

describe('a mail address', () => {
  it.each([
    ['ada@example.org', 'ada@example.org'],
    ['Ada.L+x@Sub.Example.ORG', 'ada.l+x@sub.example.org'],
    ['root@localhost', 'root@localhost'],
  ])('%s is taken, in lower case', (given, kept) => expect(mailAddressIn(given)).toBe(kept));

  it.each([
    '',
    'ada',
    '@example.org',
    'ada@',
    'a b@example.org',
    'ada@example.org\r\nBcc: b@example.org',
    'ada@example.org\n',
    'ada@exa\rmple.org',
    'ada@example.org,b@example.org',
    'Ada <ada@example.org>',
    '"ada"@example.org',
    '-f@example.org',
    'ada..l@example.org',
    'ada@-example.org',
    'ada@example..org',
    'ad\u00e4@example.org',
    'ada@ex\u212aample.org',
    'ada@[127.0.0.1]',
    `${'a'.repeat(65)}@example.org`,
    `a@${'b.'.repeat(130)}org`,
    'ada@example.org\u0000',
    'a>@example.org',
  ])('%j is none', (given) => expect(mailAddressIn(given)).toBeNull());
});

describe.each(engines)('mail subscriptions on %s', (engine) => {
  const service = sharedService(engine, withMail);

  it('of members go to themselves only, at the address that an administrator set', async () => {
    const { admin } = service();
    await makeProject(service(), 'mail-red');
    const ada = await makeUser(service(), 'mail-ada', 'mail-red');
    const grace = await makeUser(service(), 'mail-grace', 'mail-red');
    const subscribe = (body: object, client = ada) => client.put('/subscription/to-ada/mail', body);
    const own = { user: 'mail-ada', project: 'mail-red' };
    expect(await message(subscribe(own))).toBe('user mail-ada has no mail address; an administrator can set one');
    expect(await refusal(ada.patch(mailOf('mail-ada'), { address: 'ada@example.org' }))).toBe('401 AuthorizationError');
    await done(admin.patch(mailOf('mail-ada'), { address: 'Ada@Example.org' }));
    expect((await done(ada.get(mailOf('mail-ada')))).body).toEqual({ address: 'ada@example.org', enabled: true });
    for (const body of [
      { address: 'stranger@example.com', project: 'mail-red' },
      { address: 'ada@example.org', project: 'mail-red' },
      { user: 'mail-grace', project: 'mail-red' },
      { user: 'nobody-there', project: 'mail-red' },
      { user: 'mail-ada' },
      { user: 'mail-ada', project: 'no-project' },
    ]) {
      expect(await refusal(subscribe(body))).toBe('401 AuthorizationError');
    }
    expect(await refusal(subscribe({ project: 'mail-red' }))).toBe('400 ValidationError');
    await done(subscribe(own));
    expect((await done(ada.get('/subscription/to-ada'))).body).toMatchObject({
      url: 'mailto:ada@example.org',
      user: 'mail-ada',
      project: 'mail-red',
    });
    // Those in the same project may end it, but neither see the address nor have more sent there.
    expect((await done(grace.get('/subscription/to-ada'))).body).toMatchObject({ url: 'mailto:', user: 'mail-ada' });
    for (const attempt of [
      grace.post('/subscription/to-ada/test'),
      grace.post('/subscription/to-ada/resend', { dead_letter: 1 }),
      grace.patch('/subscription/to-ada', { filter: {} }),
      grace.patch('/subscription/to-ada', { paused: false }),
      grace.patch('/subscription/to-ada', { paused: true, from_now: true }),
      grace.get(mailOf('mail-ada')),
      grace.patch(mailOf('mail-ada'), { enabled: false }),
      grace.get(mailOf('nobody-there')),
    ]) {
      expect(await refusal(attempt)).toBe('401 AuthorizationError');
    }
    await done(grace.patch('/subscription/to-ada', { paused: true }));
    await done(ada.patch('/subscription/to-ada', { paused: false }));
    await done(grace.del('/subscription/to-ada'));
  });

  it('of administrators go to any address and to users who may see the events, and are not webhooks', async () => {
    const { admin } = service();
    await makeProject(service(), 'mail-blue');
    await makeUser(service(), 'mail-vera');
    await done(admin.patch(mailOf('mail-vera'), { address: 'vera@example.org' }));
    const subscribe = (body: object) => admin.put('/subscription/by-admin/mail', body);
    expect(await message(subscribe({ user: 'mail-vera' }))).toContain('is not an administrator');
    expect(await message(subscribe({ user: 'mail-vera', project: 'mail-blue' }))).toContain('is not in project');
    expect(await refusal(subscribe({ user: 'nobody-there' }))).toBe('404 NotFoundError');
    expect(await refusal(subscribe({ address: 'a@example.org\r\nBcc: b@example.org' }))).toBe('400 BadArgumentError');
    expect(await refusal(subscribe({ address: 'a@example.org', user: 'mail-vera' }))).toBe('400 ValidationError');
    await done(subscribe({ address: 'a@example.org', filter: { types: ['node_register'] } }));
    expect(await refusal(subscribe({ address: 'a@example.org' }))).toBe('409 DuplicateError');
    expect((await done(admin.get('/subscription/by-admin'))).body).toMatchObject({
      url: 'mailto:a@example.org',
      user: null,
      filter: { types: ['node_register'] },
    });
    expect(await refusal(admin.patch('/subscription/by-admin', { url: 'http://127.0.0.1:9/' }))).toBe(
      '400 BadArgumentError',
    );
    expect(await refusal(admin.post('/subscription/by-admin/rotate_secret'))).toBe('400 BadArgumentError');
    const told = JSON.stringify((await done(admin.get('/events?type=subscription_create'))).body);
    expect(told).toContain('an address at example.org');
    expect(told).not.toContain('a@example.org');
    expect((await done(admin.put('/subscription/hook-beside', { url: 'http://127.0.0.1:9/' }))).status).toBe(200);
    expect((await done(admin.get('/subscription/hook-beside'))).body).toMatchObject({ user: null });
  });

  it('end when a user turns mail off, and only that user turns it on', async () => {
    const { admin } = service();
    await makeProject(service(), 'mail-green');
    const ida = await makeUser(service(), 'mail-ida', 'mail-green');
    await done(admin.patch(mailOf('mail-ida'), { address: 'ida@example.org' }));
    await done(ida.put('/subscription/to-ida/mail', { user: 'mail-ida', project: 'mail-green' }));
    await done(admin.put('/subscription/same-address/mail', { address: 'ida@example.org' }));
    await done(admin.put('/subscription/other-address/mail', { address: 'other@example.org' }));
    await done(ida.patch(mailOf('mail-ida'), { enabled: false }));
    expect((await done(ida.get(mailOf('mail-ida')))).body).toEqual({ address: 'ida@example.org', enabled: false });
    const state = async (label: string) => (await done(admin.get(`/subscription/${label}`))).body;
    const off = { state: 'paused', paused_because: 'user mail-ida turned mail off' };
    expect(await state('to-ida')).toMatchObject(off);
    expect(await state('same-address')).toMatchObject(off);
    expect(await state('other-address')).toMatchObject({ paused_because: null });
    expect(await refusal(admin.patch(mailOf('mail-ida'), { enabled: true }))).toBe('401 AuthorizationError');
    for (const attempt of [
      admin.patch('/subscription/to-ida', { paused: false }),
      admin.patch('/subscription/same-address', { paused: false }),
      admin.put('/subscription/more/mail', { address: 'IDA@example.org' }),
      admin.put('/subscription/more/mail', { user: 'mail-ida', project: 'mail-green' }),
      ida.put('/subscription/more/mail', { user: 'mail-ida', project: 'mail-green' }),
    ]) {
      expect(await refusal(attempt)).toBe('409 BlockedError');
    }
    await done(ida.patch(mailOf('mail-ida'), { enabled: true }));
    await done(ida.patch('/subscription/to-ida', { paused: false }));
    // An administrator can turn it off, too: an address that bounces.
    await done(admin.patch(mailOf('mail-ida'), { enabled: false }));
    expect(await state('to-ida')).toMatchObject(off);
    const told = JSON.stringify((await done(admin.get('/events?user=mail-ida'))).body);
    expect(told).toContain('"enabled":false');
    expect(told).not.toContain('ida@example.org');
  });

  it('are off until the operator sets a relay', async () => {
    const without = await serviceForTest(engine);
    expect(await message(without.admin.put('/subscription/news/mail', { address: 'a@example.org' }))).toContain(
      'the operator has not set mail.host',
    );
    const relay = await startRelay();
    const inside = await serviceForTest(engine, relay.env);
    await done(inside.admin.put('/subscription/news/mail', { address: 'a@example.org' }));
    expect((await done(inside.admin.post('/subscription/news/test'))).body).toEqual({
      delivered: true,
      result: 'answered 250',
    });
    expect(relay.taken[0]?.headers['subject']).toBe('Corral: test of subscription news');
  });
});
