import { createWriteStream, linkSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/**
 * Writes text, compressed by gzip, for its owner's eyes only. The file is there whole and on the disk, or not at all;
 * `replace` also in place of another. Otherwise a name that is taken is refused (`EEXIST`).
 */
export const writeWholeFile = async (
  file: string,
  text: AsyncIterable<string> | Iterable<string>,
  whatIsThere: 'keep' | 'replace',
): Promise<void> => {
  const draft = draftOf(file);
  try {
    const sink = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(Readable.from(text), createGzip(), sink);
    if (whatIsThere === 'replace') renameSync(draft, file);
    // A link does not replace: what was made there meanwhile stays.
    else linkSync(draft, file);
    await syncDirectory(dirname(file));
  } finally {
    rmSync(draft, { force: true });
  }
};

/** What a process that was killed meanwhile leaves behind. */
const draftOf = (file: string): string => `${file}.${process.pid}.new`;

const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, 'r');
  await handle.sync().finally(() => handle.close());
};
