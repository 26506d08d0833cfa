import { existsSync, readdirSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The time of day of processes that are started with `env`. Their monotonic clock is the machine's. */
export interface SettableClock {
  readonly env: Readonly<Record<string, string>>;
  /** How far from the machine's, such as `+3600` or `-3600` seconds; takes effect at once. */
  set(offset: string): Promise<void>;
}

/** Preloaded, it lets a file say what time of day it is. */
const library = (): string =>
  readdirSync('/usr/lib')
    .map((name) => `/usr/lib/${name}/faketime/libfaketimeMT.so.1`)
    .find((path) => existsSync(path)) ?? '';

/** A clock that is right at first. Needs the part faketime. */
export const settableClock = async (directory: string): Promise<SettableClock> => {
  const file = join(directory, 'clock');
  const clock: SettableClock = {
    env: {
      LD_PRELOAD: library(),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
    set: async (offset) => {
      // Nobody reads a file that is half written.
      await writeFile(`${file}.next`, offset);
      await rename(`${file}.next`, file);
    },
  };
  await clock.set('+0');
  return clock;
};
