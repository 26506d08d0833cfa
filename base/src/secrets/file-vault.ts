import { ConfigError } from '../config/config-error.ts';
import type { Key } from './vault-key.ts';
import { readKeyFile, stampNow } from './key-file.ts';
import { isSuccessor, type KeyRing } from './key-ring.ts';
import { keyIdIn, openWithAny, sealWith } from './sealing.ts';
import type { Vault } from './vault.ts';

/**
 * A vault that follows its key file: a change of the keys there needs no restart of the programs that use them. It
 * looks before it seals, and when it meets a key that it does not know.
 */
export class FileVault implements Vault {
  readonly #file: string;
  /** Also those that have left the file: what was read from the database just before may still be theirs. */
  readonly #known = new Map<string, Key>();
  #sealing: Key;
  #stamp: string;

  constructor(file: string, need: string) {
    this.#file = file;
    const { ring, stamp } = readKeyFile(file, need);
    this.#sealing = this.#adopt(ring);
    this.#stamp = stamp;
  }

  seal(secret: string): string {
    this.#follow('secrets cannot be sealed until it is restored from the backup');
    return sealWith(this.#sealing, secret);
  }

  open(sealed: string): string {
    const opened = openWithAny(this.#known.values(), sealed);
    if (opened !== undefined) return opened;
    const id = keyIdIn(sealed);
    if (id !== null && this.#known.has(id)) throw new Error(`a stored secret, sealed with key ${id}, is damaged`);
    const wanted = id === null ? 'an unnamed key' : `key ${id}`;
    this.#follow(`a stored secret is sealed with ${wanted}; restore the file from the backup`);
    const later = openWithAny(this.#known.values(), sealed);
    if (later !== undefined) return later;
    throw new ConfigError([
      `key_file: a stored secret is sealed with ${wanted}, which ${this.#file} does not contain; add its line to the file`,
    ]);
  }

  #follow(need: string): void {
    if (stampNow(this.#file, need) === this.#stamp) return;
    const { ring, stamp } = readKeyFile(this.#file, need);
    if (!isSuccessor(ring, this.#known)) {
      const [{ id }] = ring.keys;
      throw new ConfigError([
        `key_file: ${this.#file} was replaced with a file that has another key (${id}; it was ${this.#sealing.id}); restore it, or restart to compare it with the database`,
      ]);
    }
    this.#sealing = this.#adopt(ring);
    this.#stamp = stamp;
  }

  #adopt({ keys }: KeyRing): Key {
    for (const key of keys) this.#known.set(key.id, key);
    return keys[0];
  }
}
