import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { programFile } from '../../../test/support/built-program.ts';
import { keys, terminalForTest } from '../../../client/test/support/terminal.ts';
import type { Client } from '../support/http/http-client.ts';
import { makeToken, scriptWith, signIn } from '../support/identity/browser.ts';
import { runAdminSuccessfully, runAdmin, startAdmin } from '../support/services/run-admin.ts';
import { type EngineName, engines, freshPostgres } from '../support/services/engines.ts';
import { adminPassword, type Service, serviceForTest } from '../support/services/service.ts';
import { done, eventually, makeUser } from '../support/services/world.ts';

const fed = async (service: Pick<Service, 'env'>, input: string, ...args: readonly string[]) => {
  const { ended, output } = startAdmin(service.env, args, input);
  return { code: await ended, output: output() };
};

const whoami = (service: Service, name: string, password: string) => service.as(name, password).get('/auth/whoami');

/** An installation whose service has never run. */
const untouched = async (engine: EngineName): Promise<Record<string, string>> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'corral-admin-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  return {
    CORRAL_DATA_DIR: dataDir,
    CORRAL_PORT: '0',
    ...(engine === 'postgres' ? { CORRAL_DATABASE_URL: await freshPostgres() } : {}),
  };
};

describe.each(engines)('create-admin on %s', (engine) => {
  it('makes an administrator, beside a service that runs', async () => {
    const service = await serviceForTest(engine);
    const output = await runAdminSuccessfully(service.env, 'create-admin', 'grace', '--generate');
    const password = /^password {6}(\S+)$/m.exec(output)?.[1] ?? '';
    expect((await whoami(service, 'grace', password)).body).toMatchObject({ admin: true });
    const { body } = await done(service.admin.get('/events?user=grace'));
    expect(JSON.stringify(body)).toContain('"caller":"corral-admin"');
    expect(JSON.stringify(body)).not.toContain(password);
  });

  it('makes the first one before the service has ever run, which makes none then', async () => {
    const env = await untouched(engine);
    const place = engine === 'sqlite' ? join(env['CORRAL_DATA_DIR'] ?? '', 'corral.db') : 'PostgreSQL';
    expect(await fed({ env }, 'first password', 'create-admin', 'ada', '--password-file', '-')).toEqual({
      code: 2,
      output: `corral-admin: there is no database yet (${place}); start the service once first\n`,
    });
    await runAdminSuccessfully(env, 'migrate');
    const made = await fed({ env }, 'first password\n', 'create-admin', 'ada', '--password-file', '-');
    expect(made).toEqual({ code: 0, output: 'User ada is an administrator.\n' });
    const service = await serviceForTest(engine, env);
    expect((await whoami(service, 'ada', 'first password')).status).toBe(200);
    expect((await whoami(service, 'admin', adminPassword)).status).toBe(401);
  });

  it.each([
    ['admin', 'long enough', 1, 'user admin already exists'],
    ['a/b', 'long enough', 2, /^the user name "a\/b" is invalid; expected 1 to 255 characters /],
    ['a:b', 'long enough', 2, /^the user name "a:b" is invalid; .*without a colon/],
    ['', 'long enough', 2, /^the user name "" is invalid/],
    ['grace', 'short', 2, 'the password is invalid; expected a password of 8 to 1024 characters'],
    ['grace', '', 2, 'the password is invalid; expected a password of 8 to 1024 characters'],
    ['gracehopper', 'gracehopper', 2, 'the password is the user name; choose another'],
  ])('refuses user %j with password %j', async (user, password, code, sentence) => {
    const service = await serviceForTest(engine);
    const refused = await fed(service, password, 'create-admin', user, '--password-file', '-');
    expect(refused.code).toBe(code);
    const said = refused.output.replace(/^corral-admin: /, '').trimEnd();
    if (typeof sentence === 'string') expect(said).toBe(sentence);
    else expect(said).toMatch(sentence);
    expect(Object.keys((await done(service.admin.get('/auth/basic/users'))).body as object)).toEqual(['admin']);
  });

  it('says that nobody gets in this way where users are known elsewhere', async () => {
    const env = { ...(await untouched(engine)), CORRAL_AUTH: 'null' };
    await runAdminSuccessfully(env, 'migrate');
    expect(await runAdminSuccessfully(env, 'create-admin', 'ada', '--generate')).toContain(
      'corral-admin: the setting auth (null) does not include database, so this user cannot log in\n',
    );
  });
});

describe.each(engines)('reset-password on %s', (engine) => {
  it('voids the old one, ends sessions and revokes tokens, while the service runs', async () => {
    const service = await serviceForTest(engine);
    const ada = await makeUser(service, 'ada');
    const browser = await signIn(service, 'ada');
    const script = scriptWith(service, await makeToken(ada, 'script'));
    const statusOf = async (client: Client): Promise<number> => (await client.get('/auth/whoami')).status;
    expect(await statusOf(browser)).toBe(200);
    expect(await statusOf(script)).toBe(200);

    const reset = await fed(service, 'quite another one\n', 'reset-password', 'ada', '--password-file', '-');
    expect(reset).toEqual({
      code: 0,
      output: 'User ada has a new password. The old one is invalid, sessions have ended, tokens are revoked.\n',
    });
    // What was remembered is looked up again after a second.
    for (const client of [ada, browser, script])
      await eventually(async () => ((await statusOf(client)) === 401 ? true : undefined));
    expect((await whoami(service, 'ada', 'quite another one')).status).toBe(200);
    const events = JSON.stringify((await done(service.admin.get('/events?user=ada'))).body);
    expect(events).toContain('"type":"user_set_password"');
    expect(events).toContain('"reset":true');
  });

  it('removes the file with the first password when that is void', async () => {
    const service = await serviceForTest(engine, { CORRAL_ADMIN_PASSWORD: '' });
    const file = join(service.dataDir, 'admin-password');
    expect(existsSync(file)).toBe(true);
    await runAdminSuccessfully(service.env, 'reset-password', 'admin', '--generate');
    expect(existsSync(file)).toBe(false);
  });

  it('refuses what the interface refuses', async () => {
    const service = await serviceForTest(engine);
    const file = join(service.dataDir, 'password');
    const reset = async (user: string, password: string) => {
      await writeFile(file, password);
      const { code, output } = await runAdmin(service.env, 'reset-password', user, '--password-file', file);
      return [code, output.replace(/^corral-admin: /, '').trimEnd()];
    };
    expect(await reset('nobody', 'long enough')).toEqual([1, 'user nobody does not exist']);
    expect(await reset('admin', 'short')).toEqual([
      2,
      'the password is invalid; expected a password of 8 to 1024 characters',
    ]);
    expect(await reset('admin', adminPassword)).toEqual([
      1,
      'the new password is the one that user admin has; choose another',
    ]);
    expect((await service.admin.get('/auth/whoami')).status).toBe(200);
  });
});

describe('the password', () => {
  it('is asked for twice on a terminal, and never shown', async () => {
    const env = await untouched('sqlite');
    await runAdminSuccessfully(env, 'migrate');
    const terminal = await terminalForTest(env);
    const admin = (...args: readonly string[]) =>
      terminal.run(process.execPath, [programFile('corral-admin'), ...args]);
    const different = admin('create-admin', 'ada');
    await different.shows('new password:');
    different.type(`open sesame 1${keys.enter}`);
    await different.shows('repeat the new password:');
    different.type(`open sesame 2${keys.enter}`);
    expect(await different.exit()).toBe(2);
    expect(different.screen()).toContain('corral-admin: the passwords do not match; nothing was changed');

    const left = admin('create-admin', 'ada');
    await left.shows('new password:');
    left.type(keys.interrupt);
    expect(await left.exit()).toBe(2);
    expect(left.screen()).toContain('corral-admin: nothing was entered; nothing was changed');

    const session = admin('create-admin', 'ada');
    await session.shows('new password:');
    session.type(`open sesame 1${keys.enter}`);
    await session.shows('repeat the new password:');
    session.type(`open sesame 1${keys.enter}`);
    expect(await session.exit()).toBe(0);
    expect(session.screen()).toContain('User ada is an administrator.');
    expect(session.written() + different.written()).not.toContain('sesame');
  });

  it('may be pasted twice at once', async () => {
    const env = await untouched('sqlite');
    await runAdminSuccessfully(env, 'migrate');
    const session = (await terminalForTest(env)).run(process.execPath, [
      programFile('corral-admin'),
      'create-admin',
      'ada',
    ]);
    await session.shows('new password:');
    session.type(`open sesame 1${keys.enter}open sesame 1${keys.enter}`);
    expect(await session.exit()).toBe(0);
    expect(session.written()).not.toContain('sesame');
  });

  it('has to come from somewhere', async () => {
    const env = await untouched('sqlite');
    await runAdminSuccessfully(env, 'migrate');
    const said = async (...args: readonly string[]) => (await runAdmin(env, 'create-admin', 'ada', ...args)).output;
    expect(await said()).toBe(
      'corral-admin: there is no terminal to ask "new password:"; give the password with --password-file, or generate one with --generate\n',
    );
    expect(await said('--password-file', '/nowhere/at/all')).toBe(
      'corral-admin: --password-file: /nowhere/at/all cannot be read: no such file\n',
    );
    expect(await said('--password-file', '-', '--generate')).toBe(
      'corral-admin: --password-file and --generate cannot be combined\n',
    );
    expect((await runAdmin(env, 'create-admin')).output).toBe(
      'corral-admin: create-admin: USER is missing; see corral-admin help create-admin\n',
    );
    expect(await readFile(join(env['CORRAL_DATA_DIR'] ?? '', 'corral.db'))).not.toContain('ada');
  });
});
