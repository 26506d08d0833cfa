import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readsEnvironment } from './support/environment.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { workspaces, scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
  readonly workspaces: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
};

interface Rule {
  readonly name: string;
  readonly from: { readonly path?: string };
  readonly to: { readonly path?: string | readonly string[] };
}
const { forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as {
  readonly forbidden: readonly Rule[];
};

const sources = (
  await Promise.all(
    workspaces.map(async (workspace) => {
      const names = await readdir(join(root, workspace, 'src'), { recursive: true });
      return names.filter((name) => name.endsWith('.ts')).map((name) => `${workspace}/src/${name}`);
    }),
  )
).flat();

describe('the rules about imports', () => {
  it('are checked in every workspace', () => {
    expect((scripts['check:imports'] ?? '').split(' ')).toEqual(expect.arrayContaining([...workspaces]));
  });

  it.each(forbidden.map((rule) => [rule.name, rule] as const))(
    '%s is about files that are there',
    (_, { from, to }) => {
      const isThere = (path: string): boolean => sources.some((file) => new RegExp(path).test(file));
      if (from.path !== undefined && from.path !== '/src/') expect(from.path).toSatisfy(isThere);
      const targets = [to.path ?? []].flat().filter((path) => !/^\^?(node_modules|node:|\/test\/)/.test(path));
      for (const path of targets) expect(path).toSatisfy(isThere);
    },
  );
});

/** Programs hand their environment to what reads settings; the lab and the benchmarks pass theirs on to what they start. */
const readers = [
  'base/src/run-program.ts',
  'bench/src/growth/whole-site.ts',
  'bench/src/process.ts',
  'bench/src/suites/apply.ts',
  'client/src/cli/main.ts',
  'lab/src/demo/demo-service.ts',
  'lab/src/identity/keystone-home.ts',
  'lab/src/identity/lab-keystone.ts',
  'lab/src/switches/ovs-daemons.ts',
  'service/src/admin.ts',
];

describe('the environment', () => {
  it('is read by programs only, in every workspace', async () => {
    const found: string[] = [];
    for (const file of sources) if (readsEnvironment(await readFile(join(root, file), 'utf8'))) found.push(file);
    expect(found.sort()).toEqual(readers);
  });

  it.each([
    'const home = process.env.HOME;',
    "const home = process['env']['HOME'];",
    'const { env } = process;',
    'const all = process?.env;',
    'load(process);',
    'const seen = { process };',
    'const { env } = globalThis.process;',
    "import { env } from 'node:process';",
    "import process from 'process';",
  ])('counts as read by: %s', (text) => expect(readsEnvironment(text)).toBe(true));

  it.each([
    "process.exitCode = 1; process.on('exit', stop);",
    'interface Child { process: ChildProcess }',
    'child.process.kill();',
  ])('does not count as read by: %s', (text) => expect(readsEnvironment(text)).toBe(false));
});
