// Makes the packages of a release out of the bundles: `corral` with all programs, and `@corral/client`, the SDK alone.
// `npm run pack [-- --to DIRECTORY]`, by default `dist`. The same sources give the same bytes.
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, URL } from 'node:url';
import { parseArgs, promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

/** What no bundle can hold, and the workspace that says which version: npm fetches those for the machine at hand. */
const natives = { '@lydell/node-pty': 'obmd', '@node-rs/argon2': 'service', libsql: 'base' };

const manifestOf = async (folder) => JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));

/** Copies a file or a folder of the repository, with modes that do not depend on who packs. */
const copy = async (from, to) => {
  if ((await stat(from)).isDirectory()) {
    for (const name of await readdir(from)) await copy(join(from, name), join(to, name));
    return;
  }
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to);
  await chmod(to, 0o644);
};

const writeManifest = async (place, manifest) => {
  const file = join(place, 'package.json');
  await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
  await chmod(file, 0o644);
};

/** The programs, each with its bundle, source map and the licences of what is inside, the pages for browsers, and the documents. */
const stagePrograms = async (place, { name, version, description, license, type, engines, bin }) => {
  const bundling = run(process.execPath, [join(root, 'scripts/bundle.mjs')]);
  bundling.child.stderr.pipe(process.stderr);
  await bundling;
  for (const file of Object.values(bin)) {
    const bundle = file.replace(/\.js$/, '.cjs');
    const parts = [file, bundle, `${bundle}.map`, `${file}.licences.txt`];
    for (const part of parts) await copy(join(root, part), join(place, part));
    await chmod(join(place, file), 0o755);
  }
  await copy(join(root, 'console/dist/pages'), join(place, 'console/dist/pages'));
  await rm(join(place, 'console/dist/pages/build.json'), { force: true });
  const documents = (await readdir(root)).filter((file) => file.endsWith('.md'));
  for (const part of ['LICENSE', 'docs', ...documents]) await copy(join(root, part), join(place, part));
  const versions = Object.entries(natives).map(async ([native, workspace]) => [
    native,
    (await manifestOf(workspace)).dependencies[native],
  ]);
  const dependencies = Object.fromEntries(await Promise.all(versions));
  await writeManifest(place, { name, version, description, license, type, engines, bin, dependencies });
};

/** The SDK, module by module with its types: it depends on nothing. */
const stageSdk = async (place, { version }) => {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const compiled = join(place, 'compiled');
  await run(process.execPath, [compiler, '-p', join(root, 'client/tsconfig.sdk.json'), '--outDir', compiled]);
  await copy(compiled, join(place, 'dist'));
  await rm(compiled, { recursive: true });
  await copy(join(root, 'LICENSE'), join(place, 'LICENSE'));
  await copy(join(root, 'client/README.md'), join(place, 'README.md'));
  const { name, description, license, type, engines } = await manifestOf('client');
  const exports = { '.': { types: './dist/index.d.ts', default: './dist/index.js' } };
  await writeManifest(place, { name, version, description, license, type, engines, sideEffects: false, exports });
};

/** Packs folders; nobody sees half a package. */
const pack = async (folders, to) => {
  await mkdir(to, { recursive: true });
  const place = await mkdtemp(join(to, '.pack-'));
  try {
    await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', place, ...folders]);
    for (const file of (await readdir(place)).sort()) {
      await rename(join(place, file), join(to, file));
      const { size } = await stat(join(to, file));
      process.stdout.write(`pack: ${relative(process.cwd(), join(to, file))}, ${(size / 1e6).toFixed(2)} MB\n`);
    }
  } finally {
    await rm(place, { recursive: true, force: true });
  }
};

const { values } = parseArgs({ options: { to: { type: 'string', default: join(root, 'dist') } } });
const stage = await mkdtemp(join(tmpdir(), 'corral-pack-'));
try {
  const manifest = await manifestOf('.');
  const folders = { programs: join(stage, 'corral'), sdk: join(stage, 'client') };
  for (const folder of Object.values(folders)) await mkdir(folder);
  await Promise.all([stagePrograms(folders.programs, manifest), stageSdk(folders.sdk, manifest)]);
  await pack(Object.values(folders), resolve(values.to));
} finally {
  await rm(stage, { recursive: true, force: true });
}
