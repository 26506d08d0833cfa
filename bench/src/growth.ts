import { cpus, loadavg } from 'node:os';
import { growthTable } from './growth/growth-table.ts';
import { measureGrowth } from './growth/measure-growth.ts';
import { type Engine, engines } from './growth/measured-site.ts';

/*
 * What every call of the interface costs in sites of 1,000, 10,000 and 100,000 nodes with four nics each and a history,
 * on both databases: nothing may cost more because the site is larger, and a list only for each item that it has.
 * `--quick`: 1,000 and 10,000 nodes. `sqlite` or `postgres`: only there.
 */
const isQuick = process.argv.includes('--quick');
const sizes = isQuick ? [1_000, 10_000] : [1_000, 10_000, 100_000];
const rounds = isQuick ? 1 : 2;
const chosen = engines.filter((engine) => process.argv.includes(engine));

const say = (text: string): void => void process.stderr.write(`${text}\n`);

say(`growth: Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`);
for (const engine of chosen.length > 0 ? chosen : (engines satisfies readonly Engine[])) {
  say(`load ${loadavg()[0]?.toFixed(1) ?? ''}`);
  process.stdout.write(`\n${growthTable(await measureGrowth({ engine, sizes, rounds, say }))}\n`);
}
