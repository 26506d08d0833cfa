import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Hands over a file of so many zeros, which takes no space. virsh sends a file to its end, so it has to have one. */
export const withZeros = async (length: number, work: (file: string) => Promise<unknown>): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), 'corral-zeros-'));
  try {
    const path = join(directory, 'zeros');
    const file = await open(path, 'w', 0o600);
    try {
      await file.truncate(length);
    } finally {
      await file.close();
    }
    await work(path);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};
