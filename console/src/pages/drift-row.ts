import type { SwitchDrift } from '../api/client.ts';

/** A port that is not as recorded, and when its switch was last read. */
export type DriftRow = SwitchDrift['ports'][number] & {
  readonly key: string;
  readonly switch: string;
  readonly read_at: string | null;
};
