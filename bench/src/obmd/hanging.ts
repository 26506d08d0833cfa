import { hasPart, startIpmiSim } from '@corral/lab';
import type { Figure } from '../report.ts';
import { callAll, compare, type Load, oneLock, waitsOf } from './obmd-calls.ts';
import { type HeldNode, withDaemon } from './daemon.ts';
import { increaseFigure } from '../report.ts';

const aim = 1.25;
const nothing = (): Promise<void> => Promise.resolve();

/** BMCs that take 20 to 50 ms, and one in ten that never answers. */
export const besideHanging = (size: { readonly bmcs: number; readonly load: Load }): Promise<Figure[]> =>
  withDaemon({ CORRAL_OBMD_CALL_TIMEOUT: String(size.load.timeoutSeconds) }, async (daemon) => {
    const [good, bad]: [HeldNode[], HeldNode[]] = [[], []];
    for (let index = 0; index < size.bmcs; index += 1) {
      const isBad = index % 10 === 9;
      const temper = isBad ? 'hang=all' : `delay_ms=${20 + (index % 31)}`;
      (isBad ? bad : good).push(await daemon.hold(`n${index}`, 'mock', { addr: `mock://n${index}?${temper}` }));
    }
    const { alone, beside } = await compare(daemon.url, { good, bad }, size.load, { hang: nothing, recover: nothing });
    const locked = waitsOf([await callAll(daemon.url, good, size.load, oneLock())]);
    const rest = `${good.length} BMCs beside ${bad.length} that hang`;
    return [
      increaseFigure(`(a) ${rest}, p50 of ${beside.calls} calls`, [beside.p50, alone.p50], 'ms', aim),
      increaseFigure(`(a) ${rest}, p99`, [beside.p99, alone.p99], 'ms', aim),
      increaseFigure('(a) against one lock for all, none hangs, p99', [beside.p99, locked.p99], 'ms', 0.5),
      increaseFigure(
        '(a) against one lock for all, worked out, they hang',
        [
          beside.p99,
          size.load.callers * alone.p50 + size.load.hungCalls * bad.length * size.load.timeoutSeconds * 1000,
        ],
        'ms',
        0.01,
      ),
    ];
  });

/** The same with real ones: ipmi_sim, some of them stopped, and an ipmitool for every call. */
export const besideStopped = async (size: {
  readonly bmcs: number;
  readonly stopped: number;
  readonly load: Load;
}): Promise<Figure[]> => {
  if (!hasPart('ipmi_sim')) return [];
  const sims = await Promise.all(Array.from({ length: size.bmcs }, () => startIpmiSim()));
  try {
    return await withDaemon({ CORRAL_OBMD_CALL_TIMEOUT: String(size.load.timeoutSeconds) }, async (daemon) => {
      const nodes: HeldNode[] = [];
      for (const { addr, port, user, pass } of sims) {
        nodes.push(await daemon.hold(`n${nodes.length}`, 'ipmi', { addr, port, user, pass }));
      }
      const bad = nodes.slice(0, size.stopped);
      const good = nodes.slice(size.stopped);
      const stopped = sims.slice(0, size.stopped);
      const { alone, beside } = await compare(daemon.url, { good, bad }, size.load, {
        hang: () => Promise.all(stopped.map((sim) => sim.hang())),
        recover: () => Promise.all(stopped.map((sim) => sim.recover())),
      });
      const rest = `${good.length} ipmi_sim beside ${bad.length} stopped`;
      return [
        increaseFigure(`(b) ${rest}, p50 of ${beside.calls} calls`, [beside.p50, alone.p50], 'ms', aim),
        increaseFigure(`(b) ${rest}, p99`, [beside.p99, alone.p99], 'ms', aim),
      ];
    });
  } finally {
    await Promise.all(sims.map((sim) => sim.stop()));
  }
};
