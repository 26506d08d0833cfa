// Bundles programs, each into one file (`.cjs`) beside its source map, the licences of what is inside and what starts
// it (`.js`), and the pages for browsers (`console`) into a folder.
// `node scripts/bundle.mjs [--tests] [--to DIRECTORY] [NAME…]`: by default all that are installed, with --tests also
// those that only tests start. Nothing is built if nothing changed.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath, URL } from 'node:url';
import { parseArgs } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { addReferredNotices } from './page-notices.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What is installed. */
const programs = {
  'corral-service': { entry: 'service/src/main.ts', file: 'service/dist/corral-service.js' },
  'corral-admin': { entry: 'service/src/admin.ts', file: 'service/dist/corral-admin.js' },
  'corral-obmd': { entry: 'obmd/src/main.ts', file: 'obmd/dist/corral-obmd.js' },
  corral: { entry: 'client/src/cli/main.ts', file: 'client/dist/cli/corral.js' },
};

/** What is installed under the name of a program: it starts the bundle. */
const launcher = 'base/src/launcher.ts';

/** The bundle that a launcher starts. */
const bundleOf = (file) => file.replace(/\.js$/, '.cjs');

/** The pages for browsers: what they are made of, beside the SDK, and where to. */
const pages = {
  sources: ['console/index.html', 'console/public', 'console/src', 'console/vite.config.ts'],
  to: 'console/dist/pages',
};

/** What tests start. */
const testPrograms = {
  'dying-service': { entry: 'service/test/support/services/dying-service.ts', file: 'service/dist/dying-service.js' },
  'stepping-rotation': {
    entry: 'service/test/support/services/stepping-rotation.ts',
    file: 'service/dist/stepping-rotation.js',
  },
  'stopping-service': {
    entry: 'service/test/support/services/stopping-service.ts',
    file: 'service/dist/stopping-service.js',
  },
};

/** Native modules stay in node_modules, as do those that a package uses if they happen to be installed. */
const external = ['cpu-features', 'pg-native', 'bufferutil', 'utf-8-validate'];

/** These too, but by `require`: to import CommonJS, Node searches its text for exports, a tenth of the time to start. */
const requireNatives = {
  name: 'require-natives',
  resolveId: {
    filter: { id: /^(libsql|@node-rs\/argon2|@lydell\/node-pty)$/ },
    handler: (id, importer) => (importer === `\0${id}` ? { id, external: true } : `\0${id}`),
  },
  load: {
    filter: { id: /^\0(libsql|@node-rs\/argon2|@lydell\/node-pty)$/ },
    handler: (id) => `module.exports = require('${id.slice(1)}');`,
  },
};

/** Whatever else decides what a bundle is like: this file, the installed packages, and what the workspaces export. */
const settings = [
  'scripts/bundle.mjs',
  'node_modules/.package-lock.json',
  ...['base', 'obmd', 'service', 'client', 'console'].map((workspace) => `${workspace}/package.json`),
];

const hashOf = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
};

/** Of the contents, not of times and sizes: a checkout changes those of files that stayed the same. */
const fingerprintOf = (inputs) =>
  hashOf(...[...settings, ...inputs].flatMap((input) => [input, readFileSync(join(root, input))]));

/** Is there a whole bundle, made from what the inputs are now? */
const isCurrent = (file) => {
  try {
    const { inputs, fingerprint, output } = JSON.parse(readFileSync(`${file}.build.json`, 'utf8'));
    const built = hashOf(readFileSync(file), readFileSync(bundleOf(file)));
    return output === built && fingerprint === fingerprintOf(inputs);
  } catch {
    return false;
  }
};

const build = async (name, entry, file) => {
  const begun = { at: Date.now(), ms: performance.now() };
  process.stderr.write(`${name}: building ${relative(process.cwd(), file)}\n`);
  const { chunk, map } = await bundle(entry, bundleOf(file), 'cjs');
  const { chunk: starting } = await bundle(launcher, file, 'esm');
  const own = [...chunk.moduleIds, ...starting.moduleIds].filter(
    (id) => isAbsolute(id) && !id.includes('node_modules'),
  );
  const inputs = own.map((id) => relative(root, id)).sort();
  const record = { fingerprint: fingerprintOf(inputs), output: hashOf(starting.code, chunk.code), inputs };
  await replace(file, {
    [`${file}.licences.txt`]: await licencesOf(chunk.moduleIds),
    [`${bundleOf(file)}.map`]: map,
    [bundleOf(file)]: chunk.code,
    [file]: starting.code,
    // Last, and only if it is sure which contents were read.
    ...((await haveChanged(inputs, begun.at)) ? {} : { [`${file}.build.json`]: `${JSON.stringify(record)}\n` }),
  });
  const seconds = ((performance.now() - begun.ms) / 1000).toFixed(1);
  process.stderr.write(`${name}: built in ${seconds} s, ${(Buffer.byteLength(chunk.code) / 1e6).toFixed(1)} MB\n`);
};

/** Everything that an entry imports, as one text, and its source map. */
const bundle = async (entry, file, format) => {
  const { rolldown } = await import('rolldown');
  const bundling = await rolldown({
    input: join(root, entry),
    cwd: root,
    platform: 'node',
    external,
    plugins: [requireNatives],
    resolve: { conditionNames: ['source', 'node'] },
  });
  try {
    const { output } = await bundling.generate({
      file,
      format,
      strict: true,
      codeSplitting: false,
      // With one character of another alphabet the text takes twice the memory. Comments have some.
      charset: 'ascii',
      comments: { legal: true, annotation: false, jsdoc: false },
      sourcemap: format === 'cjs',
      // Traces need names and lines only, and a program that shows them holds the map in memory.
      sourcemapExcludeSources: true,
    });
    return { chunk: output[0], map: output.find(({ fileName }) => fileName.endsWith('.map'))?.source };
  } finally {
    await bundling.close();
  }
};

/** Files of a folder, at any depth, in order; of a file itself. */
const filesOf = async (path) => {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
};

/** What the pages are made of, as paths from the root. */
const pageInputs = async () => {
  const own = (await Promise.all(pages.sources.map((source) => filesOf(join(root, source))))).flat();
  const sdk = (await readdir(join(root, 'client/src'))).filter((name) => name.endsWith('.ts')).sort();
  return [...own.map((file) => relative(root, file)), ...sdk.map((name) => `client/src/${name}`)];
};

const contentsOf = async (folder) => {
  const files = (await filesOf(folder)).filter((file) => !file.endsWith('build.json'));
  return hashOf(...files.flatMap((file) => [relative(folder, file), readFileSync(file)]));
};

const pagesAreCurrent = async (folder) => {
  try {
    const { fingerprint, output } = JSON.parse(readFileSync(join(folder, 'build.json'), 'utf8'));
    return output === (await contentsOf(folder)) && fingerprint === fingerprintOf(await pageInputs());
  } catch {
    return false;
  }
};

/** Compressed once, and not for every browser that asks. */
const compress = async (folder) => {
  for (const file of await filesOf(folder)) {
    if (!/\.(js|css|svg)$/.test(file)) continue;
    const bytes = await readFile(file);
    await writeFile(`${file}.br`, brotliCompressSync(bytes));
    await writeFile(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  }
};

const buildPages = async (folder) => {
  const begun = { at: Date.now(), ms: performance.now() };
  process.stderr.write(`console: building ${relative(process.cwd(), folder)}\n`);
  const { build: buildSite } = await import('vite');
  const inputs = await pageInputs();
  await mkdir(dirname(folder), { recursive: true });
  // Below dist/, where no check reads what is half written.
  const place = await mkdtemp(join(dirname(folder), '.pages-'));
  try {
    const made = join(place, 'made');
    await buildSite({
      root: join(root, 'console'),
      logLevel: 'warn',
      build: { outDir: made, emptyOutDir: true },
    });
    await addReferredNotices(root, join(made, 'licences.md'));
    await compress(made);
    if (!(await haveChanged(inputs, begun.at))) {
      const record = { fingerprint: fingerprintOf(inputs), output: await contentsOf(made) };
      await writeFile(join(made, 'build.json'), `${JSON.stringify(record)}\n`);
    }
    // A folder cannot be replaced in one step: for a moment there are no pages, never half of them.
    await rename(folder, join(place, 'old')).catch(() => undefined);
    await rename(made, folder);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
  process.stderr.write(`console: built in ${((performance.now() - begun.ms) / 1000).toFixed(1)} s\n`);
};

const haveChanged = async (inputs, since) => {
  const times = await Promise.all(inputs.map(async (input) => (await stat(join(root, input))).mtimeMs));
  return times.some((time) => time >= since);
};

/** Nobody sees half a file, and of two builds at once the last one counts. */
const replace = async (file, contents) => {
  await mkdir(dirname(file), { recursive: true });
  const place = await mkdtemp(join(dirname(file), '.bundle-'));
  try {
    for (const [path, content] of Object.entries(contents)) {
      const written = join(place, 'file');
      await writeFile(written, content, { mode: path === file ? 0o755 : 0o644 });
      await rename(written, path);
    }
  } finally {
    await rm(place, { recursive: true, force: true });
  }
};

/** The text of the licence, and the notices, of every package that a module is from. */
const licencesOf = async (modules) => {
  const folders = new Set(modules.map(packageOf).filter((folder) => folder !== null));
  const texts = await Promise.all(
    [...folders].sort().map(async (folder) => {
      const { name, version, license, licenses } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort();
      const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
      return `${name} ${version} (${license ?? licenses.map(({ type }) => type).join(', ')})\n\n${texts.map((text) => text.trim()).join('\n\n')}\n`;
    }),
  );
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
};

/** The folder of the package that a module is from; null: our own, or the bundler's. */
const packageOf = (id) => {
  const parts = id.split(sep);
  const last = parts.lastIndexOf('node_modules');
  if (last === -1) return null;
  const depth = parts[last + 1].startsWith('@') ? 3 : 2;
  return parts.slice(0, last + depth).join(sep);
};

const known = { ...programs, ...testPrograms };
const names = [...Object.keys(programs), 'console', ...Object.keys(testPrograms)];
const installed = [...Object.keys(programs), 'console'];
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { to: { type: 'string', default: root }, tests: { type: 'boolean', default: false } },
});
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`bundle: nothing is called ${unknown.join(', ')}; expected any of ${names.join(', ')}\n`);
  process.exit(2);
}
for (const name of positionals.length > 0 ? positionals : values.tests ? names : installed) {
  if (name === 'console') {
    const folder = resolve(values.to, pages.to);
    if (!(await pagesAreCurrent(folder))) await buildPages(folder);
    continue;
  }
  const { entry, file } = known[name];
  const target = resolve(values.to, file);
  if (!isCurrent(target)) await build(name, entry, target);
}
