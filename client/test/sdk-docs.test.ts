import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startLabObmd } from '@corral/lab';
import { expect, it, onTestFinished } from 'vitest';
import { startOidcFixture } from '../../service/test/support/identity/oidc-fixture.ts';
import { deviceEnv, registerDevice } from '../../service/test/support/identity/oidc-device.ts';
import type { Service } from '../../service/test/support/services/service.ts';
import { done, makeNode, makeProject } from '../../service/test/support/services/world.ts';
import { buildSdk } from '../../test/support/built-program.ts';
import { blocks, path, textOf } from './support/blocks.ts';

/** What the examples take for granted: a client, and somebody who is told. */
const world = `import { basic, createClient } from '@corral/client';
export const corral = createClient({
  endpoint: process.env['ENDPOINT'] ?? '',
  credentials: basic('vera', 'vera-demo'),
});
export const { signal } = new AbortController();
export const report = (text: string): void => void process.stdout.write(text + '\\n');
export const write = (bytes: Uint8Array): void => void process.stdout.write(bytes);
`;

/** An example as a module of its own. */
const moduleOf = (example: string, endpoint: string): string => {
  const taken = ['corral', 'signal', 'report', 'write'].filter(
    (name) => new RegExp(`\\b${name}\\b`).test(example) && !example.includes(`const ${name} =`),
  );
  const imports = taken.length === 0 ? '' : `import { ${taken.join(', ')} } from './world.ts';\n`;
  return `${imports}${example.replaceAll('http://127.0.0.1:5000', endpoint)}\nexport {};\n`;
};

/** Builds all examples, with every check of the compiler, in a place that has the SDK as a package. */
const build = async (examples: readonly string[], endpoint: string): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'corral-sdk-docs-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await mkdir(join(directory, 'node_modules/@corral'), { recursive: true });
  await symlink(path('client'), join(directory, 'node_modules/@corral/client'));
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
  await writeFile(
    join(directory, 'tsconfig.json'),
    JSON.stringify({
      extends: path('tsconfig.base.json'),
      compilerOptions: {
        composite: false,
        declaration: false,
        customConditions: [],
        typeRoots: [path('node_modules/@types')],
      },
      include: ['*.ts'],
    }),
  );
  await writeFile(join(directory, 'world.ts'), world);
  for (const [index, example] of examples.entries()) {
    await writeFile(join(directory, `example-${index}.ts`), moduleOf(example, endpoint));
  }
  const compiling = promisify(execFile)(process.execPath, [path('node_modules/typescript/bin/tsc')], {
    cwd: directory,
  });
  const complaints = await compiling.then(
    () => '',
    (error: unknown) => (error as { stdout: string }).stdout,
  );
  expect(complaints).toBe('');
  return directory;
};

/** Runs an example to its end, or, if it has none, until it said something. */
const run = async (file: string, service: Service, example: string): Promise<string> => {
  const child = spawn(process.execPath, [file], { env: { ENDPOINT: service.url }, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = collect(child);
  if (example.includes('signal')) {
    await expect
      .poll(
        async () => {
          await service.admin.put('/node/node-12/metadata/seen', { value: true });
          return said();
        },
        { timeout: 20_000, interval: 100 },
      )
      .not.toBe('');
    child.kill('SIGKILL');
    await once(child, 'close');
  } else {
    await once(child, 'close');
    expect({ example, code: child.exitCode, said: said() }).toMatchObject({ code: 0 });
  }
  return said();
};

const collect = (child: ChildProcess): (() => string) => {
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  return () => chunks.join('');
};

it('the examples of docs/sdk.md are right TypeScript, and work one after the other', async () => {
  await buildSdk();
  const site = await startOidcFixture('sqlite', deviceEnv);
  onTestFinished(() => site.close());
  registerDevice(site);
  const { service } = site;
  const obmd = await startLabObmd({ adminToken: 't', tickMs: 10 });
  onTestFinished(() => obmd.close());
  obmd.add('node-12');
  await makeProject(service, 'astronomy');
  await done(service.admin.put('/auth/basic/user/vera', { password: 'vera-demo' }));
  await done(service.admin.post('/auth/basic/user/vera/add_project', { project: 'astronomy' }));
  await makeNode(service, 'node-12', ['eth0']);
  await done(service.admin.put('/node/node-12/obmd', { uri: obmd.uri('node-12'), admin_token: 't' }));
  await done(service.admin.put('/node/node-12/obm', { enabled: true }));
  await done(service.admin.post('/node/node-12/power_on'));

  const examples = blocks(await textOf('docs/sdk.md'), 'ts');
  expect(examples.length).toBeGreaterThan(4);
  const directory = await build(examples, service.url);
  const said = new Map<string, string>();
  for (const [index, example] of examples.entries()) {
    said.set(example, await run(join(directory, `example-${index}.js`), service, example));
  }
  const saidBy = (word: string): string => [...said].find(([example]) => example.includes(word))?.[1] ?? '';
  expect(saidBy('BlockedError')).toBe('node node-12 is on network sky (nic eth0); detach it first\n');
  expect(saidBy('deviceLogin')).toMatch(/^open http:\S+\/device and enter \w{4}-\w{4}\n$/);
  expect(saidBy('followEvents')).toMatch(/^node_set_metadata node-12$/m);
  expect(saidBy('showConsole')).not.toMatch(/Error/);
  expect(saidBy('onPending')).toMatch(/^(0 changes before it\n)*$/);
  expect((await service.admin.get('/node/node-12')).body).toMatchObject({
    project: 'astronomy',
    nics: [{ networks: {} }],
  });
});
