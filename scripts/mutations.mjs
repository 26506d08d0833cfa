// Breaks the code on purpose, one promise at a time, and tells whether a test fails. `npm run mutations [-- words]`
//
// Every mutation is made in a copy of the tree in a temporary directory, never in the checkout itself.
//   words                          only mutations whose file, promise or tests contain all of them
//   --list                         only shows which there are
//   --quick                        does not run the tests without a mutation first
//   --generate FILE --tests FILE…  mutations of one file made by rules, instead of the list
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath, URL } from 'node:url';
import { clearTimeout, setTimeout } from 'node:timers';
import { parseArgs } from 'node:util';
import { generateMutations } from './mutations-generate.mjs';
import { mutations as listed } from './mutations-list.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** A run that takes longer counts as one whose tests failed: the code hangs. */
const longestRunMs = 10 * 60_000;

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    generate: { type: 'string' },
    tests: { type: 'string', multiple: true, default: [] },
  },
});

const refuse = (reason) => {
  console.error(`mutations: ${reason}`);
  process.exit(2);
};

/** What keeps a mutation from being made; null: nothing does. */
const mistakeIn = ({ file, text, at }) => {
  if (!existsSync(join(root, file))) return `${file} does not exist`;
  const source = readFileSync(join(root, file), 'utf8');
  if (at !== undefined) return null;
  const found = source.indexOf(text);
  if (found === -1) return `${file} no longer contains:\n${text}`;
  return source.includes(text, found + 1) ? `${file} contains more than once:\n${text}` : null;
};

/** The text of a file with the mutation made. */
const mutated = (source, { text, replacement, at }) => {
  const from = at ?? source.indexOf(text);
  return source.slice(0, from) + replacement + source.slice(from + text.length);
};

/** All files that git knows or would know, and the packages, in a directory that goes when the script ends. */
const copyTree = () => {
  const copy = mkdtempSync(join(tmpdir(), 'corral-mutations-'));
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
  const files = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  for (const file of files.split('\0').filter((name) => name !== '')) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  // Packages of others are shared; our own workspaces are those of the copy.
  for (const directory of ['.', ...readdirSync(join(root, 'node_modules/@corral'))]) linkPackages(copy, directory);
  return copy;
};

const linkPackages = (copy, directory) => {
  const from = join(root, directory, 'node_modules');
  const to = join(copy, directory, 'node_modules');
  // Most workspaces have all of their packages in the directory above.
  if (!existsSync(from)) return;
  mkdirSync(to);
  for (const name of readdirSync(from).filter((entry) => !entry.startsWith('.vite'))) {
    if (name === '@corral') cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true });
    else symlinkSync(join(from, name), join(to, name));
  }
};

/** Runs test files in the copy: the tests that failed, the files that could not run, and whether all of it ended in time. */
const runTests = async (copy, tests) => {
  const report = join(copy, 'mutation-report.json');
  rmSync(report, { force: true });
  const args = [join(copy, 'node_modules/vitest/vitest.mjs'), 'run', ...tests];
  const child = spawn(process.execPath, [...args, '--bail=1', '--reporter=json', `--outputFile=${report}`], {
    cwd: copy,
    stdio: 'ignore',
    detached: true,
  });
  const stop = () => process.kill(-child.pid, 'SIGKILL');
  // Before the copy goes: what still runs there would write to it.
  process.prependOnceListener('exit', stop);
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    stop();
  }, longestRunMs);
  await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  process.off('exit', stop);
  clearTimeout(limit);
  if (isLate) return { failed: [], broken: [], isLate };
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => `${name.slice(copy.length + 1)}: ${fullName.trim()}`),
  );
  const broken = testResults
    .filter(
      ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((it) => it.status === 'failed'),
    )
    .map(({ name, message }) => `${name.slice(copy.length + 1)}: ${message.split('\n')[0]}`);
  return { failed, broken, isLate };
};

const chosen = options.generate
  ? generateMutations(root, options.generate, options.tests)
  : listed.filter((mutation) => words.every((word) => JSON.stringify(mutation).includes(word)));
if (chosen.length === 0) refuse('no such mutation');
if (options.generate && options.tests.length === 0) refuse('--generate needs --tests FILE, once for each file');
const missing = chosen.flatMap(({ tests }) => tests.filter((file) => !existsSync(join(root, file))));
const mistakes = [
  ...chosen.map(mistakeIn).filter((mistake) => mistake !== null),
  ...[...new Set(missing)].map((file) => `${file} does not exist`),
];
if (mistakes.length > 0) refuse(`correct scripts/mutations-list.mjs:\n\n${mistakes.join('\n\n')}`);

if (options.list) {
  for (const { file, breaks, tests } of chosen) console.log(`${breaks}\n  ${file}\n  ${tests.join(' ')}`);
  process.exit(0);
}

const copy = copyTree();
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(0).padStart(4)} s`;

/** A test that fails anyway would say nothing. */
if (!options.quick) {
  const tests = [...new Set(chosen.flatMap((mutation) => mutation.tests))];
  const begun = performance.now();
  const { failed, broken, isLate } = await runTests(copy, tests);
  if (isLate || failed.length + broken.length > 0) {
    refuse(`without any mutation these fail already:\n${[...failed, ...broken].join('\n')}`);
  }
  console.log(`${seconds(begun)}  ${tests.length} test files pass without a mutation`);
}

let survivors = 0;
for (const mutation of chosen) {
  const { file, breaks } = mutation;
  const since = performance.now();
  // Of the copy: the checkout may change meanwhile.
  const original = readFileSync(join(copy, file), 'utf8');
  writeFileSync(join(copy, file), mutated(original, mutation));
  const { failed, broken, isLate } = await runTests(copy, mutation.tests);
  writeFileSync(join(copy, file), original);
  const isKilled = isLate || failed.length > 0;
  if (!isKilled) survivors += 1;
  const verdict = isKilled ? 'killed  ' : broken.length > 0 ? 'BROKEN  ' : 'SURVIVED';
  console.log(`${verdict} ${seconds(since)}  ${breaks}  (${file})`);
  const told = isLate ? 'the tests did not end' : (failed[0] ?? broken[0]);
  if (told !== undefined) console.log(`                ${told}`);
}
console.log(`${chosen.length} mutations, ${survivors} survived`);
process.exitCode = survivors === 0 ? 0 : 1;
