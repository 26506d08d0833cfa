import { describe, expect, it, onTestFinished } from 'vitest';
import { startOidcFixture } from '../../service/test/support/identity/oidc-fixture.ts';
import { deviceEnv, enterCode, registerDevice } from '../../service/test/support/identity/oidc-device.ts';
import { passwordOf, serviceForTest } from '../../service/test/support/services/service.ts';
import { makeUser } from '../../service/test/support/services/world.ts';
import { keys, type Session, terminalForTest } from './support/terminal.ts';

const fresh = 'a fresh password';
const answer = async (session: Session, question: string, text: string): Promise<void> => {
  await session.shows(question);
  session.type(`${text}${keys.enter}`);
};

describe('at a terminal', () => {
  it('corral login shows a code by itself where the service knows no passwords, and Ctrl-C ends the waiting', async () => {
    const site = await startOidcFixture('sqlite', { ...deviceEnv, CORRAL_AUTH: 'oidc' });
    onTestFinished(() => site.close());
    registerDevice(site);
    site.oidc.user('ada');
    const terminal = await terminalForTest();
    const login = terminal.corral(`login ${site.service.url}`, { columns: 120 });
    await login.shows('waiting for the login in the browser');
    const [, page = ''] = /Link that contains the code: (\S+)/.exec(login.screen()) ?? [];
    await enterCode(page, 'ada');
    expect(await login.exit()).toBe(0);
    expect(login.screen()).toContain('logged in as oidc:ada');
    expect(login.screen()).not.toContain('waiting');

    const again = terminal.corral(`login ${site.service.url}`, { columns: 120 });
    await again.shows('waiting for the login in the browser');
    again.type(keys.interrupt);
    expect(await again.exit()).toBe(130);
    expect(again.screen()).not.toContain('waiting');
    expect(again.screen()).not.toContain('corral:');
  });

  it('corral user password asks for the old one and twice for the new one, and shows none', async () => {
    const service = await serviceForTest('sqlite');
    await makeUser(service, 'ada');
    const env = { CORRAL_ENDPOINT: service.url, CORRAL_USERNAME: 'ada', CORRAL_PASSWORD: passwordOf('ada') };
    const terminal = await terminalForTest(env);
    const typo = terminal.corral('user password');
    await answer(typo, 'your current password, ada:', passwordOf('ada'));
    await answer(typo, 'a new password for ada:', fresh);
    await answer(typo, 'repeat the new password:', `${fresh}!`);
    expect(await typo.exit()).toBe(2);
    expect(typo.screen()).toContain('the passwords do not match; nothing was changed');

    const change = terminal.corral('user password');
    await answer(change, 'your current password, ada:', passwordOf('ada'));
    await answer(change, 'a new password for ada:', fresh);
    await answer(change, 'repeat the new password:', fresh);
    expect(await change.exit()).toBe(0);
    expect(change.written()).not.toContain(fresh);
    expect((await service.as('ada', fresh).get('/auth/whoami')).status).toBe(200);
  });
});
