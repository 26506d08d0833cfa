import { cpus } from 'node:os';
import { besideBadSwitches, connectAll } from './connects.ts';
import { compareReads, showNodePaths } from './reads.ts';
import {
  type Figure,
  increaseFigure,
  limitFigure,
  perSecond,
  processorFigure,
  tableOf,
  throughputFigure,
} from './report.ts';
import { readsBesideWrites } from './beside-writes.ts';
import { bareReserveAndRelease, reserveAndRelease } from './reserve.ts';
import { createInstallation, seedNodes, type Installation } from './installation.ts';
import type { Measured } from './process.ts';

/** `--quick`: shorter rounds, for a look; the figures of a release come from the full run. */
const isQuick = process.argv.includes('--quick');
const rounds = isQuick ? { rounds: 1, seconds: 2 } : { rounds: 3, seconds: 5 };
const reservations = isQuick ? 30 : 150;

const say = (text: string): void => void process.stderr.write(`${text}\n`);
/** Runs work on an installation with so many nodes; whatever happens, nothing is left behind. */
const withNodes = async <T>(
  nodes: number,
  work: (installation: Installation, service: Measured) => Promise<T>,
): Promise<T> => {
  const installation = await createInstallation();
  let service = await installation.start();
  try {
    await service.stop();
    seedNodes(installation, nodes);
    service = await installation.start();
    return await work(installation, service);
  } finally {
    await service.stop();
    await installation.remove();
  }
};

const main = async (): Promise<void> => {
  say(`bench: Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`);
  const figures: Figure[] = [];

  say('10,000 nodes: start, memory, reads');
  await withNodes(10_000, async (installation, service) => {
    const show = await compareReads(installation, service, showNodePaths(10_000), rounds);
    figures.push(throughputFigure('show_node', show.corral, show.bare, 0.5));
    figures.push(processorFigure('show_node, processor time', show.corral, show.bare, 0.6));
    const list = await compareReads(installation, service, ['/v0/nodes/free'], rounds);
    figures.push(throughputFigure('list of 10,000 free nodes', list.corral, list.bare, 0.5));
    figures.push(processorFigure('list of 10,000, processor time', list.corral, list.bare, 0.7));
    figures.push(limitFigure('memory after that load', service.memory(), 150, 'MB'));
    await service.stop();
    const again = await installation.start();
    figures.push(limitFigure('memory after start', again.memory(), 110, 'MB'));
    figures.push(limitFigure('start to ready', again.readyMs, 600, 'ms'));
    await again.stop();
  });

  say('1,000 nodes: reservations, switches');
  const small = await withNodes(1_000, async (installation, service) => {
    const show = await compareReads(installation, service, showNodePaths(1_000), rounds);
    const reserve = await reserveAndRelease(service, reservations);
    const { seconds, serialSeconds } = await connectAll(installation, service.url);
    figures.push(increaseFigure('200 connects, 4 switches of 50 ms', [seconds, serialSeconds], 's', 0.1));
    const { alone, beside } = await besideBadSwitches(installation, service.url);
    figures.push(increaseFigure('7 switches beside 3 bad ones', [beside, alone], 's', 1.25));
    await service.stop();
    const bare = bareReserveAndRelease(installation, 10 * reservations);
    figures.push(throughputFigure('reserve and release', reserve, bare, 1.5));
    figures.push(processorFigure('reserve and release, processor time', reserve, bare, null));
    return { show: show.corral, reserve };
  });

  for (const disk of ['this disk', 'a disk that flushes in 20 ms'] as const) {
    say(`1,000 nodes: reads beside writes, on ${disk}`);
    await withNodes(1_000, async (installation, first) => {
      await first.stop();
      const service = await (disk === 'this disk' ? installation.start() : installation.startOnSlowDisk(20));
      try {
        const { idle, beside, writes } = await readsBesideWrites(service.url, showNodePaths(1_000), rounds.seconds * 2);
        const what = `p99 of show_node beside ${perSecond(writes)} changes, ${disk}`;
        figures.push(increaseFigure(what, [beside.p99, idle.p99], 'ms', 2));
      } finally {
        await service.stop();
      }
    });
  }

  say('100,000 nodes: the same again');
  await withNodes(100_000, async (installation, service) => {
    const show = await compareReads(installation, service, showNodePaths(100_000), rounds);
    const reserve = await reserveAndRelease(service, reservations);
    // In processor time, so that a busy machine does not pass for a slow index.
    figures.push(
      increaseFigure('show_node, 100,000 against 1,000 nodes', [show.corral.cpuUs, small.show.cpuUs], 'µs', 1.2),
    );
    figures.push(
      increaseFigure('reserve, 100,000 against 1,000 nodes', [reserve.cpuUs, small.reserve.cpuUs], 'µs', 1.2),
    );
  });

  process.stdout.write(`\n${tableOf(figures)}\n`);
};

await main();
