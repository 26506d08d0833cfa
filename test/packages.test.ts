import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { installedProgram, type Program } from './support/built-program.ts';
import { type PackageRegistry, startPackageRegistry } from './support/package-registry.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const programs = ['corral', 'corral-admin', 'corral-obmd', 'corral-service'] as const;
const password = 'choose-one';

interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

interface Said {
  readonly stdout: string;
}

let directory: string;
let registry: PackageRegistry;
/** Where the programs are after `npm install --global`, and the folder of their package. */
let path: string;
let installed: string;

const manifestIn = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;

const newDirectory = (): Promise<string> => mkdtemp(join(directory, 'empty-'));

/** Packs as somebody whose files nobody else can read. */
const pack = async (place: string): Promise<void> => {
  const command = 'umask 077; exec "$0" "$@"';
  await run('sh', ['-c', command, process.execPath, join(root, 'scripts/pack.mjs'), '--to', place]);
};

const packageFile = async (name: string): Promise<string> =>
  join(directory, 'packed', `${name}-${(await manifestIn(root)).version}.tgz`);

/** npm as a stranger has it: without settings, cache and environment of this machine, and with our registry. */
const install = async (...words: string[]): Promise<void> => {
  const home = join(directory, 'home');
  await run('npm', ['install', '--no-audit', '--no-fund', '--no-update-notifier', ...words], {
    cwd: directory,
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      npm_config_cache: join(home, 'cache'),
      npm_config_registry: registry.url,
      npm_config_userconfig: join(home, 'no-settings'),
      npm_config_globalconfig: join(home, 'no-settings-of-all'),
    },
  });
};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'corral-packages-'));
  registry = await startPackageRegistry();
  await pack(join(directory, 'packed'));
  const prefix = join(directory, 'prefix');
  await install('--global', '--prefix', prefix, await packageFile('corral'));
  path = [join(prefix, 'bin'), dirname(process.execPath)].join(delimiter);
  installed = join(prefix, 'lib/node_modules/corral');
}, 240_000);
afterAll(async () => {
  await registry.close();
  await rm(directory, { recursive: true, force: true });
});

/** Runs a program by its name, in an empty directory, as somebody with an empty home; what it wrote. */
const answer = async (command: readonly [string, ...string[]], env: Readonly<Record<string, string>> = {}) => {
  const { runToEnd } = installedProgram(command, path, await newDirectory());
  const { code, output } = await runToEnd({ HOME: join(directory, 'home'), ...env });
  expect([code, output], command.join(' ')).toEqual([0, expect.anything()]);
  return output;
};

/** A service by its name, in an empty directory, with its data elsewhere. */
const startService = async (data: string): Promise<Program> => {
  const { startProgram } = installedProgram(['corral-service'], path, await newDirectory());
  const service = await startProgram({
    CORRAL_LISTEN: '127.0.0.1:0',
    CORRAL_DATA_DIR: data,
    CORRAL_ADMIN_PASSWORD: password,
  });
  onTestFinished(() => service.kill('SIGTERM').then(() => undefined));
  return service;
};

describe('the package corral', () => {
  it('has the programs, the documents and their licences, and nothing that has to be compiled', async () => {
    const names = (await readdir(installed, { recursive: true })).filter((name) => !name.startsWith('node_modules'));
    const files = names.filter((name) => /\.\w+$|LICENSE$/.test(name));
    const { bin } = await manifestIn(installed);
    expect(Object.keys(bin).sort()).toEqual([...programs]);
    for (const file of Object.values(bin)) {
      const bundle = file.replace(/\.js$/, '.cjs');
      expect(files).toEqual(expect.arrayContaining([file, bundle, `${bundle}.map`, `${file}.licences.txt`]));
    }
    const isPage = (name: string): boolean => /^console\/dist\/pages\/.+\.(js|css|svg|html|md)(\.br|\.gz)?$/.test(name);
    expect(files.filter(isPage)).toContain('console/dist/pages/index.html');
    const others = files.filter((name) => !isPage(name));
    expect(others.filter((name) => !/\.(js|cjs|cjs\.map|licences\.txt|md|svg|png)$/.test(name)).sort()).toEqual([
      'LICENSE',
      'package.json',
    ]);
    for (const name of files.filter((file) => /\.(c?js|map)$/.test(file)))
      expect((await readFile(join(installed, name), 'utf8')).includes(root), name).toBe(false);
  });

  it('has what its README links', async () => {
    const links = [...(await readFile(join(installed, 'README.md'), 'utf8')).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)];
    const targets = links.map(([, target = '']) => target).filter((target) => !/^https?:/.test(target));
    expect(targets.length).toBeGreaterThan(20);
    expect(targets.filter((target) => !existsSync(join(installed, target)))).toEqual([]);
  });

  it('needs native modules of exact versions, which come with it', async () => {
    const { dependencies, bin } = await manifestIn(installed);
    expect(Object.keys(dependencies)).toEqual(['@lydell/node-pty', '@node-rs/argon2', 'libsql']);
    const requireFrom = createRequire(join(installed, bin['corral-service'] ?? ''));
    for (const [name, version] of Object.entries(dependencies)) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(registry.fetched).toContain(`${name}@${version}`);
      expect(requireFrom.resolve(name)).toMatch(new RegExp(`^${installed}/node_modules/`));
      expect(requireFrom(name)).toBeTruthy();
    }
    const foreign = [...registry.fetched].filter((name) => /typescript|rolldown|vitest|@types/.test(name));
    expect(foreign).toEqual([]);
  });

  it.each(programs)('%s is started by its name, and says its version and how it is used', async (name) => {
    const { version } = await manifestIn(root);
    expect(await answer([name, '--version'])).toBe(`${name} ${version}`);
    expect(await answer([name, '--help'])).toContain(name);
  });

  it('runs a service that corral logs in to and corral-admin backs up', async () => {
    const data = await newDirectory();
    const { url } = await startService(data);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${url}/`)).text()).toContain('<div id="root">');
    const file = join(await newDirectory(), 'password');
    await writeFile(file, `${password}\n`, { mode: 0o600 });
    expect(await answer(['corral', 'login', url, '--username', 'admin', '--password-file', file])).toContain(
      'logged in as admin',
    );
    await answer(['corral', 'project', 'create', 'physics']);
    expect(await answer(['corral', 'project', 'list'])).toContain('physics');
    const backup = join(await newDirectory(), 'backup.gz');
    expect(await answer(['corral-admin', 'backup', backup], { CORRAL_DATA_DIR: data })).toContain(backup);
    expect(await answer(['corral-admin', 'check'], { CORRAL_DATA_DIR: data })).toBeTruthy();
  });

  it('runs an OBM daemon', async () => {
    const { startProgram } = installedProgram(['corral-obmd'], path, await newDirectory());
    const daemon = await startProgram({ CORRAL_OBMD: '127.0.0.1:0', CORRAL_DATA_DIR: await newDirectory() });
    onTestFinished(() => daemon.kill('SIGTERM').then(() => undefined));
    expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
    expect(await daemon.kill('SIGTERM')).toBe(0);
  });
});

describe('the packages', () => {
  it('are readable by everybody, also if their packer hides files', async () => {
    expect(await readdir(join(directory, 'packed'))).toHaveLength(2);
    for (const name of ['corral', 'corral-client']) {
      const { stdout } = await run('tar', ['-tvzf', await packageFile(name)]);
      const lines = stdout.trimEnd().split('\n');
      expect(lines.length).toBeGreaterThan(10);
      expect(lines.filter((line) => !/^-rw(-r--r--|xr-xr-x) /.test(line))).toEqual([]);
    }
  });
});

describe('the package @corral/client', () => {
  /** What a browser and what Node.js has, for the compiler; the types of the SDK are checked too. */
  const surroundings = {
    browser: { lib: ['es2023', 'dom'], types: [] },
    node: { lib: ['es2023'], types: ['node'] },
  };

  /** A project that has nothing but the SDK and the example of its README. */
  const project = async (endpoint: string): Promise<string> => {
    const folder = await newDirectory();
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await install('--prefix', folder, await packageFile('corral-client'));
    const readme = await readFile(join(folder, 'node_modules/@corral/client/README.md'), 'utf8');
    const [, example = ''] = /^```ts\n(.*?)^```$/ms.exec(readme) ?? [];
    await writeFile(join(folder, 'example.ts'), example.replace('http://127.0.0.1:5000', endpoint));
    return folder;
  };

  const compile = async (folder: string, name: keyof typeof surroundings): Promise<string> => {
    const options = {
      ...surroundings[name],
      typeRoots: [join(root, 'node_modules/@types')],
      target: 'es2023',
      module: 'nodenext',
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      skipDefaultLibCheck: true,
      outDir: name,
    };
    const settings = join(folder, `tsconfig.${name}.json`);
    await writeFile(settings, JSON.stringify({ compilerOptions: options, files: ['example.ts'] }));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [compiler, '-p', settings]).catch((error: unknown) => error as Said);
    return stdout;
  };

  it('is compiled by strict programs for browsers and Node.js, and answers the example of its README', async () => {
    const { url } = await startService(await newDirectory());
    const put = async (call: string, body: object): Promise<void> => {
      const headers = { authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` };
      const response = await fetch(`${url}/v0${call}`, { method: 'PUT', headers, body: JSON.stringify(body) });
      expect(response.ok, call).toBe(true);
    };
    await put('/auth/basic/user/vera', { password: 'vera-demo' });
    await put('/node/n1', { obmd: { uri: 'http://127.0.0.1:9/node/n1', admin_token: 'none' } });
    await put('/node/n1/nic/eth0', { macaddr: '52:54:00:00:00:01' });
    const folder = await project(url);
    expect(await readdir(join(folder, 'node_modules/@corral/client'))).not.toContain('node_modules');
    const said = await Promise.all([compile(folder, 'browser'), compile(folder, 'node')]);
    expect(said).toEqual(['', '']);
    const { stdout } = await run(process.execPath, [join(folder, 'node/example.js')]);
    expect(stdout).toBe('n1 of nobody: 52:54:00:00:00:01\n');
  });
});
