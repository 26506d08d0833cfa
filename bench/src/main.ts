import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { say } from './options.ts';
import { type Figure, markdownTableOf, type Results, tableOf } from './report.ts';
import { type Plot, svgOf } from './svg-plot.ts';

interface Suite {
  readonly about: string;
  readonly measure: () => Promise<Results>;
  /** Only when it is named: it takes long, or measures safety instead of speed. */
  readonly isApart?: true;
}

const suites: Readonly<Record<string, Suite>> = {
  reads: {
    about: 'reads of 10,000 nodes beside bare Fastify; start and memory',
    measure: async () => (await import('./suites/reads.ts')).measure(),
  },
  credentials: {
    about: 'show_node by token, session, OpenID Connect and Keystone',
    measure: async () => (await import('./suites/credentials.ts')).measure(),
  },
  load: {
    about: 'latency over load, beside bare Fastify',
    measure: async () => (await import('./suites/load.ts')).measure(),
  },
  writes: {
    about: 'changes on SQLite beside the bare engine, and reads beside changes',
    measure: async () => (await import('./suites/writes.ts')).measure(),
  },
  claims: {
    about: 'claims over 10,000 nodes by what they are, beside project_connect_node',
    measure: async () => (await import('./suites/claims.ts')).measure(),
  },
  postgres: {
    about: 'changes on PostgreSQL beside pgbench with the same statements',
    measure: async () => (await import('./suites/postgres.ts')).measure(),
  },
  processes: {
    about: 'reads and changes over the number of processes, on PostgreSQL',
    measure: async () => (await import('./suites/processes.ts')).measure(),
  },
  connects: {
    about: 'the network engine: many connects at once, bad switches',
    measure: async () => (await import('./suites/connects.ts')).measure(),
  },
  fleet: {
    about: '1,000 nodes on 50 slow switches beside a perfect scheduler',
    measure: async () => (await import('./suites/fleet.ts')).measure(),
  },
  cli: {
    about: '`corral node show` from a cold start beside `node -e 0`',
    measure: async () => (await import('./suites/cli.ts')).measure(),
  },
  apply: {
    about: 'a whole site with `corral apply` beside a script',
    measure: async () => (await import('./suites/apply.ts')).measure(),
  },
  console: {
    about: 'the pages in a browser with 10,000 nodes: first load, filter, sort, scroll, memory',
    measure: async () => (await import('./suites/console.ts')).measure(),
    isApart: true,
  },
  'growth-sqlite': {
    about: 'every call with 1,000, 10,000 and 100,000 nodes, on SQLite',
    measure: async () => (await import('./suites/growth.ts')).measureSqlite(),
    isApart: true,
  },
  'growth-postgres': {
    about: 'the same on PostgreSQL',
    measure: async () => (await import('./suites/growth.ts')).measurePostgres(),
    isApart: true,
  },
  obmd: {
    about: 'the OBM daemon: hanging BMCs, many consoles, leaks',
    measure: async () => (await import('./suites/obmd.ts')).measure(),
    isApart: true,
  },
  hostile: {
    about: 'what normal clients notice of slow connections and oversized uploads',
    measure: async () => (await import('./suites/hostile.ts')).measure(),
    isApart: true,
  },
  loop: {
    about: 'how long expensive requests hold up the event loop',
    measure: async () => (await import('./suites/hostile.ts')).measureLoop(),
    isApart: true,
  },
  timing: {
    about: 'whether the time of a refusal tells who exists',
    measure: async () => (await import('./suites/timing.ts')).measure(),
    isApart: true,
  },
};

const options = ['--quick', '--docs', '--list'];
const words = process.argv.slice(2);
const names = words.filter((word) => !word.startsWith('--'));
const unknown = words.find((word) => (word.startsWith('--') ? !options.includes(word) : !Object.hasOwn(suites, word)));

const results = new URL('../results/', import.meta.url);
const document = new URL('../../docs/performance.md', import.meta.url);
const drawings = new URL('../../docs/performance/', import.meta.url);

/** What ran it: kinds of machines differ more than versions of Corral. */
const machine = (): string =>
  `Node ${process.version.slice(1)}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, ${process.arch}`;

const list = (): string =>
  Object.entries(suites)
    .map(([name, { about, isApart }]) => `  ${name.padEnd(16)} ${about}${isApart ? ' (only when named)' : ''}`)
    .join('\n');

const main = async (): Promise<void> => {
  if (unknown !== undefined) {
    say(`bench: ${unknown}: no such suite or option. Options: ${options.join(', ')}. Suites:\n${list()}`);
    process.exitCode = 2;
    return;
  }
  if (words.includes('--list')) {
    process.stdout.write(`${list()}\n`);
    return;
  }
  say(`bench: ${machine()}`);
  const figures: Figure[] = [];
  const plots: Plot[] = [];
  const measured: object[] = [];
  for (const [name, { about, measure, isApart }] of Object.entries(suites)) {
    if (names.length > 0 ? !names.includes(name) : isApart) continue;
    say(`${name}: ${about}`);
    const load = loadavg()[0];
    const found = await measure();
    figures.push(...found.figures);
    plots.push(...(found.plots ?? []));
    measured.push({ suite: name, load, ...found });
  }
  const written = await write(measured, plots);
  process.stdout.write(`\n${tableOf(figures)}\n\n${written}\n`);
  if (words.includes('--docs')) await writeDocument(figures, plots);
  if (figures.some(({ isMet }) => isMet === false)) process.exitCode = 1;
};

/** JSON for programs, and the plots. */
const write = async (measured: readonly object[], plots: readonly Plot[]): Promise<string> => {
  await mkdir(results, { recursive: true });
  const file = new URL('results.json', results);
  const content = { at: new Date().toISOString(), machine: machine(), suites: measured };
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
  for (const plot of plots) await writeFile(new URL(`${plot.name}.svg`, results), svgOf(plot));
  const drawn = plots.length === 0 ? '' : `, and ${plots.map(({ name }) => `${name}.svg`).join(', ')}`;
  return `written to ${fileURLToPath(file)}${drawn}`;
};

const marks = ['<!-- figures -->', '<!-- end of figures -->'] as const;

/** Puts the table and the plots between their marks in docs/performance.md. */
const writeDocument = async (figures: readonly Figure[], plots: readonly Plot[]): Promise<void> => {
  const text = await readFile(document, 'utf8');
  const [before = '', rest = ''] = text.split(marks[0]);
  const after = rest.split(marks[1])[1] ?? '';
  const images = plots.map(({ name, title }) => `![${title}](performance/${name}.svg)\n\n`);
  const table = `\n\n${machine()}:\n\n${markdownTableOf(figures)}\n\n`;
  await writeFile(document, `${before}${marks[0]}${table}${images.join('')}${marks[1]}${after}`);
  await mkdir(drawings, { recursive: true });
  for (const plot of plots) await writeFile(new URL(`${plot.name}.svg`, drawings), svgOf(plot));
};

await main();
