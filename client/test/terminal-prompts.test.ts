import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adminPassword, type Service, serviceForTest } from '../../service/test/support/services/service.ts';
import { done } from '../../service/test/support/services/world.ts';
import { programFile } from '../../test/support/built-program.ts';
import { keys, type Session, terminalForTest } from './support/terminal.ts';

const secret = 'mauve elephants';
const makeAda = (service: Service) => done(service.admin.put('/auth/basic/user/ada', { password: secret }));

/** Somebody types a secret where nothing may be seen of it. */
const typeSecret = async (session: Session, typed = secret): Promise<void> => {
  for (const letter of typed) session.type(letter);
  session.type(keys.enter);
  await session.exit();
  expect(session.written()).not.toContain(typed.slice(0, 4));
  expect(session.written()).not.toContain('*');
};

describe('at a terminal', () => {
  it('corral login asks for name and password, shows the one and not the other, and keeps a token', async () => {
    const service = await serviceForTest('sqlite');
    await makeAda(service);
    const terminal = await terminalForTest();
    const login = terminal.corral(`login ${service.url}`);
    await login.shows('user name:');
    login.type(`adx${keys.backspace}a\u001b[D`);
    await login.shows(/^user name: ada$/m);
    login.type(keys.enter);
    await login.shows(`password of ada at ${service.url}:`);
    await typeSecret(login);
    expect(await login.exit()).toBe(0);
    expect(login.screen().split('\n').slice(0, 2)).toEqual(['user name: ada', `password of ada at ${service.url}:`]);
    expect(login.screen()).toContain('logged in as ada');
    expect(await readFile(join(terminal.home, '.config/corral/client.json'), 'utf8')).not.toContain(secret);

    const whoami = terminal.corral('whoami');
    expect(await whoami.exit()).toBe(0);
    expect(whoami.screen()).toMatch(/name +ada/);
  });

  it('a password that is pasted together with the name is not shown either', async () => {
    const service = await serviceForTest('sqlite');
    await makeAda(service);
    const terminal = await terminalForTest();
    const login = terminal.corral(`login ${service.url}`);
    await login.shows('user name:');
    login.type(`ada${keys.enter}${secret}${keys.enter}`);
    expect(await login.exit()).toBe(0);
    expect(login.written()).not.toContain(secret);
  });

  it('a wrong password is refused in the words of the service', async () => {
    const service = await serviceForTest('sqlite');
    const terminal = await terminalForTest();
    const login = terminal.corral(`login ${service.url} --username ada`);
    await login.shows('password of ada at');
    await typeSecret(login, 'not the right one');
    expect(await login.exit()).toBe(1);
    expect(login.screen()).toContain('corral: wrong user name or password');
  });

  it('secrets of switches and OBM daemons are asked for in the same way, letters that are typed wrong can be removed', async () => {
    const service = await serviceForTest('sqlite');
    await makeAda(service);
    const terminal = await terminalForTest({
      CORRAL_ENDPOINT: service.url,
      CORRAL_USERNAME: 'admin',
      CORRAL_PASSWORD: adminPassword,
    });
    const made = terminal.corral('user create bob');
    await made.shows('password for bob:');
    await typeSecret(made, `wrong\u0015päss${keys.backspace}${keys.backspace}ssword`);
    expect(await made.exit()).toBe(0);
    expect((await service.as('bob', 'pässword').get('/auth/whoami')).status).toBe(200);
    const empty = terminal.corral('user create eve');
    await empty.shows('password for eve:');
    empty.type(keys.enter);
    expect(await empty.exit()).toBe(2);
    expect(empty.screen()).toContain('is empty');
  });

  it.each([
    ['Ctrl-C', keys.interrupt, 130, /^password of ada at http:\/\/127\.0\.0\.1:5000:\n/],
    ['Ctrl-D', keys.end, 2, /nothing was entered/],
  ])('%s ends a question, and the terminal is as it was', async (_name, key, code, shown) => {
    const terminal = await terminalForTest();
    const script = '"$0" "$1" login http://127.0.0.1:5000 --username ada; echo "ended with $?"; stty -a';
    const shell = terminal.run('/bin/sh', ['-c', script, process.execPath, programFile('corral')]);
    await shell.shows('password of ada at');
    shell.type(code === 130 ? `secret${key}` : key);
    await shell.exit();
    expect(shell.screen()).toContain(`ended with ${code}`);
    expect(shell.screen()).toMatch(shown);
    expect(shell.screen()).not.toContain('secret');
    expect(shell.screen()).toMatch(/(?<!-)\bicanon\b[^]*(?<!-)\becho\b/);
  });
});
