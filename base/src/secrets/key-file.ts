import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../config/config-error.ts';
import { type Vault, vaultWith } from './vault.ts';

const keyBytes = 32;
const checkText = 'corral';

/** Reads the key for secrets at rest; makes one, for its owner's eyes only, if there is none yet. */
const readKey = (file: string): Buffer => {
  const text = readOrMake(file);
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length === keyBytes) return key;
  throw new ConfigError([`key_file: ${file} does not hold ${keyBytes} bytes in base64`]);
};

const readOrMake = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw new ConfigError([`key_file: ${file} cannot be read (${(error as Error).message})`]);
    }
  }
  try {
    return makeKey(file);
  } catch (error) {
    throw new ConfigError([`key_file: ${file} cannot be made (${(error as Error).message})`]);
  }
};

/** Linked into place whole: replicas that start together never read half a key, and all use the first one's. */
const makeKey = (file: string): string => {
  const draft = `${file}.${randomUUID()}`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(draft, `${randomBytes(keyBytes).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(file, 'utf8');
};

/** Where the word is kept by which a wrong key is told. */
export interface KeyCheck {
  /** The sealed word; null: there is none yet. */
  recall(): Promise<string | null>;
  /** Keeps one if there is none yet, and gives the one that is kept. */
  remember(sealed: string): Promise<string>;
}

/** Opens the vault, and makes sure that it is the one this database was sealed with. */
export const openVault = async (file: string, check: KeyCheck): Promise<Vault> => {
  // A new key in place of a lost one would open nothing, and look like the one that was lost. In this order: whoever
  // else starts on an empty database makes the file before the word.
  const kept = await check.recall();
  if (kept !== null && !existsSync(file)) {
    throw new ConfigError([
      `key_file: ${file} is missing, and this database's secrets are sealed with it; put it back from the backup`,
    ]);
  }
  const vault = vaultWith(readKey(file));
  const sealed = await check.remember(vault.seal(checkText));
  try {
    if (vault.open(sealed) === checkText) return vault;
  } catch {
    // A wrong key fails the authentication tag.
  }
  throw new ConfigError([`key_file: ${file} is not the key that this database's secrets were sealed with`]);
};
