import { execFile } from 'node:child_process';
import { watch } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const script = join(root, 'scripts/bundle.mjs');

const bundleOf = (file: string): string => file.replace(/\.js$/, '.cjs');

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
    helpWith: async (option: string) => (await run(process.execPath, [option, file, 'help'])).stdout,
  };
};

it('a bundle is built once, and again only if it is not whole', async () => {
  const { file, bundle, help } = await bundlesForTest();
  expect(await bundle()).toMatch(/^corral: building .*corral\.js\ncorral: built in [\d.]+ s, [\d.]+ MB\n$/);
  expect(await help()).toContain('corral help NOUN');
  expect(await bundle()).toBe('');
  await truncate(bundleOf(file), 100_000);
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
  const bundled = ['corral.cjs', 'corral.cjs.cache', 'corral.cjs.map'];
  const names = [...bundled, 'corral.js', 'corral.js.build.json', 'corral.js.licences.txt'];
  expect((await readdir(dirname(file))).sort()).toEqual(names);
});

it('the pages are built below dist/ only, where no check reads what is half written', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'corral-bundle-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const folder = join(directory, 'console');
  await mkdir(folder);
  const written = new Set<string | null>();
  const watcher = watch(folder, (_event, name) => written.add(name));
  onTestFinished(() => {
    watcher.close();
  });
  await run(process.execPath, [script, '--to', directory, 'console']);
  expect(await readdir(join(folder, 'dist'))).toEqual(['pages']);
  await expect.poll(() => [...written]).toEqual(['dist']);
});

it('a bundle is text of one byte a character, in memory too', async () => {
  const { file, bundle } = await bundlesForTest();
  await bundle();
  const text = await readFile(bundleOf(file), 'utf8');
  expect(text).toContain('\\u');
  expect([...new Set(text)].filter((character) => character > '\u00ff')).toEqual([]);
});

it('the licences of the packages inside a bundle are beside it', async () => {
  const { file, bundle } = await bundlesForTest();
  await bundle();
  const { sources } = JSON.parse(await readFile(`${bundleOf(file)}.map`, 'utf8')) as {
    readonly sources: readonly string[];
  };
  const inside = sources.map((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1]);
  const packages = new Set(inside.filter((name) => name !== undefined));
  expect(packages).toContain('yaml');
  const licences = await readFile(`${file}.licences.txt`, 'utf8');
  for (const name of packages) expect(licences).toMatch(new RegExp(`^${name} [\\d.]+ \\(.+\\)\\n\\n.*\\S`, 'm'));
});

it('a program begins with the code that an earlier start stored, unless that is not of this program', async () => {
  const { file, bundle, help, helpWith } = await bundlesForTest();
  await bundle();
  const stored = `${bundleOf(file)}.cache`;
  const first = await help();
  const written = await stat(stored);
  expect(await help()).toBe(first);
  // It was used: one that does not fit is replaced.
  expect((await stat(stored)).ino).toBe(written.ino);
  const bytes = await readFile(stored);
  for (const spoilt of [bytes.subarray(0, 4), bytes.subarray(0, bytes.length / 2), bytes.map((byte) => byte ^ 1)]) {
    await writeFile(stored, spoilt);
    expect(await help()).toBe(first);
    expect((await readFile(stored)).equals(spoilt)).toBe(false);
  }
  // V8 itself refuses what it compiled with other settings.
  expect(await helpWith('--no-lazy-feedback-allocation')).toBe(first);
  expect((await readFile(stored)).equals(bytes)).toBe(false);
  // Another program of the same length, as V8 would not notice.
  const text = await readFile(bundleOf(file), 'latin1');
  await writeFile(bundleOf(file), text.replaceAll('corral help NOUN', 'corral help WORD'), 'latin1');
  expect(await help()).toBe(first.replaceAll('corral help NOUN', 'corral help WORD'));
});

it('a program in a folder that cannot be written, or with its source map, starts as always', async () => {
  const { file, bundle, help, helpWith } = await bundlesForTest();
  await bundle();
  // A folder where the file would be cannot be replaced by one.
  await mkdir(`${bundleOf(file)}.cache`);
  expect(await help()).toContain('corral help NOUN');
  expect((await readdir(dirname(file))).filter((name) => name.includes('cache'))).toEqual(['corral.cjs.cache']);
  expect(await helpWith('--enable-source-maps')).toContain('corral help NOUN');
});
