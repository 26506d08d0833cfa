import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Key } from './vault-key.ts';

/*
 * AES-256-GCM. What is sealed says by its prefix how, and with which key: `v2:<key id>:`, which the tag covers too.
 * `v1:` is how databases were sealed when there was only one key; it names none.
 */

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const prefixPattern = /^(?:v1:|v2:([0-9a-f]{12}):)/;

/** What every value begins with that this key sealed. */
export const prefixOf = (keyId: string): string => `v2:${keyId}:`;

/** Beginnings of sealed values, whatever their key. */
export const sealedPrefixes = ['v1:', 'v2:'] as const;

export const sealWith = (key: Key, secret: string): string => {
  const prefix = prefixOf(key.id);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key.bytes, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(prefix));
  const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return prefix + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
};

/** Throws if the value was changed, or sealed with another key. */
export const openWith = (key: Key, sealed: string): string => {
  const { prefix, keyId } = taken(sealed);
  const bytes = Buffer.from(sealed.slice(prefix.length), 'base64');
  const nonce = bytes.subarray(0, nonceBytes);
  const decipher = createDecipheriv(algorithm, key.bytes, nonce, { authTagLength: tagBytes });
  if (keyId !== null) decipher.setAAD(Buffer.from(prefix));
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8');
};

/** The key that a value names; null: it is of the time when values named none. */
export const keyIdIn = (sealed: string): string | null => taken(sealed).keyId;

const taken = (sealed: string): { readonly prefix: string; readonly keyId: string | null } => {
  const [prefix, keyId = null] = prefixPattern.exec(sealed) ?? [];
  if (prefix === undefined) throw new Error('a stored secret has an unknown format');
  return { prefix, keyId };
};

/** What a value says, if one of these keys opens it; undefined: none does. */
export const openWithAny = (keys: Iterable<Key>, sealed: string): string | undefined => {
  const wanted = keyIdIn(sealed);
  for (const key of keys) {
    if (wanted !== null && key.id !== wanted) continue;
    try {
      return openWith(key, sealed);
    } catch {
      // Another key fails the authentication tag.
    }
  }
  return undefined;
};
