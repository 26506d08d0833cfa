import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { programFile } from '../../../../test/support/built-program.ts';
import type { MachineStep } from '../../../src/drivers/hypervisors/libvirt/machine-steps.ts';
import type { ReleaseMoment } from '../../../src/core/release-steps.ts';
import type { CleaningMoment } from '../../../src/worker/cleaning-moments.ts';
import type { HistoryStep } from '../../../src/worker/history-pruning.ts';
import type { DeliveryStep } from '../../../src/worker/webhook-deliveries.ts';
import type { Step } from '../../../src/worker/worker-steps.ts';

/** A service that will kill itself. */
export interface DyingProgram {
  readonly url: string;
  readonly pid: number;
  /** The signal that ended it, once something has. */
  readonly death: Promise<NodeJS.Signals | null>;
  readonly isDead: () => boolean;
  kill(): Promise<void>;
}

/** Starts the service so that it dies, as by `kill -9`, or sleeps, when it reaches a step for the nth time. */
export const startDyingProgram = async (
  env: Readonly<Record<string, string>>,
  step: Step | MachineStep | HistoryStep | DeliveryStep | ReleaseMoment | CleaningMoment,
  times: number,
  signal: 'SIGKILL' | 'SIGSTOP' = 'SIGKILL',
): Promise<DyingProgram> => {
  const child = spawn(process.execPath, [programFile('dying-service'), step, String(times), signal], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const isDead = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const death = once(child, 'close').then(() => child.signalCode);
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /^ready at (http:\/\/[^/\s]+)/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    death.then(() => reject(new Error('the program ended before it was ready')), reject);
  });
  return {
    url,
    pid: child.pid ?? 0,
    death,
    isDead,
    kill: async () => {
      if (!isDead()) child.kill('SIGKILL');
      await death;
    },
  };
};
