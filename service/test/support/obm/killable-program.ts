import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { programFile } from '../../../../test/support/built-program.ts';

const programs = { service: 'corral-service', daemon: 'corral-obmd' } as const;

/** A built program as a process, which can be killed. */
export interface Killable {
  readonly pid: number;
  readonly url: string;
  /** Where the OBM daemon of this process is, be it the service's or its own. */
  readonly obmdUrl: string;
  kill(): Promise<void>;
}

/** Starts the service or the daemon and waits until it is ready. */
export const startKillable = async (
  which: keyof typeof programs,
  env: Readonly<Record<string, string>>,
): Promise<Killable> => {
  const child = spawn(process.execPath, [programFile(programs[which])], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const find = (pattern: RegExp): string => pattern.exec(lines.join('\n'))?.[1] ?? '';
  const hasInside = which === 'service' && env['CORRAL_OBMD'] !== undefined;
  const url = (): string => find(/^(?:Corral|corral-obmd) is ready at (http:\/\/[^/\s]+)/m);
  const obmdUrl = (): string => (hasInside ? find(/^The OBM daemon is ready at (http:\/\/[^/\s]+)/m) : url());
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        if (url() !== '' && obmdUrl() !== '') resolve();
      });
    }
    child.once('close', () => reject(new Error(`the ${which} ended before it was ready: ${lines.join('\n')}`)));
  });
  return { pid: child.pid ?? 0, url: url(), obmdUrl: obmdUrl(), kill: () => killed(child) };
};

const killed = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
};
