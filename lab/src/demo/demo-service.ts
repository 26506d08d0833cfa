import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { DemoError } from './demo-error.ts';

const readyWithinMs = 30_000;
const stopWithinMs = 20_000;
const logName = 'service.log';
const cleanEnding = 'exit code 0';
const readyLine = /^Corral is ready at (http:\/\/\S+)\/v0\b/;
const obmdLine = /^The OBM daemon is ready at (http:\/\/\S+)/;

export interface ServiceOptions {
  /** The built service's main file. */
  readonly program: string;
  readonly directory: string;
  /** 0: a free one. */
  readonly port: number;
  readonly adminPassword: string;
  /** The admin token of the OBM daemon inside it. */
  readonly obmdToken: string;
  /** Ends the wait for it to be ready. */
  readonly signal: AbortSignal;
}

/** The service as a process of its own, as an operator would start it. */
export interface DemoService {
  readonly origin: string;
  /** Where the OBM daemon inside it listens. */
  readonly obmd: string;
  readonly pid: number;
  readonly log: string;
  /** Resolves when the process is gone, whatever the reason, with a word about it. */
  readonly ended: Promise<string>;
  /** Asks it to stop, and insists after a while. Throws if it did not stop cleanly. */
  stop(): Promise<void>;
}

/** Starts the built service and waits until it says that it is ready. */
export const startService = async (options: ServiceOptions): Promise<DemoService> => {
  if (!existsSync(options.program)) throw new DemoError('the service is not built; run: npm run build');
  const log = join(options.directory, logName);
  const child = spawn(process.execPath, [options.program], {
    env: environmentFor(options),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own: Ctrl-C is for the demo, which then stops the service in its turn.
    detached: true,
  });
  const ended = endOf(child);
  const stop = () => stopChild(child, ended);
  try {
    return { ...(await readyAt(child, ended, log, options.signal)), pid: child.pid ?? 0, log, ended, stop };
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
};

/** What is set for another installation must not reach this one: a demo on somebody's real database is none. */
const environmentFor = ({ directory, port, adminPassword, obmdToken }: ServiceOptions): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CORRAL_'))),
  CORRAL_HOST: '127.0.0.1',
  CORRAL_PORT: String(port),
  CORRAL_DATA_DIR: directory,
  CORRAL_ADMIN_PASSWORD: adminPassword,
  CORRAL_OBMD: '127.0.0.1:0',
  CORRAL_OBMD_ADMIN_TOKEN: obmdToken,
  CORRAL_HYPERVISOR: 'mock',
});

const endOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(code === null ? `signal ${signal ?? ''}` : `exit code ${code}`));
  });

const readyAt = async (
  child: ChildProcess,
  ended: Promise<string>,
  log: string,
  signal: AbortSignal,
): Promise<Pick<DemoService, 'origin' | 'obmd'>> => {
  const complaints: string[] = [];
  const isReady = new Promise<Pick<DemoService, 'origin' | 'obmd'>>((resolve) => {
    let origin: string | undefined;
    let obmd: string | undefined;
    eachLine(child.stdout, log, (line) => {
      origin ??= readyLine.exec(line)?.[1];
      obmd ??= obmdLine.exec(line)?.[1];
      if (origin !== undefined && obmd !== undefined) resolve({ origin, obmd });
    });
    eachLine(child.stderr, log, (line) => complaints.push(line));
  });
  const timer = new AbortController();
  const isLate = sleep(readyWithinMs, null, { signal: AbortSignal.any([signal, timer.signal]) });
  try {
    const places = await Promise.race([isReady, ended.then(() => null), isLate]);
    if (places !== null) return places;
    const reason = complaints.length > 0 ? complaints.join('; ') : `no word within ${readyWithinMs / 1000} s`;
    throw new DemoError(`the service did not start: ${reason} (its log: ${log})`);
  } finally {
    timer.abort();
    isLate.catch(() => undefined);
  }
};

const eachLine = (stream: ChildProcess['stdout'], log: string, heard: (line: string) => void): void => {
  if (stream === null) return;
  let written = Promise.resolve();
  createInterface({ input: stream }).on('line', (line) => {
    heard(line);
    // The log is a convenience: a full disk must not end the demo.
    written = written.then(() => appendFile(log, `${line}\n`)).catch(() => undefined);
  });
};

const stopChild = async (child: ChildProcess, ended: Promise<string>): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const deadline = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
  const ending = await ended;
  clearTimeout(deadline);
  if (ending !== cleanEnding) throw new DemoError(`the service did not stop cleanly (${ending})`);
};
