import { accessSync, constants } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux has it in memory. Whoever kills a process finds there what was written, as on a disk. */
const inMemory = '/dev/shm';

const isWritable = (directory: string): boolean => {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

const home = isWritable(inMemory) ? inMemory : tmpdir();

/** A new directory for the data of a program, in memory if there is a place: every commit waits for the disk otherwise. */
export const dataDirectory = (prefix: string): Promise<string> => mkdtemp(join(home, prefix));
