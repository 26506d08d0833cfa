import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from '@corral/base/config/config-error';
import { type HistoryEntry, historyKinds } from '../core/history.ts';
import type { Db } from '../db/service-database.ts';
import { openCurrent } from '../db/open-service-database.ts';
import { writeHistoryFile } from '../worker/history-files.ts';
import type { Command, Terminal } from './admin-command.ts';
import { counted, heading, lines } from './text-layout.ts';

/** How much a file holds, and is read at once. */
const fileEntries = 5_000;

interface Range {
  readonly since: number;
  readonly until: number;
}

const exportTo = async (db: Db, directory: string, range: Range, terminal: Terminal): Promise<void> => {
  for (const kind of Object.values(historyKinds)) {
    let after: HistoryEntry | undefined;
    let files = 0;
    let sum = 0;
    for (;;) {
      const page = { ...range, most: fileEntries, ...(after ? { after } : {}) };
      const entries = await db.read((tx) => kind.read({ tx }, page));
      after = entries.at(-1);
      if (after === undefined) break;
      await writeHistoryFile(directory, kind.name, entries);
      files += 1;
      sum += entries.length;
    }
    terminal.out(lines(`${heading(kind.name)}${sum.toLocaleString('en')} in ${counted(files, 'file')}`));
  }
};

const timeOf = (option: string, given: unknown, otherwise: number): number => {
  if (typeof given !== 'string') return otherwise;
  const time = Date.parse(given);
  if (Number.isNaN(time)) {
    throw new ConfigError([`--${option} is ${JSON.stringify(given)}; expected a time such as 2026-01-31T12:00:00Z`]);
  }
  return time;
};

export const exportHistoryCommand: Command = {
  usage: 'DIRECTORY [--since TIME] [--until TIME]',
  summary: 'writes events and networking actions to files, while the service runs',
  help: `Everything that is still in the database, or what happened from --since on and before --until. The
files are those that the service writes before it deletes what is old (history.export_dir): JSON
lines compressed by gzip, 5,000 in a file, which is named by the first and the last id in it. No
file is replaced, nothing is deleted, and no secret is written.`,
  example: 'corral-admin export-history /archive/corral --since 2026-01-01 --until 2026-02-01',
  options: { since: { type: 'string' }, until: { type: 'string' } },
  operands: 1,
  needed: ['DIRECTORY'],
  run: async ({ config, terminal, options, operands: [given = ''] }) => {
    const directory = resolve(given);
    const range = {
      since: timeOf('since', options['since'], 0),
      until: timeOf('until', options['until'], Date.now() + 1),
    };
    if (!existsSync(directory)) throw new ConfigError([`directory ${directory} does not exist; create it first`]);
    const db = await openCurrent(config().database);
    try {
      await exportTo(db, directory, range, terminal);
    } finally {
      await db.close();
    }
    return 0;
  },
};
