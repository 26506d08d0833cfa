import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAristaEos } from '@corral/lab';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { keys, terminalForTest } from '../../../client/test/support/terminal.ts';
import { programFile } from '../../../test/support/built-program.ts';
import { runAdmin, runAdminSuccessfully } from '../support/services/run-admin.ts';
import { basic, clientOf, clientWith } from '../support/http/http-client.ts';
import { type Program, runToEnd, startProgram } from '../support/services/service-program.ts';
import { adminPassword } from '../support/services/service.ts';
import { done, eventually } from '../support/services/world.ts';

/** The program as an operator starts it. */
describe('the program', () => {
  let directory: string;
  const started: Program[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'corral-program-'));
  });
  afterEach(async () => {
    for (const program of started.splice(0)) await program.kill('SIGKILL');
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const env = (name: string, more: Record<string, string> = {}) => ({
    CORRAL_PORT: '0',
    CORRAL_DATA_DIR: join(directory, name),
    ...more,
  });
  const start = async (settings: Record<string, string>): Promise<Program> => {
    const program = await startProgram(settings);
    started.push(program);
    return program;
  };

  it('keeps a generated password in a file for its owner only, and in no log', async () => {
    const settings = env('first');
    const program = await start(settings);
    const file = join(settings.CORRAL_DATA_DIR, 'admin-password');
    await eventually(() => program.output.some((line) => line.includes(`its password is in ${file}`)) || undefined);
    const password = (await readFile(file, 'utf8')).trim();
    await done(clientOf(program.url, basic('admin', password)).get('/projects'));
    expect(program.output.join('\n')).not.toContain(password);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(settings.CORRAL_DATA_DIR, 'secret.key'))).mode & 0o777).toBe(0o600);
    expect(await program.kill('SIGTERM')).toBe(0);
    const again = await start(settings);
    expect(again.output.join('\n')).not.toContain(password);
  });

  it('shows a generated password to somebody who sits at its terminal, once', async () => {
    const settings = env('seen');
    const terminal = await terminalForTest(settings);
    const session = terminal.run(process.execPath, [programFile('corral-service')], { columns: 200 });
    await session.shows(/user admin, password \S+/);
    const password = (await readFile(join(settings.CORRAL_DATA_DIR, 'admin-password'), 'utf8')).trim();
    expect(session.written()).toContain(`password ${password}`);
    session.type(keys.interrupt);
    await session.exit();
  });

  it('makes no empty database in the place of one that is gone, unless it is said', async () => {
    const settings = env('gone');
    expect(await (await start(settings)).kill('SIGTERM')).toBe(0);
    const database = join(settings.CORRAL_DATA_DIR, 'corral.db');
    for (const name of await readdir(settings.CORRAL_DATA_DIR))
      if (name.startsWith('corral.db')) await rm(join(settings.CORRAL_DATA_DIR, name));
    const { code, output } = await runToEnd(settings);
    expect(code).toBe(2);
    expect(output).toMatch(
      new RegExp(
        `^corral: .*secret.key is there, but the database ${database} is not: .*corral-admin restore FILE.*corral-admin migrate`,
      ),
    );
    await expect(stat(database)).rejects.toThrow('ENOENT');
    await runAdminSuccessfully(settings, 'migrate');
    await start(settings);
  });

  it('is alone on an embedded database, until it ends in any way; corral-admin goes on', async () => {
    const settings = env('alone');
    const first = await start(settings);
    const refused = await runToEnd(settings);
    expect(refused).toMatchObject({
      code: 1,
      output: expect.stringContaining(`uses the database in ${settings.CORRAL_DATA_DIR}: stop it`) as string,
    });
    expect(await runAdmin(settings, 'check')).toMatchObject({ code: 0 });
    await first.kill('SIGKILL');
    await start(settings);
  });

  it('says which database is damaged and what to do, and ends with 2', async () => {
    const settings = env('damaged');
    expect(await (await start(settings)).kill('SIGTERM')).toBe(0);
    const database = join(settings.CORRAL_DATA_DIR, 'corral.db');
    await writeFile(database, 'this was a database once. '.repeat(1_000));
    const { code, output } = await runToEnd(settings);
    expect(output).toContain(`the database ${database} is damaged (`);
    expect(output).toContain('restore a backup with corral-admin restore');
    expect(code).toBe(2);
    expect(await runAdmin(settings, 'check')).toMatchObject({ code: 2 });
  });

  it('says which setting is to be changed when it cannot start', async () => {
    const file = join(directory, 'a-file');
    await writeFile(file, '');
    const noDirectory = await runToEnd({ CORRAL_PORT: '0', CORRAL_DATA_DIR: file });
    expect(noDirectory.output).toMatch(/^corral: cannot start: .*; data_dir must be a directory$/m);
    const noDatabase = await runToEnd(env('no-database', { CORRAL_DATABASE_URL: 'postgres://127.0.0.1:1/corral' }));
    expect(noDatabase.output).toMatch(/; is the database running, and is the setting database_url right\?$/m);
    const noAddress = await runToEnd(env('no-address', { CORRAL_HOST: '192.0.2.1' }));
    expect(noAddress.output).toMatch(/; choose an address of this machine \(setting host\)$/m);
    expect([noDirectory.code, noDatabase.code, noAddress.code]).toEqual([1, 1, 1]);
  });

  it('says every mistake in a line of its own, starts nothing and ends with 2', async () => {
    const { code, output } = await runToEnd(
      env('mistakes', {
        CORRAL_PORT: 'high',
        CORRAL_VLANS: '5000',
        CORRAL_MAINTENANCE_PROJECT: 'pool',
        CORRAL_LOG_LEVEL: 'loud',
      }),
    );
    expect(code).toBe(2);
    const lines = output.split('\n');
    expect(lines).toHaveLength(4);
    for (const word of ['CORRAL_PORT', 'CORRAL_VLANS', 'maintenance', 'CORRAL_LOG_LEVEL']) {
      expect(lines.filter((line) => line.startsWith('corral: ') && line.includes(word))).toHaveLength(1);
    }
  });

  it('says so when the port is taken', async () => {
    const program = await start(env('taken'));
    const { code, output } = await runToEnd(env('taken-too', { CORRAL_PORT: new URL(program.url).port }));
    expect(code).toBe(1);
    expect(output).toContain('EADDRINUSE');
  });

  it('stops cleanly on SIGTERM: what runs is answered, streams end, exit 0', async () => {
    const program = await start(env('stop', { CORRAL_ADMIN_PASSWORD: adminPassword }));
    const admin = clientOf(program.url, basic('admin', adminPassword));
    await done(admin.get('/projects'));
    const stream = await fetch(`${program.url}/v0/events/stream`, { headers: admin.headers });
    const [code, text] = await Promise.all([program.kill('SIGTERM'), stream.text()]);
    expect(code).toBe(0);
    expect(text).toContain(': connected');
  });

  it('stops cleanly on a SIGTERM that comes the moment it says that it is ready', async () => {
    for (const round of [1, 2, 3]) {
      const program = await start(env(`at-once-${round}`));
      expect(await program.kill('SIGTERM')).toBe(0);
    }
  });

  it('no secret is in its arguments or its output', async () => {
    const program = await start(env('silent', { CORRAL_ADMIN_PASSWORD: adminPassword, CORRAL_LOG_LEVEL: 'trace' }));
    const admin = clientOf(program.url, basic('admin', adminPassword));
    await done(admin.put('/auth/basic/user/eve', { password: 'canary-user-password' }));
    await done(
      admin.put('/switch/s', { type: 'mock', hostname: 'h', username: 'u', password: 'canary-switch-password' }),
    );
    const obmd = { uri: 'http://127.0.0.1:9/', admin_token: 'canary-obm-token' };
    await done(admin.put('/node/n', { obmd }));
    await admin.put('/node/n/obm', { enabled: true });
    await eventually(() => program.output.find((line) => line.includes('/obm')));
    const output = program.output.join('\n');
    for (const secret of ['canary', adminPassword, basic('admin', adminPassword)]) expect(output).not.toContain(secret);
    const database = await readFile(join(directory, 'silent', 'corral.db-wal'), 'latin1');
    expect(database).not.toContain('canary');
  });

  it('logs in to a switch over SSH: the client, which is loaded only then, is inside the bundle', async () => {
    const device = await startAristaEos();
    onTestFinished(() => device.stop());
    const program = await start(env('ssh', { CORRAL_ADMIN_PASSWORD: adminPassword }));
    const admin = clientOf(program.url, basic('admin', adminPassword));
    await done(admin.put('/switch/s', { type: 'arista-eos', ...device.fields }));
    const [port = ''] = device.ports;
    await done(admin.put(`/switch/s/port/${port}`));
    await done(admin.post('/switch/s/sweep'));
    const sweptAt = async () => {
      const { body } = await admin.get('/switch/s/drift');
      return (body as { readonly swept_at: string | null }).swept_at ?? undefined;
    };
    expect(await eventually(sweptAt)).toMatch(/^\d/);
  });

  it('takes its settings from a file, and the environment overrules it', async () => {
    const file = join(directory, 'corral.toml');
    await writeFile(
      file,
      'vlans = "7"\nadmin_password = "from the file"\n[maintenance]\nproject = "pool"\nurl = "http://127.0.0.1:9/"\n',
    );
    const program = await start(env('file', { CORRAL_CONFIG: file, CORRAL_ADMIN_PASSWORD: adminPassword }));
    const admin = clientOf(program.url, basic('admin', adminPassword));
    expect((await admin.get('/projects')).body).toEqual(['pool']);
    await done(admin.put('/network/one', { owner: 'admin', access: '', net_id: '' }));
    expect((await admin.get('/networks')).body).toEqual({ one: { network_id: '7', projects: null } });
  });

  it('loads drivers of the operator’s own, and refuses modules that are none', async () => {
    const file = join(directory, 'driver.mjs');
    await writeFile(
      file,
      `export const switches = { paper: { config: { type: 'object', properties: {}, additionalProperties: false },
         capabilities: [], portName: (name) => /^[0-9]+$/.test(name) ? name : { refused: 'paper ports are numbers' },
         open: () => Promise.reject(new Error('paper')) } };
       const refusal = (type) => Object.assign(new Error('not with this badge'), { type });
       export const auth = { badge: { name: 'badge', challenge: 'Badge',
         authenticate: (credentials) => {
           const badge = credentials.header('x-badge');
           if (badge === undefined) return null;
           if (badge === 'late') return Promise.reject(refusal('UnavailableError'));
           throw refusal('AuthorizationError');
         } } };`,
    );
    const settings = env('extended', {
      CORRAL_ADMIN_PASSWORD: adminPassword,
      CORRAL_EXTENSIONS: file,
      CORRAL_AUTH: 'database, badge',
    });
    const program = await start(settings);
    const admin = clientOf(program.url, basic('admin', adminPassword));
    expect((await admin.get('/active_extensions')).body).toContain('corral.ext.switches.paper');
    await done(admin.put('/switch/p', { type: 'paper' }));
    await done(admin.put('/switch/p/port/12'));
    expect(await admin.put('/switch/p/port/x')).toMatchObject({ status: 400, body: { type: 'BadArgumentError' } });
    const msg = 'not with this badge';
    const badged = (badge: string) => clientWith(program.url, { 'x-badge': badge }).get('/projects');
    expect(await badged('old')).toMatchObject({ status: 401, body: { type: 'AuthorizationError', msg } });
    expect(await badged('late')).toMatchObject({ status: 503, body: { type: 'UnavailableError', msg } });

    await writeFile(join(directory, 'none.mjs'), 'export const nothing = 1;');
    const refused = await runToEnd(env('none', { CORRAL_EXTENSIONS: join(directory, 'none.mjs') }));
    expect(refused).toMatchObject({ code: 2, output: expect.stringContaining('exports none of') as string });
    const missing = await runToEnd(env('missing', { CORRAL_HYPERVISOR: 'vmware' }));
    expect(missing).toMatchObject({ code: 2, output: expect.stringContaining('"vmware"') as string });
  });
});
