import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

const living = new Set<ChildProcess>();

const endAll = () => {
  for (const child of living) child.kill('SIGKILL');
};

/** Sees to it that a process which was started for the lab does not outlive this one. */
export const keep = <Child extends ChildProcess>(child: Child): Child => {
  if (living.size === 0) process.once('exit', endAll);
  living.add(child);
  child.once('close', () => {
    living.delete(child);
    if (living.size === 0) process.removeListener('exit', endAll);
  });
  return child;
};

/** Starts a program that goes on running, without output unless `options` want it, and waits until it is ready. */
export const startDaemon = async (
  program: string,
  args: readonly string[],
  isReady: (child: ChildProcess) => boolean | Promise<boolean>,
  { name = program, ...options }: SpawnOptions & { readonly name?: string } = {},
): Promise<ChildProcess> => {
  const child = keep(spawn(program, args, { stdio: 'ignore', ...options }));
  child.once('error', () => undefined);
  if (child.pid === undefined) throw new Error(`${name} cannot be started`);
  try {
    await untilReady(child, name, () => isReady(child));
  } catch (error) {
    await end(child, 'SIGKILL');
    throw error;
  }
  return child;
};

/** Has a process end, if it has not, and waits until it is gone. */
export const end = async (child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill(signal);
  await ended;
};

/** Waits until a process that was just started is ready; an error if it ends before, or takes too long. */
export const untilReady = async (
  child: ChildProcess,
  name: string,
  isReady: () => boolean | Promise<boolean>,
): Promise<void> => {
  const last = Date.now() + 10_000;
  while (!(await isReady())) {
    if (child.exitCode !== null || Date.now() > last) throw new Error(`${name} does not start`);
    await sleep(5);
  }
};
