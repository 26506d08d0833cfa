import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasPart, startIpmiSim } from '@corral/lab';
import type { Figure } from '../report.ts';
import { watchPlain, watchSocket } from './consoles.ts';
import { type Daemon, type HeldNode, withDaemon } from './daemon.ts';
import { limitFigure, noneFigure } from '../report.ts';

/** What a process holds, seen from outside and from within. */
interface Held {
  readonly descriptors: number;
  readonly terminals: number;
  readonly children: number;
  readonly handles: number;
  readonly heapMb: number;
  readonly rssMb: number;
}

const heldBy = async (daemon: Daemon): Promise<Held> => {
  const { heapMb, handles } = await daemon.look();
  const pid = daemon.child.pid ?? 0;
  const targets = readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${name}`)];
    } catch {
      return [];
    }
  });
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return {
    descriptors: targets.length,
    terminals: targets.filter((target) => /^\/dev\/(ptmx|pts)/.test(target)).length,
    children: children.length,
    handles,
    heapMb,
    rssMb: daemon.memory(),
  };
};

const longestSettleMs = 10_000;

/** What it holds when the last client is gone and it has let go of what it lets go of; the least within ten seconds. */
const settled = async (daemon: Daemon, before?: Held): Promise<Held> => {
  const end = performance.now() + longestSettleMs;
  for (;;) {
    const held = await heldBy(daemon);
    const isBack =
      before !== undefined &&
      held.descriptors <= before.descriptors &&
      held.children <= before.children &&
      held.handles <= before.handles;
    if (isBack || performance.now() > end) return held;
    await sleep(100);
  }
};

/** Opens and closes consoles, each worker on nodes of its own, so that each is let go of before it is opened again. */
const openAndClose = async (
  daemon: Daemon,
  nodes: readonly HeldNode[],
  workers: number,
  cycles: number,
): Promise<void> => {
  let left = cycles;
  const worker = async (_: unknown, index: number): Promise<void> => {
    const own = nodes.filter((_node, at) => at % workers === index);
    for (let turn = 0; left > 0; turn += 1) {
      left -= 1;
      const node = own[turn % own.length];
      if (node === undefined) return;
      const watch = (turn + index) % 2 === 0 ? watchPlain : watchSocket;
      const watcher = await watch(daemon.url, node, () => undefined);
      await watcher.leave();
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
};

/** How often a console was opened on a BMC, as the daemon counts. */
const opened = async ({ url }: Daemon): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^obmd_bmc_call_seconds_count\{.*call="console".*\} (\d+)/m.exec(text)?.[1] ?? 0);
};

const env = { CORRAL_OBMD_CALL_GAP: '0', CORRAL_OBMD_CONSOLE_LINGER: '0' };

/** Consoles opened and closed, again and again: what is left of them. */
export const mockLeaks = (cycles: number): Promise<Figure[]> =>
  withDaemon(env, async (daemon) => {
    const nodes: HeldNode[] = [];
    for (let index = 0; index < 40; index += 1) {
      nodes.push(await daemon.hold(`n${index}`, 'mock', { addr: `mock://n${index}?tick_ms=10` }));
    }
    const quarter = (): Promise<void> => openAndClose(daemon, nodes, 20, cycles / 4);
    const start = await settled(daemon);
    await quarter();
    const warm = await settled(daemon, start);
    await quarter();
    await quarter();
    await quarter();
    const end = await settled(daemon, start);
    return figuresOf(`(d) ${cycles} consoles, ${await opened(daemon)} opened on BMCs`, start, warm, end);
  });

/** The same with ipmitool processes on real ipmi_sim. */
export const ipmiLeaks = async (cycles: number): Promise<Figure[]> => {
  if (!hasPart('ipmi_sim')) return [];
  const sims = await Promise.all(Array.from({ length: 8 }, () => startIpmiSim()));
  try {
    return await withDaemon(env, async (daemon) => {
      const nodes: HeldNode[] = [];
      for (const { addr, port, user, pass } of sims) {
        nodes.push(await daemon.hold(`n${nodes.length}`, 'ipmi', { addr, port, user, pass }));
      }
      const start = await settled(daemon);
      await openAndClose(daemon, nodes, 4, cycles / 4);
      const warm = await settled(daemon, start);
      await openAndClose(daemon, nodes, 4, (3 * cycles) / 4);
      const end = await settled(daemon, start);
      return figuresOf(`(d) ${cycles} by ipmitool, ${await opened(daemon)} opened on BMCs`, start, warm, end);
    });
  } finally {
    await Promise.all(sims.map((sim) => sim.stop()));
  }
};

const kinds = ['descriptors', 'terminals', 'children', 'handles'] as const;

const figuresOf = (what: string, start: Held, warm: Held, end: Held): Figure[] => {
  const left = kinds.map((kind) => Math.max(0, end[kind] - start[kind]));
  return [
    noneFigure(
      `${what}: ${kinds.join(', ')} left`,
      left.reduce((sum, count) => sum + count, 0),
      `${left.join(', ')} of ${kinds.map((kind) => start[kind]).join(', ')} at first`,
    ),
    limitFigure(
      '(d) heap grown after the first quarter',
      end.heapMb - warm.heapMb,
      3,
      'MB',
      `${warm.heapMb.toFixed(1)} MB`,
    ),
    limitFigure('(d) memory grown after it', end.rssMb - warm.rssMb, 20, 'MB', `${Math.round(warm.rssMb)} MB`),
  ];
};
