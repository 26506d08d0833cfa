import type { SwitchDrift } from '../api/client.ts';

/** A port that is not as recorded, what its switch does about it, and when that was last read. */
export type DriftRow = SwitchDrift['ports'][number] & {
  readonly key: string;
  readonly switch: string;
  readonly policy: SwitchDrift['policy'];
  readonly read_at: string | null;
};
