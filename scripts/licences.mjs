// Fails on a dependency whose licence asks for more than a notice. `node scripts/licences.mjs [DIRECTORY]`
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const permissive = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  // MIT without its one condition, the notice.
  'MIT-0',
  'Unlicense',
  'Zlib',
]);

/** For tools of development, which nobody is given with Corral; what is shipped says so. */
const tolerated = [
  {
    name: /^lightningcss(-.+)?$/,
    licence: 'MPL-2.0',
    reason: 'a part of the test runner; the licence asks for changes to its own files, and there are none',
  },
  {
    name: /^axe-core$/,
    licence: 'MPL-2.0',
    reason:
      'rules of accessibility that tests hold pages against; the licence asks for changes to its own files, and there are none',
  },
  {
    name: /^caniuse-lite$/,
    licence: 'CC-BY-4.0',
    reason: 'a table of what browsers can do, behind the lint rules of pages; none of it is in what is built',
  },
  {
    name: /^@novnc\/novnc$/,
    licence: 'MPL-2.0',
    isShipped: true,
    reason: 'the screen of a headnode; not changed, with its notices and the address of its source (licences.md)',
  },
];

/** An SPDX expression without nesting: alternatives, each of licences that hold together. */
const isPermissive = (expression) =>
  expression
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((alternative) => alternative.split(' AND ').every((licence) => permissive.has(licence.trim())));

/** What a package says of itself, also in the two ways of long ago; null: nothing. */
const licenceIn = ({ license, licenses }) => {
  const given = license ?? (Array.isArray(licenses) ? licenses.map(typeOf).join(' OR ') : licenses);
  return given === undefined || given === '' ? null : typeOf(given);
};
const typeOf = (given) => (typeof given === 'string' ? given : (given?.type ?? String(given)));

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

const root = process.argv[2] ?? '.';
const { packages } = readJson(join(root, 'package-lock.json'));
const offenders = [];
const used = new Set();
let looked = 0;

for (const [path, entry] of Object.entries(packages)) {
  const name = path.split('node_modules/').slice(1).at(-1);
  // Our own, and links to them.
  if (name === undefined || entry.link) continue;
  looked += 1;
  // Optional ones for other machines are in the lock only.
  const manifest = join(root, path, 'package.json');
  const licence = (existsSync(manifest) ? licenceIn(readJson(manifest)) : null) ?? licenceIn(entry);
  if (licence !== null && isPermissive(licence)) continue;
  const isForDevelopment = entry.dev === true || entry.devOptional === true;
  const exception = tolerated.find((candidate) => candidate.name.test(name) && candidate.licence === licence);
  if (exception !== undefined && (isForDevelopment || exception.isShipped === true)) used.add(exception);
  else
    offenders.push(`${name} ${entry.version}: ${licence ?? 'no licence given'}${isForDevelopment ? '' : ', shipped'}`);
}

for (const offender of offenders) console.error(`licences: ${offender}`);
if (offenders.length > 0) {
  console.error('licences: replace these, or allow them in scripts/licences.mjs with a reason');
  process.exit(1);
}
const named = [...used].map(({ licence, reason }) => `; ${licence}: ${reason}`).join('');
console.log(`licences: ${looked} packages, all permissive${used.size > 0 ? ` but${named.slice(1)}` : ''}`);
