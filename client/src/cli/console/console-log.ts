import { open, type FileHandle } from 'node:fs/promises';
import { UsageError } from '../usage-error.ts';

/** A file that gets what a machine prints, after what is in it already. */
export class ConsoleLog {
  readonly #file: FileHandle;
  readonly #name: string;
  #failure: string | null = null;

  private constructor(file: FileHandle, name: string) {
    this.#file = file;
    this.#name = name;
  }

  /** Only its owner can read a new one: passwords are typed at consoles. */
  static async open(name: string): Promise<ConsoleLog> {
    try {
      return new ConsoleLog(await open(name, 'a', 0o600), name);
    } catch (error) {
      throw new UsageError(unwritable(name, error));
    }
  }

  /** Why something is missing in it; null: nothing is. */
  get failure(): string | null {
    return this.#failure;
  }

  /**
   * What cannot be written is left out, and all that follows: a log with a gap would look whole. Resolves with why, the
   * first time.
   */
  async write(bytes: Uint8Array): Promise<string | null> {
    return this.#failure === null ? this.#tried(this.#file.appendFile(bytes)) : null;
  }

  async close(): Promise<void> {
    await this.#tried(this.#file.close());
  }

  async #tried(work: Promise<void>): Promise<string | null> {
    try {
      await work;
      return null;
    } catch (error) {
      return (this.#failure ??= unwritable(this.#name, error));
    }
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'its directory does not exist',
  ENOTDIR: 'its directory does not exist',
  EACCES: 'permission denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a directory',
  ENOSPC: 'no space is left',
  EDQUOT: 'the quota is used up',
};

const unwritable = (file: string, error: unknown): string => {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return `${file} cannot be written: ${Object.hasOwn(reasons, code) ? (reasons[code] ?? '') : message}`;
};
