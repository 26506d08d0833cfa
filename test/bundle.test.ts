import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const script = join(root, 'scripts/bundle.mjs');

/** Bundles the command line into a directory of its own; what it said, and what the bundle answers. */
const bundlesForTest = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'corral-bundle-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, 'client/dist/cli/corral.js');
  await copyFile(join(root, 'package.json'), join(directory, 'package.json'));
  return {
    file,
    bundle: async () => (await run(process.execPath, [script, '--to', directory, 'corral'])).stderr,
    help: async () => (await run(process.execPath, [file, 'help'])).stdout,
  };
};

it('a bundle is built once, and again only if it is not whole', async () => {
  const { file, bundle, help } = await bundlesForTest();
  expect(await bundle()).toMatch(/^corral: building .*corral\.js\ncorral: built in [\d.]+ s, [\d.]+ MB\n$/);
  expect(await help()).toContain('corral help NOUN');
  expect(await bundle()).toBe('');
  await truncate(file, 100_000);
  expect(await bundle()).toContain('corral: built');
  expect(await help()).toContain('corral help NOUN');
  await rm(`${file}.build.json`);
  expect(await bundle()).toContain('corral: built');
  expect(await bundle()).toBe('');
});

it('two builds at once leave one whole bundle, and nothing else', async () => {
  const { file, bundle, help } = await bundlesForTest();
  await Promise.all([bundle(), bundle()]);
  expect(await help()).toContain('corral help NOUN');
  expect(await bundle()).toBe('');
  const names = ['corral.js', 'corral.js.build.json', 'corral.js.licences.txt', 'corral.js.map'];
  expect((await readdir(dirname(file))).sort()).toEqual(names);
});

it('a bundle is text of one byte a character, in memory too', async () => {
  const { file, bundle } = await bundlesForTest();
  await bundle();
  const text = await readFile(file, 'utf8');
  expect(text).toContain('\\u');
  expect([...new Set(text)].filter((character) => character > '\u00ff')).toEqual([]);
});

it('the licences of the packages inside a bundle are beside it', async () => {
  const { file, bundle } = await bundlesForTest();
  await bundle();
  const { sources } = JSON.parse(await readFile(`${file}.map`, 'utf8')) as { readonly sources: readonly string[] };
  const inside = sources.map((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1]);
  const packages = new Set(inside.filter((name) => name !== undefined));
  expect(packages).toContain('yaml');
  const licences = await readFile(`${file}.licences.txt`, 'utf8');
  for (const name of packages) expect(licences).toMatch(new RegExp(`^${name} [\\d.]+ \\(.+\\)\\n\\n.*\\S`, 'm'));
});
