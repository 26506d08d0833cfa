import { createHash, randomBytes } from 'node:crypto';

/** How long a key is. */
export const keyBytes = 32;

/** A key for secrets at rest, and the name that sealed values call it by. */
export interface Key {
  /** A short hash: it tells keys apart, and nothing of what they are. */
  readonly id: string;
  readonly bytes: Buffer;
}

export const keyOf = (bytes: Buffer): Key => ({
  id: createHash('sha256').update('corral key id\0').update(bytes).digest('hex').slice(0, 12),
  bytes,
});

export const newKey = (): Key => keyOf(randomBytes(keyBytes));
