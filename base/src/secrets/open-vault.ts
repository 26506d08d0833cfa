import { ConfigError } from '../config/config-error.ts';
import { FileVault } from './file-vault.ts';
import type { KeyCheck } from './key-check.ts';
import { ensureKeyFile } from './key-file.ts';
import { keyIdIn } from './sealing.ts';
import type { Vault } from './vault.ts';

/** What is sealed to tell a wrong key by. */
export const checkText = 'corral';

/** Which key a database wants, going by its word, and what to do about a file without it. */
export const needOf = (word: string | null): string => {
  if (word === null) return 'write a key to it, or delete it to have one created';
  const id = keyIdIn(word);
  return `this database's secrets are sealed with ${id === null ? 'its key' : `key ${id}`}: put your copy of it back`;
};

/** Opens the vault, and makes sure that it is the one this database was sealed with. */
export const openVault = async (file: string, check: KeyCheck): Promise<Vault> => {
  // A new key in place of a lost one would open nothing, and look like the one that was lost. In this order: a
  // process that else starts on an empty database makes the file before the word.
  const kept = await check.recall();
  if (kept === null) ensureKeyFile(file);
  const vault = new FileVault(file, needOf(kept));
  let word = await check.remember(vault.seal(checkText));
  while (!opens(vault, word)) {
    // A rotation may have re-sealed the check value, and removed its old key from the file, between the two reads.
    const newer = (await check.recall()) ?? word;
    if (newer === word) throw notTheKey(file, word);
    word = newer;
  }
  return vault;
};

const opens = (vault: Vault, word: string): boolean => {
  try {
    return vault.open(word) === checkText;
  } catch {
    return false;
  }
};

/** Told when a key file is there, but not the one of the database. */
export const notTheKey = (file: string, word: string): ConfigError =>
  new ConfigError([`key_file: ${file} is not the key that this database's secrets were sealed with; ${needOf(word)}`]);
