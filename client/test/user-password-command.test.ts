import { describe, expect, it } from 'vitest';
import { engines } from '../../service/test/support/services/engines.ts';
import {
  adminPassword,
  passwordOf,
  type Service,
  serviceForTest,
} from '../../service/test/support/services/service.ts';
import { makeUser } from '../../service/test/support/services/world.ts';
import { shellForTest } from './support/shell.ts';

const fresh = 'a fresh password';
const mayEnter = async (service: Service, name: string, password: string): Promise<boolean> =>
  (await service.as(name, password).get('/auth/whoami')).status === 200;

describe.each(engines)('corral user password, on %s,', (engine) => {
  it('changes one’s own, by the old one, and keeps or revokes the tokens', async () => {
    const service = await serviceForTest(engine);
    await makeUser(service, 'ada');
    const shell = await shellForTest();
    const [old, next, other] = [
      await shell.file('old', passwordOf('ada')),
      await shell.file('new', fresh),
      await shell.file('other', `${fresh}!`),
    ];
    await shell(`login ${service.url} --username ada --password-file ${old}`);
    const wrong = await shell(`user password --current-file ${next} --password-file ${next}`);
    expect(wrong).toMatchObject({ code: 1, out: '' });
    expect(wrong.err).toContain('wrong user name or password');

    const changed = await shell(`user password --current-file ${old} --password-file ${next}`);
    expect(changed).toMatchObject({ code: 0, out: '✓ user ada has a new password\n', err: '' });
    expect(await mayEnter(service, 'ada', passwordOf('ada'))).toBe(false);
    expect(await mayEnter(service, 'ada', fresh)).toBe(true);
    expect((await shell('whoami')).code).toBe(0);

    const line = `user password ada --current-file ${next} --password-file ${other} --revoke-tokens`;
    expect(await shell(line)).toMatchObject({ code: 0 });
    expect((await shell('whoami')).code).toBe(1);
  });

  it('sets somebody’s for an administrator who shows who he is, and for nobody else', async () => {
    const service = await serviceForTest(engine);
    await makeUser(service, 'ada');
    await makeUser(service, 'eve');
    const shell = await shellForTest();
    const [mine, next] = [await shell.file('mine', adminPassword), await shell.file('new', fresh)];
    await shell(`login ${service.url} --username admin --password-file ${mine}`);
    expect((await shell(`user password ada --password-file ${next}`)).err).toContain(
      'your current password, admin is required, and there is no terminal to prompt for it',
    );
    expect((await shell(`user password ada --password-file ${next} --revoke-tokens`)).err).toContain('revoked anyway');
    const set = await shell(`user password ada --current-file ${mine} --password-file ${next} --json`);
    expect(set).toMatchObject({ code: 0, out: '{}\n' });
    expect(await mayEnter(service, 'ada', fresh)).toBe(true);

    const env = { CORRAL_ENDPOINT: service.url, CORRAL_USERNAME: 'admin', CORRAL_PASSWORD: adminPassword };
    expect((await shell(`user password ada --password-file ${mine}`, { env })).code).toBe(0);
    const eve = { ...env, CORRAL_USERNAME: 'eve', CORRAL_PASSWORD: passwordOf('eve') };
    const refused = await shell(`user password ada --password-file ${next}`, { env: eve });
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.err).toContain("only administrators may set another user's password");
    expect(await mayEnter(service, 'ada', adminPassword)).toBe(true);
  });
});
