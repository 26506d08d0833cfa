// Bundles programs, each into one file beside its source map and the licences of what is inside.
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

const root = fileURLToPath(new URL('..', import.meta.url));

/** What is installed. */
const programs = {
  'corral-service': { entry: 'service/src/main.ts', file: 'service/dist/corral-service.js' },
  'corral-admin': { entry: 'service/src/admin.ts', file: 'service/dist/corral-admin.js' },
  'corral-obmd': { entry: 'obmd/src/main.ts', file: 'obmd/dist/corral-obmd.js' },
  corral: { entry: 'client/src/cli/main.ts', file: 'client/dist/cli/corral.js' },
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
const external = [/^@lydell\//, 'cpu-features', 'pg-native', 'bufferutil', 'utf-8-validate'];

/** These too, but by `require`: to import CommonJS, Node searches its text for exports, a tenth of the time to start. */
const requireNatives = {
  name: 'require-natives',
  resolveId: {
    filter: { id: /^(libsql|@node-rs\/argon2)$/ },
    handler: (id, importer) => (importer === `\0${id}` ? { id, external: true } : `\0${id}`),
  },
  load: {
    filter: { id: /^\0(libsql|@node-rs\/argon2)$/ },
    handler: (id) => `module.exports = require('${id.slice(1)}');`,
  },
};

/** Whatever else decides what a bundle is like: this file, the installed packages, and what the workspaces export. */
const settings = [
  'scripts/bundle.mjs',
  'node_modules/.package-lock.json',
  ...['base', 'obmd', 'service', 'client'].map((workspace) => `${workspace}/package.json`),
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
    return output === hashOf(readFileSync(file)) && fingerprint === fingerprintOf(inputs);
  } catch {
    return false;
  }
};

const build = async (name, entry, file) => {
  const begun = { at: Date.now(), ms: performance.now() };
  process.stderr.write(`${name}: building ${relative(process.cwd(), file)}\n`);
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: join(root, entry),
    cwd: root,
    platform: 'node',
    external,
    plugins: [requireNatives],
    resolve: { conditionNames: ['source', 'node'] },
    // CommonJS packages name these; what they would find there they use on other systems only, or not at all here.
    transform: { define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' } },
  });
  try {
    const { output } = await bundle.generate({
      file,
      format: 'esm',
      codeSplitting: false,
      // With one character of another alphabet the text takes twice the memory. Comments have some.
      charset: 'ascii',
      comments: { legal: true, annotation: false, jsdoc: false },
      sourcemap: true,
      // Traces need names and lines only, and a program that shows them holds the map in memory.
      sourcemapExcludeSources: true,
    });
    const [chunk] = output;
    const own = chunk.moduleIds.filter((id) => isAbsolute(id) && !id.includes('node_modules'));
    const inputs = own.map((id) => relative(root, id)).sort();
    const record = { fingerprint: fingerprintOf(inputs), output: hashOf(chunk.code), inputs };
    await replace(file, {
      [`${file}.licences.txt`]: await licencesOf(chunk.moduleIds),
      [`${file}.map`]: output.find(({ fileName }) => fileName.endsWith('.map')).source,
      [file]: chunk.code,
      // Last, and only if it is sure which contents were read.
      ...((await haveChanged(inputs, begun.at)) ? {} : { [`${file}.build.json`]: `${JSON.stringify(record)}\n` }),
    });
    const seconds = ((performance.now() - begun.ms) / 1000).toFixed(1);
    process.stderr.write(`${name}: built in ${seconds} s, ${(Buffer.byteLength(chunk.code) / 1e6).toFixed(1)} MB\n`);
  } finally {
    await bundle.close();
  }
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
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { to: { type: 'string', default: root }, tests: { type: 'boolean', default: false } },
});
const unknown = positionals.filter((name) => !Object.hasOwn(known, name));
if (unknown.length > 0) {
  process.stderr.write(`bundle: no program ${unknown.join(', ')}; expected any of ${Object.keys(known).join(', ')}\n`);
  process.exit(2);
}
for (const name of positionals.length > 0 ? positionals : Object.keys(values.tests ? known : programs)) {
  const { entry, file } = known[name];
  const target = resolve(values.to, file);
  if (!isCurrent(target)) await build(name, entry, target);
}
