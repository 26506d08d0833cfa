import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Seals secrets before they are stored and opens them where they are used. */
export interface Vault {
  seal(secret: string): string;
  open(sealed: string): string;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const prefix = 'v1:';

/** AES-256-GCM under one key; what is sealed says by its prefix how. */
export const vaultWith = (key: Uint8Array): Vault => ({
  seal: (secret) => {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, key, nonce);
    const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return prefix + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
  },
  open: (sealed) => {
    if (!sealed.startsWith(prefix)) throw new Error('a stored secret is not sealed the way this program seals');
    const bytes = Buffer.from(sealed.slice(prefix.length), 'base64');
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes));
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8');
  },
});
