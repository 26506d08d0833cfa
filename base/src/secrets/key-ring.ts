import { createHmac } from 'node:crypto';
import { type Key, keyBytes, keyOf } from './vault-key.ts';
import { openWithAny, sealWith } from './sealing.ts';

/** What a key file holds: the first key seals, all of them open. */
export interface KeyRing {
  readonly keys: readonly [Key, ...Key[]];
  /** The id of a key that is to seal when every machine has it; null: there is none. */
  readonly next: string | null;
  /** By each key that was taken out of the file, for the one that sealed instead; the oldest first. */
  readonly vouchers: readonly string[];
}

/** A text that is no key file; the message says what is wrong with it. */
export class NotAKeyRing extends Error {}

const keyLine = /^[A-Za-z0-9+/_-]{43}=?$/;
const nextLine = /^# next ([0-9a-f]{12})$/;
const voucherLine = /^# follows (v2:\S+)$/;

/** A vault that looks at the file after more rotations than these takes it for a foreign one. */
const maxVouchers = 16;

export const parseKeyRing = (text: string): KeyRing => {
  const lines = text.split('\n').map((line) => line.trim());
  const keys = lines.flatMap((line, index) => {
    if (line === '' || line.startsWith('#')) return [];
    if (!keyLine.test(line)) {
      throw new NotAKeyRing(`does not contain ${keyBytes} bytes in base64 in line ${index + 1}`);
    }
    return [keyOf(Buffer.from(line, 'base64'))];
  });
  const [first, ...others] = keys;
  if (first === undefined) throw new NotAKeyRing(`does not contain ${keyBytes} bytes in base64: it is empty`);
  const noted = (note: RegExp): string[] => lines.flatMap((line) => note.exec(line)?.[1] ?? []);
  const next = noted(nextLine).find((id) => others.some((key) => key.id === id)) ?? null;
  return { keys: [first, ...others], next, vouchers: noted(voucherLine) };
};

export const formatKeyRing = ({ keys, next, vouchers }: KeyRing): string =>
  [
    ...keys.map(({ bytes }) => bytes.toString('base64')),
    ...(next === null ? [] : [`# next ${next}`]),
    ...vouchers.map((voucher) => `# follows ${voucher}`),
    '',
  ].join('\n');

/** The ring with one key, as it is made at first. */
export const ringWith = (key: Key): KeyRing => ({ keys: [key], next: null, vouchers: [] });

/** The ring with a key that opens from now on, and seals when it is its turn. */
export const withNextKey = ({ keys: [first, ...others], vouchers }: KeyRing, key: Key): KeyRing => ({
  keys: [first, ...others, key],
  next: key.id,
  vouchers,
});

/** The ring with another key that seals from now on: the next one, or if there is none, the one given. */
export const withNewKey = ({ keys, next, vouchers }: KeyRing, key: () => Key): KeyRing => {
  const sealing = keys.find(({ id }) => id === next) ?? key();
  return { keys: [sealing, ...keys.filter(({ id }) => id !== sealing.id)], next: null, vouchers };
};

/** What a key vouches with. It does not reveal the key, so it may be passed to the holder of an older key. */
const voucherKeyOf = ({ bytes }: Key): Key => keyOf(createHmac('sha256', bytes).update('corral voucher').digest());

/** Names the successor: the key that opens it can open those that the successor made. */
const voucher = (old: Key, successor: Key): string =>
  sealWith(voucherKeyOf(old), voucherKeyOf(successor).bytes.toString('base64'));

/** The ring without these keys; each of them vouches for the one that seals now, which stays. */
export const withoutKeys = (ring: KeyRing, ids: ReadonlySet<string>): KeyRing => {
  const [sealing, ...others] = ring.keys;
  const gone = others.filter(({ id }) => ids.has(id) && id !== sealing.id);
  if (gone.length === 0) return ring;
  return {
    ...ring,
    keys: [sealing, ...others.filter(({ id }) => !ids.has(id))],
    vouchers: [...ring.vouchers, ...gone.map((key) => voucher(key, sealing))].slice(-maxVouchers),
  };
};

/**
 * Is this what became of a ring whose keys are known? One that shares no key with it, and that no chain of vouchers
 * leads to from them, may be any file; what it seals, the database's own key would never open.
 */
export const isSuccessor = ({ keys, vouchers }: KeyRing, known: ReadonlyMap<string, Key>): boolean => {
  if (keys.some(({ id }) => known.has(id))) return true;
  const believed = [...known.values()].map(voucherKeyOf);
  for (const sealed of vouchers) {
    const successor = openWithAny(believed, sealed);
    if (successor !== undefined) believed.push(keyOf(Buffer.from(successor, 'base64')));
  }
  return keys.map(voucherKeyOf).some(({ bytes }) => believed.some((one) => one.bytes.equals(bytes)));
};
