import { readsBesideWrites } from '../beside-writes.ts';
import { withNodes } from '../installation.ts';
import { isQuick, say } from '../options.ts';
import { showNodePaths } from '../reads.ts';
import {
  type Figure,
  increaseFigure,
  limitFigure,
  perSecond,
  processorFigure,
  type Results,
  throughputFigure,
} from '../report.ts';
import { bareReserveAndRelease, reserveAndRelease } from '../reserve.ts';

const nodes = 1_000;
const rounds = isQuick ? 30 : 150;
const seconds = isQuick ? 4 : 10;
const disks = { 'this disk': null, 'a disk that flushes in 20 ms': 20 };

/** Changes on SQLite, beside the same statements on the bare engine; and what readers notice of them. */
export const measure = async (): Promise<Results> => {
  const figures: Figure[] = [];
  for (const [disk, flushMs] of Object.entries(disks)) {
    await withNodes(nodes, async (installation, first) => {
      await first.stop();
      const service = await (flushMs === null ? installation.start() : installation.startOnSlowDisk(flushMs));
      try {
        say(`reserve and release, on ${disk}`);
        const reserve = await reserveAndRelease(service, rounds);
        say(`reads beside writes, on ${disk}`);
        const { idle, beside, writes } = await readsBesideWrites(service.url, showNodePaths(nodes), seconds);
        await service.stop();
        const bare = await bareReserveAndRelease(installation, flushMs === null ? 10 * rounds : rounds, flushMs);
        figures.push(throughputFigure(`reserve and release, 20 callers, ${disk}`, reserve, bare, 1.5));
        figures.push(processorFigure(`reserve and release, processor time, ${disk}`, reserve, bare, null));
        const what = `show_node beside ${perSecond(writes)} changes, ${disk}`;
        figures.push(increaseFigure(`p50 of ${what}`, [beside.p50, idle.p50], 'ms', null));
        figures.push(increaseFigure(`p99 of ${what}`, [beside.p99, idle.p99], 'ms', 2));
        figures.push(limitFigure(`longest of ${what}`, beside.longest, null, 'ms'));
      } finally {
        await service.stop();
      }
    });
  }
  return { figures };
};
