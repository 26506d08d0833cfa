import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '../report.ts';
import { watchPlain, type Watcher, watchSocket } from './consoles.ts';
import { type HeldNode, type Probed, startBareStreams, withDaemon } from './daemon.ts';
import { increaseFigure, limitFigure, noneFigure } from '../report.ts';
import { median, quantile } from '../statistics.ts';
import { lineBytes, LineReader } from './console-lines.ts';

/** What came of consoles that talked for a while. */
interface Streamed {
  readonly lost: number;
  readonly megabytes: number;
  readonly wayP50: number;
  readonly wayP99: number;
  readonly cpuMsPerMb: number;
  readonly memoryMb: number;
}

type Connect = (index: number, hear: (bytes: Buffer) => void) => Promise<Watcher>;

const warmUpSeconds = 2;
const longestWaitMs = 10_000;

const listen = async (from: Probed, names: readonly string[], connect: Connect, seconds: number): Promise<Streamed> => {
  const readers = names.map(() => new LineReader());
  const watchers = await Promise.all(readers.map((reader, index) => connect(index, (bytes) => reader.read(bytes))));
  await from.stream(names);
  await sleep(warmUpSeconds * 1000);
  const before = from.cpuMs();
  const warm = readers.map(({ lines }) => lines);
  await sleep(seconds * 1000);
  const cpuMs = from.cpuMs() - before;
  const lines = readers.reduce((sum, reader, index) => sum + reader.lines - (warm[index] ?? 0), 0);
  const memoryMb = from.memory();
  const said = await from.quiet();
  const end = performance.now() + longestWaitMs;
  const missing = (): number => readers.reduce((sum, reader) => sum + said - reader.lines + reader.misplaced, 0);
  while (missing() > 0 && performance.now() < end) await sleep(20);
  await Promise.all(watchers.map((watcher) => watcher.leave()));
  const ways = readers.flatMap((reader, index) => reader.ways.slice(warm[index]));
  return {
    lost: missing() * lineBytes,
    megabytes: (said * names.length * lineBytes) / 1e6,
    wayP50: quantile(ways, 0.5),
    wayP99: quantile(ways, 0.99),
    cpuMsPerMb: cpuMs / ((lines * lineBytes) / 1e6),
    memoryMb,
  };
};

const ofDaemon = (consoles: number, seconds: number): Promise<Streamed> =>
  withDaemon({ CORRAL_OBMD_CALL_GAP: '0' }, async (daemon) => {
    const names = Array.from({ length: consoles }, (_, index) => `n${index}`);
    const nodes: HeldNode[] = [];
    for (const name of names) {
      // It says nothing of its own accord, so that every line that arrives is one of ours.
      const node = await daemon.hold(name, 'mock', { addr: `mock://${name}?tick_ms=999999999` });
      const { status } = await fetch(`${daemon.url}/node/${name}/power_on?token=${node.token}`, { method: 'POST' });
      if (status !== 200) throw new Error(`${name} cannot be turned on: ${status}`);
      nodes.push(node);
    }
    return listen(
      daemon,
      names,
      async (index, hear) => {
        const node = nodes[index];
        if (node === undefined) throw new Error('no such node');
        return (index % 2 === 0 ? watchPlain : watchSocket)(daemon.url, node, hear);
      },
      seconds,
    );
  });

const ofBareServer = async (consoles: number, seconds: number): Promise<Streamed> => {
  const bare = await startBareStreams();
  try {
    const names = Array.from({ length: consoles }, (_, index) => `n${index}`);
    return await listen(bare, names, (_, hear) => watchPlain(bare.url, { id: 'n', token: 'none' }, hear), seconds);
  } finally {
    await bare.stop();
  }
};

const middle = (rounds: readonly Streamed[], name: keyof Streamed): number =>
  median(rounds.map((round) => round[name]));

/** Consoles that all talk at once, 20 kB a second each, half of them over WebSockets. The comparator takes turns. */
export const streaming = async (
  consoles: number,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<Figure[]> => {
  const [bare, daemon]: [Streamed[], Streamed[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await ofBareServer(consoles, seconds));
    daemon.push(await ofDaemon(consoles, seconds));
  }
  const sum = (name: keyof Streamed): number => daemon.reduce((total, round) => total + round[name], 0);
  const wayP99 = middle(bare, 'wayP99');
  const what = `(c) ${consoles} consoles`;
  return [
    noneFigure(`${what}: bytes lost`, sum('lost'), `of ${Math.round(sum('megabytes'))} MB`),
    increaseFigure(`${what}: p50 from machine to client`, [middle(daemon, 'wayP50'), middle(bare, 'wayP50')], 'ms', 3),
    limitFigure(`${what}: p99, added`, middle(daemon, 'wayP99') - wayP99, 25, 'ms', `to ${wayP99.toFixed(1)} ms`),
    increaseFigure(`${what}: CPU for a MB`, [middle(daemon, 'cpuMsPerMb'), middle(bare, 'cpuMsPerMb')], 'ms', 2.5),
    limitFigure(`${what}: memory`, middle(daemon, 'memoryMb'), 200, 'MB', `${Math.round(middle(bare, 'memoryMb'))} MB`),
  ];
};
