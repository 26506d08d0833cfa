import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWholeFile } from '@corral/base/whole-file';
import type { HistoryEntry, HistoryKind } from '../core/history.ts';

/*
 * The history outside the database: one file for each batch, JSON lines compressed by gzip. A file is whole and on the
 * disk when `write` returns. It never replaces another: a batch that was written, and not deleted before the process
 * was killed, is written once more, and the ids of its lines show that.
 */

/** So many files of one name there can be. */
const mostOfOneName = 1_000;
const draft = /^(events|actions)-\d+-\d+(\.\d+)?\.jsonl\.gz\.\d+\.new$/;

/** Writes a batch, and tells the name of its file: `events-4711-9710.jsonl.gz`, by the first and the last id in it. */
export const writeHistoryFile = async (
  directory: string,
  kind: HistoryKind['name'],
  entries: readonly HistoryEntry[],
): Promise<string> => {
  const ids = entries.map(({ id }) => id);
  const stem = `${kind}-${Math.min(...ids)}-${Math.max(...ids)}`;
  for (let turn = 1; turn <= mostOfOneName; turn += 1) {
    const name = `${turn === 1 ? stem : `${stem}.${turn}`}.jsonl.gz`;
    try {
      await writeWholeFile(join(directory, name), linesOf(entries), 'keep');
      return name;
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
  throw new Error(`${directory} has ${mostOfOneName} files of the same events or actions; move them away`);
};

/** Removes what writers left that were killed. A writer that is still there fails then, and deletes nothing. */
export const removeHistoryDrafts = async (directory: string): Promise<void> => {
  const names = await readdir(directory);
  for (const name of names.filter((candidate) => draft.test(candidate)))
    await rm(join(directory, name), { force: true });
};

function* linesOf(entries: readonly HistoryEntry[]): Generator<string> {
  for (const { line } of entries) yield `${JSON.stringify(line)}\n`;
}

const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST';
