import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../config/config-error.ts';
import { formatKeyRing, type KeyRing } from './key-ring.ts';

const permissions = 0o777;

/**
 * Replaces the keys in a key file. A reader finds either the old ones or the new ones complete, also after a power
 * failure; its owner and mode stay, so that the service can read what an administrator wrote.
 */
export const replaceKeyFile = (file: string, ring: KeyRing, beforeRename: () => void = () => undefined): void => {
  try {
    // A link stays one: what it leads to is replaced.
    const target = realpathSync(file);
    const draft = `${target}.new`;
    rmSync(draft, { force: true });
    try {
      write(draft, formatKeyRing(ring), statSync(target));
      beforeRename();
      renameSync(draft, target);
    } finally {
      rmSync(draft, { force: true });
    }
    syncDirectory(dirname(target));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError([
      `key_file: ${file} cannot be replaced (${why}); run this command as the owner of the file, with write permission`,
    ]);
  }
};

interface Ownership {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

const write = (draft: string, text: string, { uid, gid, mode }: Ownership): void => {
  const fd = openSync(draft, 'wx', 0o600);
  try {
    writeSync(fd, text);
    fchownSync(fd, uid, gid);
    fchmodSync(fd, mode & permissions);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};

const syncDirectory = (directory: string): void => {
  const fd = openSync(directory, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};
