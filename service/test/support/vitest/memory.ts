import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of buffers that somebody still holds: what was only not collected yet does not count. */
export const heldBytes = (): number => {
  // Buffers are freed by a thread beside the collector: the second collection waits for what the first one found.
  collect();
  collect();
  return process.memoryUsage().arrayBuffers;
};
