import { createHash } from 'node:crypto';
import { createWriteStream, linkSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
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
  const draft = `${file}.${process.pid}.new`;
  try {
    const sink = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(Readable.from(linesOf(manifest, stream)), createGzip(), sink);
    if (whatIsThere === 'replace') renameSync(draft, file);
    // A link does not replace: what was made there meanwhile stays.
    else linkSync(draft, file);
    await syncDirectory(dirname(file));
  } finally {
    rmSync(draft, { force: true });
  }
};

const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, 'r');
  await handle.sync().finally(() => handle.close());
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
