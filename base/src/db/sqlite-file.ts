import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { DatabaseUnavailable, type FaultKind } from './database-fault.ts';
import { sqliteFaultOf } from './sqlite-fault.ts';

/** How often the file is looked for while nobody changes anything. */
const lookMs = 1_000;

/** The file of an embedded database and the disk that it is on. */
export class SqliteFile {
  readonly #path: string;
  readonly #opened: Stats;

  constructor(path: string) {
    this.#path = path;
    this.#opened = statSync(path);
  }

  /** SQLite calls it an I/O error when a file system turns read-only under it. */
  readonly faultOf = (error: unknown): FaultKind | null => {
    const kind = sqliteFaultOf(error);
    return kind === 'broken' && this.#isReadOnly() ? 'read-only' : kind;
  };

  #isReadOnly(): boolean {
    try {
      accessSync(this.#path, constants.W_OK);
      return false;
    } catch (error) {
      return isReadOnly(error);
    }
  }

  /** What is written to a file that has lost its name is gone with the process. */
  requireSame(): void {
    const now = statSync(this.#path, { throwIfNoEntry: false });
    if (now?.ino === this.#opened.ino && now.dev === this.#opened.dev) return;
    const what = now === undefined ? 'removed' : 'replaced';
    throw new DatabaseUnavailable(
      'lost',
      new Error(
        `${this.#path} was ${what} while it was in use: put it back or restore a backup, and start the service again`,
      ),
    );
  }

  /** Those who only read would go on with what nobody else can open. Returns how to end it. */
  watch(lost: (error: unknown) => void): () => void {
    const timer = setInterval(() => {
      try {
        this.requireSame();
      } catch (error) {
        lost(error);
      }
    }, lookMs);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** What the disk says without being written to. */
  async probe(): Promise<void> {
    this.requireSame();
    try {
      await access(this.#path, constants.W_OK);
    } catch (error) {
      throw new DatabaseUnavailable(isReadOnly(error) ? 'read-only' : 'broken', error);
    }
    const { bavail, bfree } = await statfs(this.#path);
    const left = process.getuid?.() === 0 ? bfree : bavail;
    if (left === 0) throw new DatabaseUnavailable('full', new Error(`no room is left on the disk of ${this.#path}`));
  }
}

const isReadOnly = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EROFS';
