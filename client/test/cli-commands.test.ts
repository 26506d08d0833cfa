import { startLabObmd } from '@corral/lab';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../../service/test/support/services/engines.ts';
import { adminPassword, passwordOf, serviceForTest } from '../../service/test/support/services/service.ts';
import { makeProject, makeUser } from '../../service/test/support/services/world.ts';
import { commands } from '../src/cli/commands/all-commands.ts';
import { commandOf, parse, split } from '../src/cli/parse-arguments.ts';
import { failureOf } from '../src/cli/exit-codes.ts';
import { UnreachableError } from '../src/index.ts';
import { type Shell, shellForTest } from './support/shell.ts';

const asAdmin = (url: string) => ({
  CORRAL_ENDPOINT: url,
  CORRAL_USERNAME: 'admin',
  CORRAL_PASSWORD: adminPassword,
});

/** Runs lines that are to work, and remembers which commands they were. */
const working = (shell: Shell, used: Set<string>) => async (line: string) => {
  const ran = await shell(line);
  expect({ line, ...ran }).toMatchObject({ code: 0 });
  const words = line.split(' ');
  const command = commands
    .filter((candidate) => candidate.words.every((word, index) => words[index] === word))
    .sort((a, b) => b.words.length - a.words.length)[0];
  used.add(command?.words.join(' ') ?? '');
  return ran.out;
};

describe.each(engines)('the command line, on %s', (engine) => {
  it('does everything that there is to do, from an empty rack to an empty rack', async () => {
    const service = await serviceForTest(engine);
    const obmd = await startLabObmd({ adminToken: 'token of the lab', tickMs: 20 });
    onTestFinished(() => obmd.close());
    obmd.add('n1');
    const shell = await shellForTest(asAdmin(service.url));
    const token = await shell.file('token', 'token of the lab\n');
    const password = await shell.file('pw', passwordOf('ada'));
    const used = new Set<string>();
    const corral = working(shell, used);

    await corral(`switch register sw mock hostname=h username=u --password-file ${password}`);
    expect(await corral('switch list')).toContain('sw');
    expect(await corral('switch types')).toMatch(/^mock +hostname username password$/m);
    await corral('port register sw gi1/0/1');
    expect(await corral('switch test sw --port gi1/0/1 --native 7')).toContain('set gi1/0/1 native 7 tagged none');
    expect(await corral('switch show sw')).toMatch(/type +mock[^]*hostname +h\n[^]*password +a secret\n[^]*gi1\/0\/1/);
    await corral(`node register n1 ${obmd.uri('n1')} --admin-token-file ${token}`);
    await corral('node nic register n1 eth0 52:54:00:00:00:01');
    await corral('port nic add sw gi1/0/1 n1 eth0');
    await corral("node metadata add n1 rack 'r 1'");
    await corral('project create red');
    expect(await corral('project list')).toMatch(/^red +0 +0 +0$/m);
    expect(JSON.parse(await corral('project list --json'))).toEqual(['red']);
    expect(await corral('networking-action list')).toBe('no changes are queued\n');
    await corral(`user create ada --password-file ${password}`);
    await corral('user project add ada red');
    expect(await corral('user list')).toMatch(/ada +red/);
    await corral('user set-admin ada true');
    await corral('user set-admin ada false');

    expect(await corral('quota set nodes 1 --project red')).toContain('nodes of project red are limited to 1');
    await corral('quota set nodes 0 --project red --class gpu');
    await corral('quota set networks 3');
    await corral('quota set networks none --project red');
    expect(await corral('quota list')).toBe(
      [
        'project     what      class  limit',
        'all others  networks  -      3',
        'red         nodes     -      1',
        'red         networks  -      none',
        'red         nodes     gpu    0',
        '',
      ].join('\n'),
    );
    expect(await corral('quota list red')).toMatch(/^nodes +- +0 +1$[^]*^networks +- +0 +none$[^]*^nodes +gpu +0 +0$/m);
    expect(JSON.parse(await corral('quota list red --json'))).toContainEqual({
      what: 'nodes',
      class: 'gpu',
      limit: 0,
      used: 0,
    });
    await corral('node metadata add n1 class gpu');
    expect((await shell('project node add red n1')).err).toContain('project red has 0 of 0 nodes of class gpu');
    await corral('project node add red n1 --force');
    await corral('project node remove red n1');
    expect(await corral('quota delete nodes --project red --class gpu')).toContain('is deleted');
    await corral('quota delete networks');
    await corral('node metadata delete n1 class');
    expect((await shell('quota set nodes many')).err).toContain(
      'many is no limit; expected a number such as 4, or none',
    );

    expect(await corral('node list --free --columns node')).toBe('node\nn1\n');
    await corral('project node add red n1');
    expect(await corral('project node list red')).toContain('n1');
    expect(await corral('claim nodes red 1 --dry-run')).toContain('0 free nodes fit');
    const claim = /claim (\S+) waits/.exec(await corral('claim nodes red 1 --wait'))?.[1] ?? '';
    expect(await corral('claim list red')).toMatch(/waiting +1 +1/);
    expect(await corral(`claim show ${claim}`)).toContain('at place 1 in line');
    expect(await corral(`claim cancel ${claim}`)).toContain('is cancelled');
    expect(await corral('usage --by node,class')).toMatch(
      /^node +class +reserved hours +powered hours$\n^n1 +- +0\.00 +0\.00$/m,
    );
    expect(await corral('usage --by project,class,month --csv')).toMatch(
      /^project,project_id,class,month,reserved_seconds,powered_seconds\r\nred,\d+,,\d{4}-\d\d,[\d.]+,0\r\n/,
    );
    expect(JSON.parse(await corral('usage --json'))).toMatchObject({ rows: [{ project: 'red', powered_seconds: 0 }] });
    expect((await shell('usage --by rack')).err).toContain(
      'usage is not counted by rack; expected one or more of project',
    );
    await corral('network create lab red');
    expect(await corral('network list')).toMatch(/lab +\d+ +red +red +0/);
    expect(await corral('project list-networks red')).toContain('lab');
    expect(await corral('node network connect n1 eth0 lab --wait')).toContain('is on network lab');
    expect(await corral('node show n1')).toMatch(
      /rack: r 1[^]*eth0 +52:54:00:00:00:01 +lab \(vlan\/native\) +sw gi1\/0\/1/,
    );
    expect(await corral('network show lab')).toMatch(/nodes +n1 \(eth0\)/);
    expect(await corral('network list-attachments lab --project red')).toMatch(/n1 +eth0 +vlan\/native +red/);
    expect(await corral('port show sw gi1/0/1')).toMatch(/nic +n1 eth0/);
    expect(await corral('reach lab')).toContain('n1 eth0');
    expect(await corral('switch sweep sw')).toMatch(/^sw +(now|\d+ s ago) +as recorded$/m);
    expect(await corral('drift --last')).toMatch(/^sw +(now|\d+ s ago) +as recorded$/m);
    expect(await corral('wiring check n1')).toMatch(/^n1 eth0 +unseen +sw gi1\/0\/1$/m);
    expect(await corral('switch policy sw repair')).toContain('are repaired');
    await corral('switch policy sw report');

    await corral('node obm enable n1');
    await corral('node power on n1');
    expect(await corral('node power status n1')).toMatch(/power +on/);
    await corral('node power cycle n1 --force');
    await corral('node bootdev n1 disk');
    await corral('node power off n1');
    await corral('node obm disable n1');

    await corral('headnode create head red base');
    await corral('headnode nic create head eth0');
    await corral('headnode network connect head eth0 lab');
    await corral('headnode network detach head eth0');
    await corral('headnode nic delete head eth0');
    await corral('headnode start head');
    expect(await corral('headnode show head')).toMatch(/vnc port +\d+/);
    expect(await corral('headnode list red')).toMatch(/^head +red +started +base$/m);
    expect(JSON.parse(await corral('headnode list red --json'))).toEqual(['head']);
    expect(JSON.parse(await corral('headnode list --json'))).toMatchObject({ headnodes: [{ name: 'head' }] });
    expect(await corral('headnode list-images')).toContain('base');
    await corral('headnode stop head');
    await corral('headnode delete head');

    const { status_id } = JSON.parse(await corral('node network detach n1 eth0 lab --no-wait --json')) as {
      status_id: string;
    };
    await expect.poll(() => corral(`networking-action show ${status_id}`), { timeout: 20_000 }).toContain('DONE');
    await corral('port revert sw gi1/0/1 --wait');
    await corral('network delete lab');
    await corral('project node remove red n1');
    expect(await corral('release n1')).toContain('is in no project');
    expect(await corral('project release list red')).toBe('no releases\n');
    await corral('project node add red n1');
    const [{ release }] = JSON.parse(await corral('release n1 --json')) as [{ release: string }];
    expect(await corral(`project release show ${release}`)).toMatch(/^state +done/m);
    expect(await corral('project release list red')).toMatch(/^n1 +admin +\S.* +done/m);
    await corral('node metadata delete n1 rack');
    expect(await corral('events --node n1 --limit 3 --json')).toContain('"type":"node_delete_metadata"');
    expect((await shell('events --type node_registre')).err).toBe(
      'no events of type node_registre; did you mean node_register?\n',
    );
    expect(await corral('token create ci --days 1 --read-only')).toMatch(/^corral_/);
    expect(await corral('token list')).toMatch(/ci +all of yours +look/);
    await corral('token revoke ci');
    expect(await corral('whoami')).toMatch(/name +admin/);
    expect(await corral('extension list')).toContain('database');
    const signedIn = await fetch(`${service.url}/v0/auth/session`, {
      method: 'POST',
      headers: { origin: service.url },
      body: JSON.stringify({ username: 'admin', password: adminPassword }),
    });
    expect(signedIn.status).toBe(200);
    const [{ session = '' } = {}] = JSON.parse(await corral('session list --json')) as { session?: string }[];
    expect(await corral(`session end ${session}`)).toContain('has ended');
    expect(await corral('session list')).toContain('no sessions');
    await corral('port nic remove sw gi1/0/1');
    await corral('node nic delete n1 eth0');
    await corral('node delete n1');
    await corral('port delete sw gi1/0/1');
    expect(await corral('switch update sw hostname=elsewhere')).toContain('switch sw is updated');
    await corral('switch delete sw');
    await corral('user project remove ada red');
    await corral('user delete ada');
    await corral('project delete red');
    expect(await corral('completion bash')).toContain('complete');
    expect(await corral('__complete node sh')).toBe('show\n');

    const elsewhere = [
      'apply',
      'bmc delete',
      'bmc list',
      'bmc register',
      'bmc show',
      'bmc test',
      'bmc types',
      'cleaning list',
      'cleaning retry',
      'cleaning show',
      'cleaning skip',
      'export',
      'headnode leftover delete',
      'login',
      'logout',
      'network grant-access',
      'network revoke-access',
      'node console',
      'node console show',
      'node quarantine',
      'profile list',
      'profile use',
      ...['show', 'off', 'on', 'set', 'remove'].map((verb) => `mail ${verb}`),
      ...['create', 'list', 'show', 'update', 'pause', 'resume', 'delete', 'test', 'rotate-secret', 'dead-letters'].map(
        (verb) => `subscription ${verb}`,
      ),
      'subscription mail',
      'subscription resend',
      'user password',
    ];
    const all = commands.map(({ words }) => words.join(' '));
    expect(all.filter((words) => !used.has(words) && !elsewhere.includes(words))).toEqual([]);
  });

  it('lets networks be shared, and consoles be watched until one has seen enough', async () => {
    const service = await serviceForTest(engine);
    const obmd = await startLabObmd({ adminToken: 't', tickMs: 10 });
    onTestFinished(() => obmd.close());
    obmd.add('n1');
    const shell = await shellForTest(asAdmin(service.url));
    const corral = working(shell, new Set());
    await makeProject(service, 'red');
    await makeProject(service, 'blue');
    await corral('network create lab red');
    await corral('network grant-access lab blue');
    expect(await corral('network show lab')).toMatch(/access +blue, red/);
    await corral('network revoke-access lab blue');
    const token = await shell.file('token', 't');
    await corral(`node register n1 ${obmd.uri('n1')} --admin-token-file ${token}`);
    await corral('node obm enable n1');
    await corral('node power on n1');
    const enough = new AbortController();
    const watching = shell('node console show n1', { signal: enough.signal });
    await expect.poll(() => obmd.calls.some(({ path }) => path.endsWith('/console'))).toBe(true);
    enough.abort();
    expect((await watching).code).toBe(130);
  });

  it('logs in once, keeps a token that only its owner can read, and forgets it again', async () => {
    const service = await serviceForTest(engine);
    await makeUser(service, 'ada');
    const shell = await shellForTest();
    const pw = await shell.file('pw', passwordOf('ada'));
    const login = await shell(`login ${service.url} --username ada --password-file ${pw}`);
    expect(login).toMatchObject({ code: 0, err: '' });
    expect(login.out).toContain('logged in as ada');
    expect((await stat(join(shell.home, 'client.json'))).mode & 0o777).toBe(0o600);
    expect((await shell('whoami')).out).toMatch(/name +ada[^]*by +token/);
    expect((await shell('whoami --profile none')).err).toContain('profile none does not exist');
    expect((await shell('whoami', { env: { CORRAL_ENDPOINT: 'http://127.0.0.1:9' } })).code).toBe(3);
    expect((await shell('logout')).out).toContain('its token is revoked');
    expect((await service.as('ada').get('/auth/tokens')).body).toEqual([]);
    expect((await shell('whoami', { env: { CORRAL_ENDPOINT: service.url } })).code).toBe(1);
  });

  it('makes tokens for scripts with the password of the user who is logged in: a token makes no other', async () => {
    const service = await serviceForTest(engine);
    const shell = await shellForTest();
    const password = await shell.file('pw', adminPassword);
    const login = (profile: string) =>
      shell(`login ${service.url} --profile ${profile} --username admin --password-file ${password}`);
    // As many as want to at once.
    expect((await Promise.all(['one', 'two', 'three'].map(login))).map(({ code }) => code)).toEqual([0, 0, 0]);
    const made = await shell(`token create ci --days 1 --password-file ${password}`);
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^corral_\S+\n$/) as string });
    const env = { CORRAL_ENDPOINT: service.url, CORRAL_TOKEN: made.out.trim() };
    expect((await shell('whoami', { env })).out).toMatch(/name +admin/);
    const wrong = await shell.file('wrong', 'not it');
    expect(await shell(`token create other --password-file ${wrong}`)).toEqual({
      code: 1,
      out: '',
      err: 'corral: wrong user name or password\n',
    });
  });

  it('takes what existing scripts set', async () => {
    const service = await serviceForTest(engine);
    const env = { HIL_ENDPOINT: service.url, HIL_USERNAME: 'admin', HIL_PASSWORD: adminPassword };
    const shell = await shellForTest(env);
    expect((await shell('project list')).code).toBe(0);
    expect((await shell('project list', { env: { HIL_PASSWORD: 'wrong' } })).err).toContain(
      'wrong user name or password',
    );
  });

  it('sends a password of the environment to no endpoint of a profile', async () => {
    const service = await serviceForTest(engine);
    const shell = await shellForTest();
    const password = await shell.file('pw', adminPassword);
    await shell(`login ${service.url} --username admin --password-file ${password}`);
    expect((await shell('project list')).code).toBe(0);
    const env = { CORRAL_USERNAME: 'ada', CORRAL_PASSWORD: 'of another service' };
    // It goes to the usual endpoint, whoever listens there, if anybody does.
    expect((await shell('project list', { env })).code).not.toBe(0);
    expect(await (await fetch(`${service.url}/metrics`)).text()).not.toMatch(/^corral_failed_logins_total.* [1-9]/m);
    expect((await shell(`project list --endpoint ${service.url}`, { env })).code).toBe(1);
    expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(/^corral_failed_logins_total.* [1-9]/m);
  });
});

it('help on a command names those that begin with its words', async () => {
  const { out } = await (await shellForTest())('help node console');
  expect(out).toMatch(/^corral node console NODE \[--read-only\] \[--log FILE\]$/m);
  expect(out).toMatch(/^ {2}corral node console show NODE {2}show /m);
});

it.each([
  [['node', 'console', 'show'], 'node console show'],
  [['node', 'console', 'show', 'n1'], 'node console show'],
  [['node', 'console', '--', 'show'], 'node console'],
  [['node', 'console', '--read-only', '--', 'show'], 'node console'],
  [['--', 'node', 'list'], 'node list'],
])('of %j the command is %s: what comes after -- is no part of its name', (argv, expected) => {
  const { words, plainFrom } = split(commands, argv, 'unfinished');
  expect(commandOf(commands, { words, plainFrom })?.words.join(' ')).toBe(expected);
});

it('a node that is called like a command is reached after --', () => {
  const parsed = parse(commands, ['node', 'console', '--', 'show']);
  expect(parsed.kind === 'run' && [parsed.command.words, parsed.parsed.arg('node')]).toEqual([
    ['node', 'console'],
    'show',
  ]);
});

describe('the command line says what is wrong', () => {
  it.each([
    ['node shwo n1', 2, 'unknown command corral node shwo; did you mean corral node show?'],
    ['nodes', 2, 'unknown command corral nodes; did you mean corral node?'],
    ['hlep', 2, 'unknown command corral hlep; did you mean corral help?'],
    ['help nodes', 2, 'unknown command corral nodes; did you mean corral node?'],
    ['node shwo --help', 2, 'unknown command corral node shwo; did you mean corral node show?'],
    ['--verison', 2, 'corral has no option --verison; did you mean --version?'],
    ['logout --profile constructor', 2, 'no profile to log out of'],
    ['user create ada --password-file /nowhere', 2, '/nowhere does not exist'],
    ['user create ada --password-file /', 2, '/ is a directory, not a file'],
    ['events --limit 0 --endpoint http://127.0.0.1:9', 2, 'expected a number of events, 1 or more'],
    ['events --limit -1 --endpoint http://127.0.0.1:9', 2, 'limit'],
    ['node show a --timeout 1e300 --endpoint http://127.0.0.1:9', 3, 'cannot be reached'],
    ['node power', 2, 'corral node power needs a subcommand: on, off, cycle, status'],
    ['node show', 2, 'corral node show NODE: NODE is missing'],
    ['node show a b', 2, 'unexpected argument "b"'],
    ['node show a --jsno', 2, 'has no option --jsno; did you mean --json?'],
    ['node bootdev n1 dsk', 2, 'DEVICE must be one of disk, pxe, none, not "dsk"; did you mean disk?'],
    ['node show a --timeout', 2, 'option --timeout needs a value: --timeout SECONDS'],
    ['node show a --timeout soon', 2, '--timeout takes a number of seconds above 0'],
    ['node show a --endpoint nowhere', 2, '"nowhere" is not an endpoint'],
    ['node show a --endpoint http://127.0.0.1:9', 3, 'cannot be reached'],
    ['switch register s mock password=secret', 2, 'a password on the command line is visible to other users'],
    ['switch register s mock hostname', 2, '"hostname" is not a field; write NAME=VALUE'],
    ['user create ada', 2, 'there is no terminal to prompt for it'],
    ['user create ada --password-file none', 2, 'none does not exist'],
  ])('%s', async (line, code, words) => {
    const shell = await shellForTest();
    const ran = await shell(line);
    expect(ran).toMatchObject({ code, out: '' });
    expect(ran.err).toContain(words);
  });

  it.each([
    ['self-signed certificate', 'NODE_EXTRA_CA_CERTS'],
    ['write EPROTO wrong version number', 'does it use http instead of https?'],
    ['socket hang up', 'does it use https instead of http?'],
    ['connect ECONNREFUSED 127.0.0.1:9', 'is it running, and is the endpoint right?'],
  ])('and what to try when %s', (why, hint) => {
    const error = new UnreachableError(`https://corral.example.org cannot be reached: ${why}`, { sent: false });
    expect(failureOf(error).hint).toContain(hint);
  });

  it('and which version it is', async () => {
    const shell = await shellForTest();
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(await shell('--version')).toEqual({ code: 0, out: `corral ${version}\n`, err: '' });
    expect(JSON.parse((await shell('--version --json')).out)).toEqual({ version });
  });

  it('and never what was written before the @ of an address', async () => {
    const shell = await shellForTest();
    const env = { OS_AUTH_URL: 'http://ada:secret@127.0.0.1:9/v3', OS_USERNAME: 'ada', OS_PASSWORD: 'other' };
    expect(await shell('node list', { env })).toEqual({
      code: 2,
      out: '',
      err: expect.stringContaining('OS_AUTH_URL holds a user name or a password; write it like https://') as string,
    });
    expect((await shell('node list', { env })).err).not.toContain('secret');
  });

  it('and every command has help with an example that is one of its own', async () => {
    const shell = await shellForTest();
    for (const { words, example } of commands) {
      expect((await shell(`help ${words.join(' ')}`)).out).toContain(`corral ${example}`);
      expect(example.startsWith(words.join(' '))).toBe(true);
    }
  });
});
