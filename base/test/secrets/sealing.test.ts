import { createCipheriv, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyOf, newKey } from '../../src/secrets/vault-key.ts';
import { keyIdIn, openWith, openWithAny, sealWith } from '../../src/secrets/sealing.ts';

/** How values were sealed when there was only one key. */
const sealedOnce = (key: Buffer, secret: string): string => {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return `v1:${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')}`;
};

describe('a sealed value', () => {
  const key = newKey();

  it('says which key opens it, and nothing of the key or the secret', () => {
    const sealed = sealWith(key, 'the secret');
    expect(sealed).toMatch(new RegExp(`^v2:${key.id}:[A-Za-z0-9+/=]+$`));
    expect(keyIdIn(sealed)).toBe(key.id);
    expect(openWith(key, sealed)).toBe('the secret');
    expect(sealed).not.toContain(key.bytes.toString('base64').slice(0, 8));
    expect(key.bytes.toString('hex')).not.toContain(key.id);
  });

  it('is different every time', () => {
    expect(sealWith(key, 'same')).not.toBe(sealWith(key, 'same'));
  });

  it('of an older database names no key, and is opened by whichever fits', () => {
    const sealed = sealedOnce(key.bytes, 'long ago');
    expect(keyIdIn(sealed)).toBeNull();
    expect(openWithAny([newKey(), key, newKey()], sealed)).toBe('long ago');
    expect(openWithAny([newKey()], sealed)).toBeUndefined();
  });

  it('is opened by no other key, not even by one that it is said to be of', () => {
    const other = newKey();
    const sealed = sealWith(key, 'the secret');
    expect(openWithAny([other], sealed)).toBeUndefined();
    const relabelled = sealed.replace(key.id, other.id);
    expect(openWithAny([key, other], relabelled)).toBeUndefined();
    expect(() => openWith(key, relabelled)).toThrow();
    expect(() => openWith(key, `v1:${sealed.split(':')[2] ?? ''}`)).toThrow();
  });

  it('that was changed or cut off anywhere is not opened', () => {
    const sealed = sealWith(key, 'the secret');
    const prefix = `v2:${key.id}:`;
    const bytes = Buffer.from(sealed.slice(prefix.length), 'base64');
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(() => openWith(key, prefix + changed.toString('base64')), `byte ${index}`).toThrow();
      const cut = prefix + bytes.subarray(0, index).toString('base64');
      expect(() => openWith(key, cut), `${index} bytes`).toThrow();
    }
  });

  it('differs from what is none', () => {
    for (const text of ['', 'plain', 'v3:000000000000:AAAA', 'v2:short:AAAA', '{"v1:": 1}']) {
      expect(() => keyIdIn(text)).toThrow('a stored secret has an unknown format');
    }
  });

  it('names the same key in every program and at every time', () => {
    expect(keyOf(Buffer.alloc(32)).id).toBe(keyOf(Buffer.alloc(32)).id);
    expect(keyOf(Buffer.alloc(32)).id).toMatch(/^[0-9a-f]{12}$/);
    expect(keyOf(Buffer.alloc(32)).id).not.toBe(keyOf(Buffer.alloc(32, 1)).id);
  });
});
