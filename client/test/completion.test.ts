import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasPart } from '@corral/lab';
import { describe, expect, it } from 'vitest';
import {
  adminPassword,
  passwordOf,
  type Service,
  serviceForTest,
} from '../../service/test/support/services/service.ts';
import { done, makeNetwork, makeNode, makeProject, makeUser } from '../../service/test/support/services/world.ts';
import { installCorral, interactiveShell } from './support/interactive.ts';
import { shellForTest } from './support/shell.ts';
import { terminalForTest } from './support/terminal.ts';

const odd = ['rack 1: left', "it's", 'say "hi"', 'a$b', '-dash', '計算機'];

/** A service with nodes of odd names, and what an administrator's environment says. */
const scene = async () => {
  const service = await serviceForTest('sqlite');
  for (const node of ['node-12', 'vlan:red', 'vlan:rose', ...odd]) await makeNode(service, encodeURIComponent(node));
  await makeNode(service, 'wired', ['eth0', 'eth1']);
  return { service, env: envOf(service, 'admin', adminPassword) };
};

const envOf = (service: Service, name: string, password: string) => ({
  CORRAL_ENDPOINT: service.url,
  CORRAL_USERNAME: name,
  CORRAL_PASSWORD: password,
});

/** What was typed, and what the shell makes of it. */
const examples = {
  'the words of a command': ['corral node sh', 'corral node show '],
  'an option': ['corral node show --js', 'corral node show --json '],
  'an option after a value': ['corral node list --timeout 5 --js', 'corral node list --timeout 5 --json '],
  'a word out of few': ['corral completion fi', 'corral completion fish '],
  'a label': ['corral node show node-', 'corral node show node-12 '],
  'a label of a thing that was named before': ['corral node nic delete wired e', 'corral node nic delete wired eth'],
  'a label with colons': ['corral node show vlan:re', 'corral node show vlan:red '],
  'a label as the value of an option': ['corral events --node node-', 'corral events --node node-12 '],
  'what help is about': ['corral help netw', 'corral help network'],
} as const;

describe('completion in bash', () => {
  it('completes commands, options and live labels', async () => {
    const { env } = await scene();
    const bash = await interactiveShell(await terminalForTest(env), 'bash');
    for (const [what, [typed, completed]] of Object.entries(examples)) {
      expect({ what, line: await bash.completed(typed) }).toEqual({ what, line: completed });
    }
    expect(await bash.completed('corral node show rack')).toBe('corral node show rack\\ 1:\\ left ');
    expect(await bash.completed('corral node show "rack 1')).toBe('corral node show "rack 1: left" ');
    expect(await bash.completed("corral node show 'rack")).toBe("corral node show 'rack 1: left' ");
    expect(await bash.completed('corral node show rack\\ 1:')).toBe('corral node show rack\\ 1:\\ left ');
    expect(await bash.completed('corral node show it')).toBe("corral node show it\\'s ");
    expect(await bash.completed('corral node show say')).toBe('corral node show say\\ \\"hi\\" ');
    expect(await bash.completed('corral node show a')).toBe('corral node show a\\$b ');
    expect(await bash.completed('corral node show -d')).toBe('corral node show -dash ');
    expect(await bash.completed('corral node show 計')).toBe('corral node show 計算機 ');
    expect(await bash.completed('corral events --node=node-')).toBe('corral events --node=node-12 ');
    expect(await bash.offered('corral node show vlan:')).toEqual(expect.arrayContaining(['red', 'rose']));
  });

  it('completes names of files where one is wanted, and nothing where there is nothing', async () => {
    const { env } = await scene();
    const terminal = await terminalForTest(env);
    const bash = await interactiveShell(terminal, 'bash');
    expect(await bash.completed(`corral apply ${terminal.home}/b`)).toBe(`corral apply ${terminal.home}/bin/`);
    const option = `corral user create ada --password-file ${terminal.home}/b`;
    expect(await bash.completed(option)).toBe(`${option}in/`);
    expect(await bash.completed('corral node delete no-such')).toBe('corral node delete no-such');
  });
});

describe.skipIf(!hasPart('zsh'))('completion in zsh', () => {
  it('completes commands, options and live labels', async () => {
    const { env } = await scene();
    const zsh = await interactiveShell(await terminalForTest(env), 'zsh');
    for (const [what, [typed, completed]] of Object.entries(examples)) {
      expect({ what, line: await zsh.completed(typed) }).toEqual({ what, line: completed });
    }
    expect(await zsh.completed('corral node show rack')).toBe('corral node show rack\\ 1:\\ left ');
    expect(await zsh.completed("corral node show 'rack 1")).toBe("corral node show 'rack 1: left' ");
    expect(await zsh.completed('corral node show rack\\ 1:')).toBe('corral node show rack\\ 1:\\ left ');
    expect(await zsh.completed('corral node show it')).toBe("corral node show it\\'s ");
    expect(await zsh.completed('corral node show a')).toBe('corral node show a\\$b ');
    expect(await zsh.completed('corral node show -d')).toBe('corral node show -dash ');
    expect(await zsh.completed('corral node show 計')).toBe('corral node show 計算機 ');
  });
});

describe.skipIf(!hasPart('fish'))('completion in fish', () => {
  it('completes commands, options and live labels', async () => {
    const { env } = await scene();
    const terminal = await terminalForTest();
    const bin = await installCorral(terminal.home);
    const script = 'corral completion fish | source; complete -C $argv[1]';
    const fish = async (line: string): Promise<readonly string[]> => {
      const { stdout } = await promisify(execFile)('fish', ['--no-config', '-c', script, line], {
        cwd: terminal.home,
        env: { ...env, HOME: terminal.home, LANG: 'C.UTF-8', PATH: `${bin}:${process.env['PATH'] ?? ''}` },
      });
      return stdout.split('\n').filter((candidate) => candidate !== '');
    };
    expect(await fish('corral node sh')).toEqual(['show']);
    expect(await fish('corral node show --js')).toEqual(['--json']);
    expect(await fish('corral node list --timeout 5 --js')).toEqual(['--json']);
    expect(await fish('corral completion fi')).toEqual(['fish']);
    expect(await fish('corral node show node-')).toEqual(['node-12']);
    expect(await fish('corral node nic delete wired ')).toEqual(['eth0', 'eth1']);
    expect(await fish('corral node show vlan:')).toEqual(['vlan:red', 'vlan:rose']);
    expect(await fish('corral events --node node-')).toEqual(['node-12']);
    for (const typed of ['rack', 'rack\\ 1', "'rack 1", '"rack 1']) {
      expect({ typed, candidates: await fish(`corral node show ${typed}`) }).toEqual({
        typed,
        candidates: ['rack 1: left'],
      });
    }
    expect(await fish('corral node show it')).toEqual(["it's"]);
    expect(await fish('corral node show -d')).toEqual(['-dash']);
    expect(await fish('corral node show 計')).toEqual(['計算機']);
    expect(await fish('corral apply b')).toEqual(['bin/']);
  });
});

describe('what completion offers', () => {
  it('a tenant is offered the projects, networks and headnodes that are his', async () => {
    const service = await serviceForTest('sqlite');
    for (const project of ['red', 'blue']) await makeProject(service, project);
    await makeUser(service, 'ada', 'red');
    await makeNetwork(service, 'red-net', 'red');
    await makeNetwork(service, 'blue-net', 'blue');
    await done(service.admin.put('/network/campus', { owner: 'admin', access: '', net_id: '' }));
    for (const project of ['red', 'blue']) {
      await done(service.admin.put(`/headnode/${project}-head`, { project, base_img: 'base' }));
    }
    const ada = await shellForTest(envOf(service, 'ada', passwordOf('ada')));
    const admin = await shellForTest(envOf(service, 'admin', adminPassword));
    const offered = async (shell: typeof ada, line: string) =>
      (await shell(`__complete -- ${line} ''`)).out.split('\n').filter((word) => word !== '');
    expect(await offered(ada, 'network create n')).toEqual(['red']);
    expect(await offered(ada, 'network show')).toEqual(['campus', 'red-net']);
    expect(await offered(ada, 'headnode show')).toEqual(['red-head']);
    expect(await offered(admin, 'headnode show')).toEqual(['blue-head', 'red-head']);
    expect(await offered(admin, 'network create n')).toEqual(['blue', 'red']);
    expect(await offered(ada, 'user delete')).toEqual([]);
  });

  it('labels come from the service and the profile that the line names', async () => {
    const [here, there] = [await serviceForTest('sqlite'), await serviceForTest('sqlite')];
    await makeNode(here, 'here');
    await makeNode(there, 'there');
    const shell = await shellForTest({ CORRAL_ENDPOINT: here.url });
    expect((await shell(`__complete -- node show ''`)).out).toBe('here\n');
    expect((await shell(`__complete -- --endpoint ${there.url} node show ''`)).out).toBe('there\n');
    expect((await shell(`__complete -- node show --json --endpoint=${there.url} ''`)).out).toBe('there\n');
  });

  it('profiles are those of the file', async () => {
    const shell = await shellForTest();
    const profile = { endpoint: 'http://127.0.0.1:1' };
    await shell.file('client.json', JSON.stringify({ current: null, profiles: { lab: profile, late: profile } }));
    expect((await shell(`__complete -- node list --profile l`)).out).toBe('lab\nlate\n');
    expect((await shell(`__complete -- node list --profile=lat`)).out).toBe('--profile=late\n');
  });

  it('words and labels where a command is the beginning of another, and files for its option', async () => {
    const service = await serviceForTest('sqlite');
    await makeNode(service, 'here');
    const shell = await shellForTest({ CORRAL_ENDPOINT: service.url });
    expect((await shell(`__complete -- node console ''`)).out).toBe('show\nhere\n');
    expect((await shell(`__complete -- node console show ''`)).out).toBe('here\n');
    expect((await shell(`__complete -- node console here --log ''`)).out).toBe('\t\n');
  });

  it('labels that look like options are offered only where they are none', async () => {
    const service = await serviceForTest('sqlite');
    await makeNode(service, '--json');
    const shell = await shellForTest({ CORRAL_ENDPOINT: service.url });
    expect((await shell(`__complete -- node show ''`)).out).toBe('');
    expect((await shell(`__complete -- node show -- ''`)).out).toBe('--json\n');
    expect((await shell('node show -- --json')).out).toMatch(/name +--json/);
  });

  it('nothing is asked, and nothing complained about, when the service is away or a password would be needed', async () => {
    const shell = await shellForTest({ CORRAL_ENDPOINT: 'http://127.0.0.1:1' });
    expect(await shell(`__complete -- node show ''`)).toEqual({ code: 0, out: '', err: '' });
    const profile = { current: 'p', profiles: { p: { endpoint: 'http://127.0.0.1:1', username: 'ada' } } };
    const file = await shell.file('asks.json', JSON.stringify(profile));
    const terminal = await terminalForTest({ CORRAL_CLIENT_CONFIG: join(file) });
    const bash = await interactiveShell(terminal, 'bash');
    expect(await bash.completed('corral node show n')).toBe('corral node show n');
  });
});
