// Everything that is checked without running Corral, two at a time, with each one's time.
// `node scripts/check.mjs [NAME…]`, all of it by default.
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';

/** Lint looks at what the compiler wrote, and takes as long as all others together. */
const rounds = [
  [['types'], ['test-types']],
  [['lint'], ['format', 'imports', 'unused', 'licences']],
];
const wanted = process.argv.length > 2 ? process.argv.slice(2) : rounds.flat(2);

/** Runs one, tells what it wrote if it fails, and how long it took. */
const passes = async (name) => {
  const begun = performance.now();
  const child = spawn('npm', ['run', '--silent', `check:${name}`], { stdio: ['ignore', 'pipe', 'pipe'] });
  const written = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => written.push(bytes));
  const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  if (code !== 0) process.stdout.write(Buffer.concat(written));
  const seconds = ((performance.now() - begun) / 1000).toFixed(0).padStart(4);
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name.padEnd(11)}${seconds} s`);
  return code === 0;
};

const inTurn = async (names) => {
  const outcomes = [];
  for (const name of names) if (wanted.includes(name)) outcomes.push(await passes(name));
  return outcomes;
};

for (const lanes of rounds) {
  const outcomes = (await Promise.all(lanes.map(inTurn))).flat();
  if (outcomes.includes(false)) {
    process.exitCode = 1;
    break;
  }
}
