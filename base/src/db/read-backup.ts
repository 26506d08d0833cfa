import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { describeFileError } from '../config/file-error.ts';
import { type Heading, isHeading, type Row, type RowStream } from './row-stream.ts';
import { backupFormat, type Manifest } from './write-backup.ts';

/** A file that is no backup, or no longer the one that was made. */
export class BackupRefused extends Error {}

const altered = (file: string, why: string): BackupRefused =>
  new BackupRefused(`${file} is truncated or was modified (${why}); use another backup`);

/** Reads a backup to its end, and makes sure that it is whole and unchanged. */
export const checkBackup = async (file: string): Promise<Manifest> => {
  let manifest: Manifest | null = null;
  let table: string | null = null;
  const counts: Record<string, number> = {};
  for await (const line of linesIn(file)) {
    if (manifest === null) {
      manifest = manifestIn(file, line);
      continue;
    }
    const item = itemIn(file, line);
    if (isHeading(item)) {
      ({ table } = item);
      counts[table] = 0;
    } else if (table === null) throw altered(file, 'rows without a table');
    else counts[table] = (counts[table] ?? 0) + 1;
  }
  const told = manifest?.counts ?? {};
  const differing = Object.keys({ ...counts, ...told }).find((name) => counts[name] !== told[name]);
  if (manifest === null || differing !== undefined)
    throw altered(file, `rows are missing${differing === undefined ? '' : ` from table ${differing}`}`);
  return manifest;
};

const rowsAtOnce = 500;

/** The rows of these tables, of a backup that was checked. */
export async function* rowsOfBackup(file: string, tables: readonly { readonly name: string }[]): RowStream {
  let isFirst = true;
  let isWanted = false;
  let rows: Row[] = [];
  for await (const line of linesIn(file)) {
    if (isFirst) {
      isFirst = false;
      continue;
    }
    const item = itemIn(file, line);
    if (!isHeading(item) && isWanted) rows.push(...item);
    if (rows.length === rowsAtOnce || (isHeading(item) && rows.length > 0)) {
      yield rows;
      rows = [];
    }
    if (!isHeading(item)) continue;
    isWanted = tables.some(({ name }) => name === item.table);
    if (isWanted) yield item;
  }
  if (rows.length > 0) yield rows;
}

/** All lines but the last, which has the checksum of the others. */
async function* linesIn(file: string): AsyncGenerator<string, undefined> {
  const digest = createHash('sha256');
  let before: string | null = null;
  for await (const line of splitLines(unpacked(file), file)) {
    if (before !== null) {
      digest.update(`${before}\n`);
      yield before;
    }
    before = line;
  }
  if (before !== JSON.stringify({ sha256: digest.digest('hex') })) throw altered(file, 'checksum mismatch');
  return undefined;
}

const unpacked = (file: string): Readable =>
  // What goes wrong is thrown where the stream is read.
  pipeline(createReadStream(file), createGunzip(), () => undefined);

/** Not by readline, which also ends lines at characters that JSON leaves as they are. */
async function* splitLines(stream: Readable, file: string): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of stream) {
      // What has come of a line before is not looked through again.
      const [first = '', ...more] = decoder.decode(chunk as Buffer, { stream: true }).split('\n');
      const last = more.pop();
      rest += first;
      if (last === undefined) continue;
      yield rest;
      yield* more;
      rest = last;
    }
  } catch (error) {
    throw unreadable(file, error);
  }
  if (rest !== '') throw altered(file, 'unexpected end of file');
  return undefined;
}

const unreadable = (file: string, error: unknown): BackupRefused => {
  const { code, message } = error as { code?: string; message: string };
  if (code?.startsWith('Z_') === true) return altered(file, message);
  return new BackupRefused(`${file} cannot be read: ${describeFileError(error)}; give the path of a backup`);
};

const parsed = (file: string, line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    throw altered(file, 'a line is not JSON');
  }
};

const manifestIn = (file: string, line: string): Manifest => {
  const { format, formatVersion, madeAt, databases, counts } = parsed(file, line) as Partial<
    Manifest & Record<keyof typeof backupFormat, unknown>
  >;
  if (format !== backupFormat.format || madeAt === undefined || databases === undefined || counts === undefined) {
    throw new BackupRefused(`${file} is not a Corral backup; use a file written by corral-admin backup`);
  }
  if (formatVersion !== backupFormat.formatVersion) {
    throw new BackupRefused(`${file} has a newer backup format: restore it with a newer Corral`);
  }
  return { madeAt, databases, counts };
};

const itemIn = (file: string, line: string): Heading | readonly Row[] => {
  const item = parsed(file, line);
  if (Array.isArray(item) && item.every(isCell)) return [item];
  if (isHeadingIn(item)) return item;
  throw altered(file, 'a line is neither a row nor a table');
};

const isCell = (value: unknown): value is Row[number] =>
  value === null || typeof value === 'string' || Number.isSafeInteger(value);

const isHeadingIn = (item: unknown): item is Heading => {
  const { table, columns, lastId } = item as Partial<Heading>;
  return typeof table === 'string' && Array.isArray(columns) && (lastId === null || Number.isSafeInteger(lastId));
};
