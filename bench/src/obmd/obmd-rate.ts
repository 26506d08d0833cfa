import { compareReads } from '../reads.ts';
import { type Figure, throughputFigure } from '../report.ts';
import { withDaemon } from './daemon.ts';
import { below } from './figures.ts';

/** What the daemon itself costs: BMCs that answer at once, beside a server that does nothing but answer. */
export const rate = (nodes: number, rounds: { readonly rounds: number; readonly seconds: number }): Promise<Figure[]> =>
  withDaemon({ CORRAL_OBMD_CALL_GAP: '0' }, async (first) => {
    const paths: string[] = [];
    for (let index = 0; index < nodes; index += 1) {
      const { id, token } = await first.hold(`n${index}`, 'mock', { addr: `n${index}` });
      paths.push(`/node/${id}/power_status?token=${token}`);
    }
    const daemon = await first.restarted();
    try {
      const memoryMb = daemon.memory();
      const { corral, bare } = await compareReads(daemon, daemon, paths, rounds);
      return [
        throughputFigure(`(e) power_status of ${nodes} instant BMCs`, corral, bare, 0.25),
        below(`(e) start to ready, ${nodes} nodes`, daemon.readyMs, 1000, 'ms'),
        below('(e) memory after start', memoryMb, 150, 'MB'),
        below('(e) memory after that load', daemon.memory(), 150, 'MB'),
      ];
    } finally {
      await daemon.stop();
    }
  });
