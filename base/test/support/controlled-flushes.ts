import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** The flushes of this process in our hands: they wait until they are let go, or fail. */
export interface ControlledFlushes {
  /** How many have begun. */
  readonly begun: number;
  /** Flushes wait from now on. */
  hold(): void;
  /** Those that wait end now, well or with this error, and so do all that begin later. */
  letGo(error?: Error): void;
  restore(): void;
}

export const controlFlushes = (): ControlledFlushes => {
  const { fdatasync, fdatasyncSync } = fs;
  let begun = 0;
  let isHeld = false;
  let failure: Error | null = null;
  let waiting: (() => void)[] = [];
  fs.fdatasync = ((descriptor: number, done: (error: Error | null) => void) => {
    begun += 1;
    const end = (): void => (failure === null ? fdatasync(descriptor, done) : done(failure));
    if (isHeld) waiting.push(end);
    else end();
  }) as typeof fs.fdatasync;
  fs.fdatasyncSync = (descriptor) => {
    begun += 1;
    if (isHeld) throw new Error('the event loop waits for the disk');
    if (failure !== null) throw failure;
    fdatasyncSync(descriptor);
  };
  syncBuiltinESMExports();
  return {
    get begun() {
      return begun;
    },
    hold() {
      isHeld = true;
    },
    letGo(error) {
      isHeld = false;
      failure = error ?? null;
      const ended = waiting;
      waiting = [];
      for (const end of ended) end();
    },
    restore() {
      Object.assign(fs, { fdatasync, fdatasyncSync });
      syncBuiltinESMExports();
    },
  };
};
