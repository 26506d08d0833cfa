import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What has to be undone of what was built, the last first. */
export type Undo = (() => Promise<unknown>)[];

/** Makes a directory `corral-NAME-…` that goes with the rest. */
export const temporaryDirectory = async (name: string, undo: Undo): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), `corral-${name}-`));
  undo.push(() => rm(directory, { recursive: true, force: true }));
  return directory;
};

/** Builds something out of parts; whatever was built is taken down by `stop`, and at once if a part fails. */
export const built = async <T>(
  name: string,
  build: (undo: Undo, stop: () => Promise<void>) => Promise<T>,
): Promise<T> => {
  const undo: Undo = [];
  const stop = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (const step of undo.splice(0).reverse()) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, `${name} did not stop cleanly`);
  };
  try {
    return await build(undo, stop);
  } catch (error) {
    await stop();
    throw error;
  }
};
