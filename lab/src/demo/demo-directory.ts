import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DemoError } from './demo-error.ts';

const markName = 'corral-demo.json';

/** Who uses a demo's directory. */
interface Mark {
  readonly processes: readonly number[];
}

/** The directory of one run of the demo. */
export interface Home {
  readonly directory: string;
  /** Writes down which processes live here, so that no other demo takes the floor from under them. */
  occupy(processes: readonly number[]): Promise<void>;
}

/**
 * Creates the directory again. Existing content is removed only if an earlier demo left it, and only if
 * none of its processes is still alive.
 */
export const freshHome = async (path: string): Promise<Home> => {
  const directory = resolve(path);
  await clear(directory, path);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const occupy = (processes: readonly number[]): Promise<void> =>
    writeFile(join(directory, markName), `${JSON.stringify({ processes } satisfies Mark)}\n`);
  await occupy([process.pid]);
  return { directory, occupy };
};

const clear = async (directory: string, shown: string): Promise<void> => {
  const found = await stat(directory).catch(() => null);
  if (found === null) return;
  if (!found.isDirectory()) throw new DemoError(`${shown} is not a directory; move it away`);
  if ((await readdir(directory)).length === 0) return;
  const mark = await readMark(directory);
  if (mark === null) {
    throw new DemoError(
      `${shown} was not left by an earlier demo (it has no ${markName}), so it is not touched; move it away`,
    );
  }
  // The demo stands before its service: told to stop, it takes the service along.
  const alive = mark.processes.find(isAlive);
  if (alive !== undefined) {
    throw new DemoError(`another demo still uses ${shown} (process ${alive}); stop it first: kill ${alive}`);
  }
  await rm(directory, { recursive: true });
};

const readMark = async (directory: string): Promise<Mark | null> => {
  try {
    const mark: unknown = JSON.parse(await readFile(join(directory, markName), 'utf8'));
    const processes = typeof mark === 'object' && mark !== null && 'processes' in mark ? mark.processes : null;
    return Array.isArray(processes) ? { processes: processes.filter((id) => typeof id === 'number') } : null;
  } catch {
    return null;
  }
};

const isAlive = (id: number): boolean => {
  try {
    return process.kill(id, 0);
  } catch (error) {
    // Someone else's process is alive too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};
