import { setTimeout as sleep } from 'node:timers/promises';
import { newKey } from './vault-key.ts';
import type { KeyCheck } from './key-check.ts';
import { readKeyFile } from './key-file.ts';
import { ConfigError } from '../config/config-error.ts';
import type { OtherMachines } from '../db/other-machines.ts';
import { type KeyRing, withNewKey, withNextKey, withoutKeys } from './key-ring.ts';
import { checkText, needOf, notTheKey } from './open-vault.ts';
import { replaceKeyFile } from './replace-key-file.ts';
import { requireSingleCopy } from './require-single-copy.ts';
import type { RotationLock } from './rotation-lock.ts';
import type { SealedColumn, SealedStore, SealedValue } from './sealed-store.ts';
import { openWithAny, sealWith } from './sealing.ts';

/** Small enough that a writer who comes in between hardly waits. */
const batchSize = 100;
/** SQLite serves the first request first, so waiting processes get some time to ask. */
const pauseMs = 20;

/** One database whose secrets are sealed with the key file. */
export interface SealedDatabase {
  readonly store: SealedStore;
  readonly check: KeyCheck;
  /** Waits until every transaction that has begun by now is over; called while it does. */
  readonly settled: (waiting: (count: number) => Promise<void>) => Promise<void>;
  readonly otherMachines: () => Promise<OtherMachines>;
}

/** The moments between which a rotation can die. */
export type RotationStep =
  'locked' | 'key drafted' | 'key added' | 'settled' | 'batch resealed' | 'all resealed' | 'removal drafted' | 'done';

/** The options of a rotation, and where it reports its progress. */
export interface Rotation {
  readonly file: string;
  readonly databases: readonly SealedDatabase[];
  readonly lock: RotationLock;
  readonly keepOld: boolean;
  /** No other machine has a copy of the file, even if some use the databases. */
  readonly isSingleMachine: boolean;
  readonly warn: (text: string) => void;
  readonly progress: (text: string) => void;
  readonly step: (step: RotationStep) => Promise<void> | void;
}

/** How it ended. */
export interface Rotated {
  readonly sealing: string;
  /**
   * Keys that seal nothing any more; still in the file if they were to be kept, or if something could not be opened.
   */
  readonly old: readonly string[];
  readonly isResumed: boolean;
  readonly resealed: readonly { readonly name: string; readonly count: number }[];
  /** Values that no key of the file opens, in words. */
  readonly unopenable: readonly string[];
}

/** Reads the keys, and makes sure that they are those of every database. */
export const requireRing = async (file: string, databases: readonly SealedDatabase[]): Promise<KeyRing> => {
  const words = await Promise.all(databases.map(({ check }) => check.recall()));
  const { ring } = readKeyFile(file, needOf(words.find((word) => word !== null) ?? null));
  for (const word of words) {
    if (word !== null && openWithAny(ring.keys, word) !== checkText) throw notTheKey(file, word);
  }
  return ring;
};

/** Is there a key in the file that seals no more, and has not been taken out? */
export const isBegun = ({ keys, next }: KeyRing): boolean => keys.length > 1 && next === null;

/** Puts a key into the file that seals when it is rotated to, so that every machine can be given it before. */
export const prepareKey = async ({ file, databases, lock }: Pick<Rotation, 'file' | 'databases' | 'lock'>) => {
  await lock.take();
  try {
    const ring = await requireRing(file, databases);
    if (isBegun(ring))
      throw new ConfigError([`${file} still contains an old key: finish that rotation with rotate-key first`]);
    if (ring.next !== null) return { sealing: ring.keys[0].id, next: ring.next };
    const key = newKey();
    replaceKeyFile(file, withNextKey(ring, key));
    return { sealing: ring.keys[0].id, next: key.id };
  } finally {
    await lock.release();
  }
};

/**
 * Gives every database a new key. The file holds every key that anything is sealed with at every moment, so this can
 * end anywhere: the next one finds several keys in the file, and goes on with the first of them.
 */
export const rotateKey = async (rotation: Rotation): Promise<Rotated> => {
  await rotation.lock.take();
  try {
    return await rotate(rotation);
  } finally {
    await rotation.lock.release();
  }
};

const rotate = async (rotation: Rotation): Promise<Rotated> => {
  const { file, databases, lock, step, progress } = rotation;
  await step('locked');
  const found = await requireRing(file, databases);
  await requireCopied(rotation, found);
  // A program that starts for the first time now stores this check value, not its own under a key that is removed.
  for (const { check } of databases) await check.remember(sealWith(found.keys[0], checkText));
  const isResumed = isBegun(found);
  const ring = isResumed ? found : withNewKey(found, newKey);
  if (!isResumed) replaceKeyFile(file, ring, () => void step('key drafted'));
  await step('key added');
  for (const { settled } of databases) {
    await settled(async (count) => {
      progress(`waiting for ${count} transactions that started before the key was added`);
      await lock.renew();
    });
  }
  await step('settled');

  const { resealed, unopenable } = await resealAll(rotation, ring);
  await step('all resealed');
  const [sealing, ...others] = ring.keys;
  const old = new Set(others.map(({ id }) => id));
  if (unopenable.length === 0 && !rotation.keepOld && old.size > 0) {
    await lock.renew();
    const { ring: current } = readKeyFile(file, needOf(null));
    replaceKeyFile(file, withoutKeys(current, old), () => void step('removal drafted'));
  }
  await step('done');
  return { sealing: sealing.id, old: [...old], isResumed, resealed, unopenable };
};

/** Takes an old key out only where nobody seals with it: it was kept for a while before, or there is one file. */
export const requireCopied = async (
  { databases, keepOld, isSingleMachine, warn }: Pick<Rotation, 'databases' | 'keepOld' | 'isSingleMachine' | 'warn'>,
  found: KeyRing,
): Promise<void> => {
  if (!keepOld && !isSingleMachine && !isBegun(found)) await requireSingleCopy(databases, warn);
};

/** Again and again, until a look at all of them finds nothing of another key. */
const resealAll = async (rotation: Rotation, ring: KeyRing): Promise<Pick<Rotated, 'resealed' | 'unopenable'>> => {
  const counts = new Map(rotation.databases.map(({ store }) => [store.name, 0]));
  for (;;) {
    const unopenable: string[] = [];
    let left = 0;
    for (const { store } of rotation.databases) {
      for (const column of store.columns)
        unopenable.push(...(await resealColumn(rotation, ring, store, column, counts)));
    }
    for (const { store } of rotation.databases) left += await store.countOthers(ring.keys[0].id);
    if (left <= unopenable.length) {
      return { resealed: [...counts].map(([name, count]) => ({ name, count })), unopenable };
    }
  }
};

const resealColumn = async (
  { lock, progress, step }: Rotation,
  { keys }: KeyRing,
  store: SealedStore,
  column: SealedColumn,
  counts: Map<string, number>,
): Promise<string[]> => {
  const unopenable: string[] = [];
  let after: SealedValue['key'] | null = null;
  for (;;) {
    await lock.renew();
    const values: readonly SealedValue[] = await store.others(column, keys[0].id, after, batchSize);
    after = values.at(-1)?.key ?? null;
    if (after === null) return unopenable;
    const anew = values.flatMap((value) => {
      const secret = openWithAny(keys, value.sealed);
      if (secret !== undefined) return [{ ...value, anew: sealWith(keys[0], secret) }];
      unopenable.push(`${column.table}.${column.column} of ${column.key} ${value.key} (${store.name})`);
      return [];
    });
    const count = (counts.get(store.name) ?? 0) + (await store.swap(column, anew));
    counts.set(store.name, count);
    progress(`${store.name}: ${count} ${count === 1 ? 'value' : 'values'} re-sealed`);
    await step('batch resealed');
    await sleep(pauseMs);
  }
};
