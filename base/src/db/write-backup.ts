import { createHash } from 'node:crypto';
import { writeWholeFile } from '../whole-file.ts';
import { isHeading, type RowStream } from './row-stream.ts';

/*
 * A backup is lines of JSON, compressed by gzip: what it is, then every table (a heading, then a row a line, as a list),
 * and at the end a checksum of all lines before. It is the same for both engines.
 */

/** How the first line begins. */
export const backupFormat = { format: 'corral-backup', formatVersion: 1 } as const;

/** What is in a backup: each program's tables of one version, and how many rows. */
export interface Manifest {
  readonly madeAt: string;
  readonly databases: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<string, number>>;
}

/** Writes a backup for its owner's eyes only. It is there whole, or not at all; `replace` also in place of another. */
export const writeBackup = async (
  file: string,
  manifest: Manifest,
  stream: RowStream,
  whatIsThere: 'keep' | 'replace',
): Promise<void> => {
  await writeWholeFile(file, linesOf(manifest, stream), whatIsThere);
};

async function* linesOf(manifest: Manifest, stream: RowStream): AsyncGenerator<string> {
  const digest = createHash('sha256');
  const counted = (texts: readonly string[]): string => {
    const text = texts.map((line) => `${line}\n`).join('');
    digest.update(text);
    return text;
  };
  yield counted([JSON.stringify({ ...backupFormat, ...manifest })]);
  for await (const item of stream) {
    yield counted(isHeading(item) ? [JSON.stringify(item)] : item.map((row) => JSON.stringify(row)));
  }
  yield `${JSON.stringify({ sha256: digest.digest('hex') })}\n`;
}
