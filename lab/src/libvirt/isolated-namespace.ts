import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { end, keep, untilReady } from '../switches/child-processes.ts';
import { run } from '../switches/namespaces.ts';

/** A room for daemons that insist on places of the system: they see directories of ours there instead. */
interface SealedRoom {
  /** Runs a program inside to its end, and gives what it said. */
  run(program: string, args: readonly string[]): Promise<string>;
  /** Starts a program inside. What it gives is the process that entered: it stops and ends with the program. */
  spawn(program: string, args: readonly string[]): ChildProcess;
  /** Ends all processes that run inside. */
  stop(): Promise<void>;
}

/**
 * Makes a room: mounts and process ids of its own. `places` says which directory is seen where,
 * `namespace` whose network it has, if not this one. When this process
 * ends, however it does, its end of the pipe closes, the first process inside reads no more, and the kernel ends the
 * rest. It is a shell because the daemons' orphans need a parent; it gets no commands.
 */
export const isolatedNamespace = async (
  places: Readonly<Record<string, string>>,
  namespace?: string,
): Promise<SealedRoom> => {
  const apart = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const [program, ...entering] = [...(namespace === undefined ? [] : ['ip', 'netns', 'exec', namespace]), 'unshare'];
  const args = [...entering, ...apart, 'bash', '-c', 'read'];
  const outer = keep(spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'] }));
  outer.once('error', () => undefined);
  const ended = new Promise((resolve) => outer.once('close', resolve));
  if (outer.pid === undefined) throw new Error('unshare cannot be started');
  const children = `/proc/${outer.pid}/task/${outer.pid}/children`;
  let first = '';
  await untilReady(outer, 'unshare', async () => {
    first = (await readFile(children, 'utf8').catch(() => '')).trim();
    return first !== '' && (await readFile(`/proc/${first}/comm`, 'utf8').catch(() => '')).trim() === 'bash';
  });
  const inside = ['-t', first, '-m', '-p', '-n'];
  const running = new Set<ChildProcess>();
  const stop = async (): Promise<void> => {
    // A room closes when the last of its dead is buried, which those who entered it have to do, or let others do.
    await Promise.all([...running].map((child) => end(child, 'SIGKILL')));
    outer.stdin.end();
    await ended;
  };
  try {
    for (const [address, directory] of Object.entries(places)) {
      await run('nsenter', [...inside, 'mount', '--bind', directory, address]);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    run: (program, args) => run('nsenter', [...inside, program, ...args]),
    spawn: (program, args) => {
      const child = keep(spawn('nsenter', [...inside, program, ...args], { stdio: 'ignore' }));
      child.once('error', () => undefined);
      running.add(child);
      return child;
    },
    stop,
  };
};
