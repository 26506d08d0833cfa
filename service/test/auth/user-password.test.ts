import { lstat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { type Client, clientWith } from '../support/http/http-client.ts';
import { replicaOf } from '../support/services/obm-rack.ts';
import { adminPassword, passwordOf, type Service, serviceForTest } from '../support/services/service.ts';
import { message, refusal, sharedService } from '../support/services/shared-service.ts';
import { done, eventually, makeUser } from '../support/services/world.ts';

const fresh = 'a fresh password';
const pathOf = (name: string): string => `/auth/basic/user/${name}/password`;
const mayEnter = async (service: Service, name: string, password: string): Promise<boolean> =>
  (await service.as(name, password).get('/headnode_images/')).status === 200;

describe.each(engines)('user_set_password on %s', (engine) => {
  const service = sharedService(engine);
  const makeAdmin = async (name: string) => {
    await done(service().admin.put(`/auth/basic/user/${name}`, { password: passwordOf(name), is_admin: true }));
    return service().as(name);
  };

  it('lets users change their own password, and the old one is void at once', async () => {
    const user = await makeUser(service(), 'changer');
    await done(user.get('/headnode_images/'));
    const answer = await user.put(pathOf('changer'), { password: fresh, current: passwordOf('changer') });
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await refusal(user.get('/headnode_images/'))).toBe('401 AuthorizationError');
    expect(await mayEnter(service(), 'changer', fresh)).toBe(true);
  });

  it('tells the audit log who set whose, and never what to', async () => {
    const user = await makeUser(service(), 'noted');
    await done(user.put(pathOf('noted'), { password: fresh, current: passwordOf('noted') }));
    await done(service().admin.put(pathOf('noted'), { password: 'another password' }));
    const { body, text } = await service().admin.get('/events?limit=2');
    expect((body as { events: unknown }).events).toMatchObject([
      { type: 'user_set_password', caller: 'admin', user: 'noted', detail: { reset: true } },
      { type: 'user_set_password', caller: 'noted', user: 'noted', detail: { reset: false } },
    ]);
    expect(text).not.toMatch(/a fresh password|another password|argon2/);
  });

  it('needs the present password, from administrators too', async () => {
    const user = await makeUser(service(), 'forgetful');
    expect(await refusal(user.put(pathOf('forgetful'), { password: fresh }))).toBe('400 ValidationError');
    expect(await message(user.put(pathOf('forgetful'), { password: fresh }))).toMatch(/"current"/);
    const wrong = user.put(pathOf('forgetful'), { password: fresh, current: 'wrong' });
    expect(await refusal(wrong)).toBe('401 AuthorizationError');
    const admin = await makeAdmin('forgetful-admin');
    expect(await refusal(admin.put(pathOf('forgetful-admin'), { password: fresh }))).toBe('400 ValidationError');
    expect(await mayEnter(service(), 'forgetful', passwordOf('forgetful'))).toBe(true);
    expect(await mayEnter(service(), 'forgetful-admin', passwordOf('forgetful-admin'))).toBe(true);
  });

  it('takes a wrong present password for a failed login', async () => {
    const user = await makeUser(service(), 'guessed');
    // Later than some guesses, the first login would forgive them.
    await done(user.get('/nodes/free'));
    const guess = (current: string) => user.put(pathOf('guessed'), { password: fresh, current });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => guess(`guess ${index}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    expect((await service().as('guessed', 'another guess').get('/nodes/free')).status).toBe(429);
    expect((await user.get('/headnode_images/')).status).toBe(200);
  });

  it("lets administrators set another's without it, and takes none for that", async () => {
    await makeUser(service(), 'reset');
    const current = passwordOf('reset');
    expect(await refusal(service().admin.put(pathOf('reset'), { password: fresh, current }))).toBe(
      '400 ValidationError',
    );
    await done(service().admin.put(pathOf('reset'), { password: fresh }));
    expect(await mayEnter(service(), 'reset', current)).toBe(false);
    expect(await mayEnter(service(), 'reset', fresh)).toBe(true);
  });

  it('is not for other users, whether or not there is such a user', async () => {
    const user = await makeUser(service(), 'nosy');
    await makeUser(service(), 'victim');
    const answers = await Promise.all(
      ['victim', 'nobody-at-all'].map((name) =>
        user.put(pathOf(name), { password: fresh, current: passwordOf('victim') }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    expect(answers[0]?.text).toBe(answers[1]?.text);
    expect(await refusal(service().anonymous.put(pathOf('victim'), { password: fresh }))).toBe(
      '401 AuthorizationError',
    );
    expect(await refusal(service().admin.put(pathOf('nobody-at-all'), { password: fresh }))).toBe('404 NotFoundError');
  });

  it.each<[string, unknown, RegExp]>([
    ['none', {}, /"password".*8 to 1024/],
    ['a short one', { password: '7 chars' }, /"password".*8 to 1024/],
    ['a long one', { password: 'x'.repeat(1025) }, /"password".*8 to 1024/],
    ['a number', { password: 12_345_678 }, /"password".*8 to 1024/],
    ['the user name', { password: 'constant' }, /user name/],
    ['the current one', { password: passwordOf('constant') }, /current one/],
  ])('refuses %s', async (_, body, told) => {
    await service().admin.put('/auth/basic/user/constant', { password: passwordOf('constant') });
    const user = service().as('constant');
    const answer = user.put(pathOf('constant'), { current: passwordOf('constant'), ...(body as object) });
    expect(await refusal(answer)).toMatch(/^400 /);
    expect(await message(answer)).toMatch(told);
    expect((await user.get('/headnode_images/')).status).toBe(200);
  });

  it('refuses to reset to the password that is there', async () => {
    await makeUser(service(), 'unchanged');
    const answer = service().admin.put(pathOf('unchanged'), { password: passwordOf('unchanged') });
    expect(await refusal(answer)).toBe('400 BadArgumentError');
  });

  it('of two changes at once makes one', async () => {
    const user = await makeUser(service(), 'torn');
    const change = (password: string) => user.put(pathOf('torn'), { password, current: passwordOf('torn') });
    const answers = await Promise.all([change('first password'), change('second password')]);
    const won = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []));
    expect(won).toHaveLength(1);
    expect([401, 409]).toContain(answers.find(({ status }) => status !== 200)?.status);
    expect(await mayEnter(service(), 'torn', won[0] === 0 ? 'first password' : 'second password')).toBe(true);
  });

  describe('and what was opened with the old password', () => {
    const signIn = async (name: string, password: string): Promise<Client> => {
      const { url } = service();
      const answer = await clientWith(url, { origin: url }).post('/auth/session', { username: name, password });
      const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      return clientWith(url, { cookie, origin: url });
    };
    const makeToken = async (user: Client): Promise<Client> => {
      const { body } = await done(user.put('/auth/token/script', {}));
      return clientWith(service().url, { authorization: `Bearer ${(body as { token: string }).token}` });
    };
    const by = async (...clients: Client[]) =>
      Promise.all(clients.map(async (client) => (await client.get('/auth/whoami')).status));

    it('of the own one: the session that changed it and tokens stay, other sessions end', async () => {
      await makeUser(service(), 'keeper');
      const here = await signIn('keeper', passwordOf('keeper'));
      const elsewhere = await signIn('keeper', passwordOf('keeper'));
      const token = await makeToken(here);
      expect(await by(here, elsewhere, token)).toEqual([200, 200, 200]);
      await done(here.put(pathOf('keeper'), { password: fresh, current: passwordOf('keeper') }));
      expect(await by(here, elsewhere, token)).toEqual([200, 401, 200]);
      expect(await mayEnter(service(), 'keeper', passwordOf('keeper'))).toBe(false);
    });

    it('of the own one, where tokens are to be revoked: only the session that changed it stays', async () => {
      await makeUser(service(), 'careful');
      const here = await signIn('careful', passwordOf('careful'));
      const token = await makeToken(here);
      const other = await makeToken(await makeUser(service(), 'bystander'));
      const change = { password: fresh, current: passwordOf('careful'), revoke_tokens: true };
      await done(here.put(pathOf('careful'), change));
      expect(await by(here, token, other)).toEqual([200, 401, 200]);
      const back = { password: 'one more password', current: fresh, revoke_tokens: false };
      const again = await makeToken(here);
      await done(here.put(pathOf('careful'), back));
      expect(await by(here, again)).toEqual([200, 200]);
    });

    it('of another: whether tokens are revoked is no question', async () => {
      await makeUser(service(), 'asked');
      for (const revoke_tokens of [true, false]) {
        const answer = service().admin.put(pathOf('asked'), { password: fresh, revoke_tokens });
        expect(await refusal(answer)).toBe('400 ValidationError');
        expect(await message(answer)).toMatch(/"revoke_tokens" is only for your own password/);
      }
    });

    it('of another, by an administrator: nothing stays', async () => {
      await makeUser(service(), 'loser');
      const session = await signIn('loser', passwordOf('loser'));
      const token = await makeToken(session);
      await done(service().admin.put(pathOf('loser'), { password: fresh }));
      expect(await by(session, token)).toEqual([401, 401]);
    });

    it('with a token nobody changes a password, neither the own one nor, as administrator, that of another', async () => {
      const admin = await makeAdmin('scripting-admin');
      const token = await makeToken(admin);
      const current = passwordOf('scripting-admin');
      const own = token.put(pathOf('scripting-admin'), { password: fresh, current });
      expect(await refusal(own)).toBe('401 AuthorizationError');
      expect(await message(own)).toMatch(/API token/);
      expect(await refusal(token.put(pathOf('admin'), { password: fresh }))).toBe('401 AuthorizationError');
      expect(await by(service().admin, token)).toEqual([200, 200]);
    });

    it('a session signs in under the same throttle as any password', async () => {
      await makeUser(service(), 'tried');
      const { url } = service();
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          clientWith(url, { origin: url }).post('/auth/session', { username: 'tried', password: `guess ${index}` }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
      expect((await service().as('tried', 'another guess').get('/nodes/free')).status).toBe(429);
    });
  });

  it('voids the old password on other replicas within seconds', async () => {
    const user = await makeUser(service(), 'wanderer');
    const replica = await replicaOf(service());
    expect(await mayEnter(replica, 'wanderer', passwordOf('wanderer'))).toBe(true);
    await done(user.put(pathOf('wanderer'), { password: fresh, current: passwordOf('wanderer') }));
    await eventually(async () => {
      return (await mayEnter(replica, 'wanderer', passwordOf('wanderer'))) ? undefined : true;
    }, 5_000);
    expect(await mayEnter(replica, 'wanderer', fresh)).toBe(true);
  });
});

describe('the file with the first password', () => {
  const exists = (file: string) =>
    lstat(file).then(
      () => true,
      () => false,
    );
  const change = (service: Service, current: string) =>
    done(service.as('admin', current).put(pathOf('admin'), { password: fresh, current }));

  it('goes when that password is changed', async () => {
    const service = await serviceForTest('sqlite');
    const file = join(service.dataDir, 'admin-password');
    await writeFile(file, `${adminPassword}\n`);
    await makeUser(service, 'other');
    await done(service.admin.put(pathOf('other'), { password: fresh }));
    expect(await exists(file)).toBe(true);
    await change(service, adminPassword);
    expect(await exists(file)).toBe(false);
  });

  it.each([
    ['something else', (file: string) => writeFile(file, 'not that password\n')],
    ['a link', (file: string) => symlink('/etc/hostname', file)],
    ['a big file', (file: string) => writeFile(file, adminPassword.padEnd(5000))],
  ])('stays if it is %s', async (_, make) => {
    const service = await serviceForTest('sqlite');
    const file = join(service.dataDir, 'admin-password');
    await make(file);
    await change(service, adminPassword);
    expect(await exists(file)).toBe(true);
    expect(await mayEnter(service, 'admin', fresh)).toBe(true);
  });
});
