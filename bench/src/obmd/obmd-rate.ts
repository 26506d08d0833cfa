import { compareReads } from '../reads.ts';
import { type Figure, throughputFigure, limitFigure } from '../report.ts';
import { withDaemon } from './daemon.ts';

/** What the daemon itself costs: BMCs that answer at once, beside a server that does nothing but answer. */
export const rate = (nodes: number): Promise<Figure[]> =>
  withDaemon({ CORRAL_OBMD_CALL_GAP: '0' }, async (first) => {
    const paths: string[] = [];
    for (let index = 0; index < nodes; index += 1) {
      const { id, token } = await first.hold(`n${index}`, 'mock', { addr: `n${index}` });
      paths.push(`/node/${id}/power_status?token=${token}`);
    }
    const daemon = await first.restarted();
    try {
      const memoryMb = daemon.memory();
      const { corral, bare } = await compareReads(daemon, daemon, paths);
      return [
        throughputFigure(`(e) power_status of ${nodes} instant BMCs`, corral, bare, 0.25),
        limitFigure(`(e) start to ready, ${nodes} nodes`, daemon.readyMs, 1000, 'ms'),
        limitFigure('(e) memory after start', memoryMb, 150, 'MB'),
        limitFigure('(e) memory after that load', daemon.memory(), 150, 'MB'),
      ];
    } finally {
      await daemon.stop();
    }
  });
