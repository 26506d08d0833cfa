import { execFile } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A small disk of a test's own. */
export interface SmallDisk {
  readonly directory: string;
  /** Leaves no room for another byte. */
  readonly fill: () => void;
  readonly makeRoom: () => void;
  readonly remove: () => Promise<void>;
}

/** Only root may mount. */
export const canMount = userInfo().uid === 0;

/** Mounts a file system of that many MiB, in memory. */
export const smallDisk = async (mebibytes: number): Promise<SmallDisk> => {
  const directory = await mkdtemp(join(tmpdir(), 'corral-disk-'));
  await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=700`, 'corral-test', directory]);
  const ballast = join(directory, 'ballast');
  return {
    directory,
    fill: () => {
      for (const size of [1024 * 1024, 4096]) {
        try {
          for (;;) appendFileSync(ballast, Buffer.alloc(size));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        }
      }
    },
    makeRoom: () => rmSync(ballast),
    remove: async () => {
      await run('umount', ['--lazy', directory]);
      await rm(directory, { recursive: true, force: true });
    },
  };
};
