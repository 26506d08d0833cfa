import { type Corral, SwitchError } from '../index.ts';
import type { CommandContext } from './cli-command.ts';
import { counted } from './counted.ts';
import { runParallel } from './site-document/run-parallel.ts';

/** Reads switches side by side. One that cannot be read is no failure: the answer says so. */
export const sweepAll = async (
  { output, signal }: CommandContext,
  client: Corral,
  labels: readonly string[],
): Promise<void> => {
  const reading = new Set<string>();
  let done = 0;
  const text = (): string =>
    `reading switches, ${counted(done)} of ${counted(labels.length)}: ${[...reading].join(', ')}`;
  const progress = output.progress(text());
  const sweep = async (label: string): Promise<void> => {
    reading.add(label);
    progress.update(text());
    try {
      await client.switchSweep({ switch: label });
    } catch (error) {
      if (!(error instanceof SwitchError)) throw error;
    }
    reading.delete(label);
    done += 1;
    progress.update(text());
  };
  await runParallel(labels, signal, sweep).finally(() => progress.stop());
};
