import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError } from '@corral/base/config/config-error';
import { writeBackup } from '@corral/base/db/write-backup';
import type { Config } from '../config/service-config.ts';
import type { Command, Terminal } from './admin-command.ts';
import { closeAll, insideAll, openExisting, programDatabasesOf, titleOf, versionsOf } from './program-databases.ts';
import { counted, heading, lines } from './text-layout.ts';
import { sourceIn, totalOf } from './transfer-rows.ts';

const backUp = async (config: Config, terminal: Terminal, file: string, isForced: boolean): Promise<number> => {
  if (!isForced && existsSync(file)) {
    throw new ConfigError([`${file} already exists; give another name, or use --force to replace it`]);
  }
  const programDatabases = await openExisting(programDatabasesOf(config, config.database));
  try {
    if (!existsSync(dirname(file)))
      throw new ConfigError([`directory ${dirname(file)} does not exist; create it first`]);
    const counts = await insideAll(programDatabases, 'read', async (inside) => {
      const source = await sourceIn(inside);
      const manifest = {
        madeAt: new Date().toISOString(),
        databases: versionsOf(programDatabases),
        counts: source.counts,
      };
      const rows = source.rows(programDatabases.flatMap(({ tables }) => tables));
      await writeBackup(file, manifest, rows, isForced ? 'replace' : 'keep');
      return source.counts;
    });
    terminal.out(
      lines(
        `${heading('backup')}${file}`,
        `${heading('holds')}${programDatabases.flatMap(({ programs }) => programs.map(titleOf)).join(' and ')}`,
        `${heading('rows')}${totalOf(counts).toLocaleString('en')} in ${counted(Object.keys(counts).length, 'table')}`,
        `${heading('size')}${statSync(file).size.toLocaleString('en')} bytes`,
        '',
        `The key file (${config.keyFile}) is not included: keep a separate copy of it. Without it the`,
        'passwords of switches and the tokens of OBM daemons in the backup cannot be read.',
      ),
    );
    return 0;
  } finally {
    await closeAll(programDatabases);
  }
};

export const backupCommand: Command = {
  usage: 'FILE [--force]',
  summary: 'backs up the database to a file, while the service runs',
  help: `A consistent snapshot: the service's tables, and those of the OBM daemon if that runs inside the
service. A backup of SQLite can be restored into PostgreSQL and the other way round. The key file is
not part of it.

  --force  replaces FILE if it exists`,
  example: 'corral-admin backup /backup/corral-2026-11-15.gz',
  options: { force: { type: 'boolean' } },
  operands: 1,
  needed: ['FILE'],
  run: ({ config, terminal, options, operands: [file = ''] }) =>
    backUp(config(), terminal, resolve(file), options['force'] === true),
};
