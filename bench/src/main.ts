import { cpus } from 'node:os';
import { besideBadSwitches, connectAll } from './connects.ts';
import { compareReads, showNodePaths } from './reads.ts';
import { type Figure, perSecond, tableOf } from './report.ts';
import { bareReserveAndRelease, reserveAndRelease } from './reserve.ts';
import { createInstallation, seedNodes, type Installation } from './installation.ts';
import type { Measured } from './process.ts';

/** `--quick`: shorter rounds, for a look; the figures of a release come from the full run. */
const isQuick = process.argv.includes('--quick');
const rounds = isQuick ? { rounds: 1, seconds: 2 } : { rounds: 3, seconds: 5 };
const reservations = isQuick ? 30 : 150;

const say = (text: string): void => void process.stderr.write(`${text}\n`);
const atLeast = (what: string, measured: number, beside: number, aim: number): Figure => ({
  what,
  measured: perSecond(measured),
  beside: perSecond(beside),
  ratio: measured / beside,
  aim: `>= ${aim}`,
  isMet: measured / beside >= aim,
});

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
    const show = await compareReads(installation, service.url, showNodePaths(10_000), rounds);
    figures.push(atLeast('(a) show_node, authenticated', show.corral, show.bare, 0.5));
    const list = await compareReads(installation, service.url, ['/v0/nodes/free'], rounds);
    figures.push(atLeast('(c) list 10,000 free nodes', list.corral, list.bare, 0.5));
    const megabytes = service.memory();
    figures.push(limit('memory after that load', megabytes, 150, 'MB'));
    await service.stop();
    const again = await installation.start();
    figures.push(limit('memory after start', again.memory(), 150, 'MB'));
    figures.push(limit('start to ready', again.readyMs, 1000, 'ms'));
    await again.stop();
  });

  say('1,000 nodes: reservations, switches');
  const small = await withNodes(1_000, async (installation, service) => {
    const show = await compareReads(installation, service.url, showNodePaths(1_000), rounds);
    const reserve = await reserveAndRelease(service.url, reservations);
    const { seconds, serialSeconds } = await connectAll(installation, service.url);
    figures.push({
      what: '(d) 200 connects, 4 switches of 50 ms',
      measured: `${seconds.toFixed(2)} s`,
      beside: `${serialSeconds.toFixed(2)} s serial`,
      ratio: seconds / serialSeconds,
      aim: '<= 0.1',
      isMet: seconds / serialSeconds <= 0.1,
    });
    const { alone, beside } = await besideBadSwitches(installation, service.url);
    figures.push({
      what: '(e) 7 switches beside 3 bad ones',
      measured: `${beside.toFixed(2)} s`,
      beside: `${alone.toFixed(2)} s alone`,
      ratio: beside / alone,
      aim: '<= 1.25',
      isMet: beside / alone <= 1.25,
    });
    await service.stop();
    const bare = bareReserveAndRelease(installation, 10 * reservations);
    figures.push(atLeast('(b) reserve and release', reserve, bare, 0.4));
    return { show: show.corral / show.bare, reserve: reserve / bare };
  });

  say('100,000 nodes: the same again');
  await withNodes(100_000, async (installation, service) => {
    const show = await compareReads(installation, service.url, showNodePaths(100_000), rounds);
    const reserve = await reserveAndRelease(service.url, reservations);
    await service.stop();
    const bare = bareReserveAndRelease(installation, 10 * reservations);
    // Both against their comparator, so that a busy machine does not pass for a slow index.
    figures.push(growth('(a) 1,000 against 100,000 nodes', small.show, show.corral / show.bare));
    figures.push(growth('(b) 1,000 against 100,000 nodes', small.reserve, reserve / bare));
  });

  process.stdout.write(`\n${tableOf(figures)}\n`);
};

const limit = (what: string, measured: number, aim: number, unit: string): Figure => ({
  what,
  measured: `${Math.round(measured)} ${unit}`,
  beside: '',
  ratio: null,
  aim: `< ${aim} ${unit}`,
  isMet: measured < aim,
});

const growth = (what: string, small: number, large: number): Figure => ({
  what,
  measured: small.toFixed(2),
  beside: large.toFixed(2),
  ratio: small / large,
  aim: '<= 1.25',
  isMet: small / large <= 1.25,
});

await main();
