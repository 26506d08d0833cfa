import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../config/config-error.ts';
import { newKey } from './vault-key.ts';
import { formatKeyRing, type KeyRing, NotAKeyRing, parseKeyRing, ringWith } from './key-ring.ts';

/** What a key file held, and the marks by which a change of it is noticed. */
export interface ReadKeyFile {
  readonly ring: KeyRing;
  readonly stamp: string;
}

interface Marks {
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

const stampOf = ({ ino, size, mtimeNs, ctimeNs }: Marks): string => [ino, size, mtimeNs, ctimeNs].join(' ');

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/**
 * The marks of the file as it is now. `need` says what for, and what to do: it ends the sentence that tells a failure.
 */
export const stampNow = (file: string, need: string): string => {
  try {
    return stampOf(statSync(file, { bigint: true }));
  } catch (error) {
    throw unreadable(file, error, need);
  }
};

/** Reads the keys. `need` is as above. */
export const readKeyFile = (file: string, need: string): ReadKeyFile => {
  try {
    const fd = openSync(file, 'r');
    try {
      // Of the same open file: one that is put in its place meanwhile has other marks.
      const marks = fstatSync(fd, { bigint: true });
      const text = readFileSync(fd, 'utf8');
      requirePrivate(file, marks.mode);
      return { stamp: stampOf(marks), ring: parseKeyRing(text) };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw error instanceof ConfigError ? error : unreadable(file, error, need);
  }
};

/** The key opens every secret of a backup: a group may read the file, all users may not. */
const requirePrivate = (file: string, mode: bigint): void => {
  if ((mode & 0o007n) === 0n) return;
  const shown = (mode & 0o777n).toString(8).padStart(4, '0');
  throw new ConfigError([
    `key_file: ${file} is accessible to all users of this machine (mode ${shown}); run \`chmod 600 ${file}\`, or mount it with mode 0400; if others may have read it, run \`corral-admin rotate-key\``,
  ]);
};

const unreadable = (file: string, error: unknown, need: string): ConfigError => {
  if (error instanceof NotAKeyRing) return new ConfigError([`key_file: ${file} ${error.message}; ${need}`]);
  if (codeOf(error) === 'ENOENT') return new ConfigError([`key_file: ${file} is missing; ${need}`]);
  return new ConfigError([`key_file: ${file} cannot be read (${reasonOf(error)}); ${need}`]);
};

/**
 * Makes a file with one key, for its owner's eyes only, if there is none. Linked into place whole: replicas that start
 * together never read half a key, and all use the first one's.
 */
export const ensureKeyFile = (file: string): void => {
  if (existsSync(file)) return;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const draft = `${file}.${randomUUID()}`;
    const text = formatKeyRing(ringWith(newKey()));
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    try {
      linkSync(draft, file);
    } catch (error) {
      // Somebody else was first.
      if (codeOf(error) !== 'EEXIST') throw error;
    } finally {
      rmSync(draft);
    }
  } catch (error) {
    throw new ConfigError([`key_file: ${file} cannot be created (${reasonOf(error)})`]);
  }
};
