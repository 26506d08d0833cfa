import { closeSync, constants, fchownSync, fstatSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Root makes files that the user of the service cannot open: they are given to the owner of the directory that they are
 * in. Only a plain file of one name is: a link could lead to a file of somebody else's.
 */
export const handOver = (files: readonly string[]): void => {
  if (process.getuid?.() !== 0) return;
  for (const file of files.flatMap((path) => [path, `${path}-wal`, `${path}-shm`])) {
    const descriptor = opened(file);
    if (descriptor === null) continue;
    try {
      const made = fstatSync(descriptor);
      const { uid, gid } = statSync(dirname(file));
      if (made.isFile() && made.nlink === 1 && made.uid === 0 && uid !== 0) fchownSync(descriptor, uid, gid);
    } finally {
      closeSync(descriptor);
    }
  }
};

/** null: there is no such file, or it is a link. */
const opened = (file: string): number | null => {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'ENOTDIR') return null;
    throw error;
  }
};
