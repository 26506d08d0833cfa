import { resolve } from 'node:path';
import { ConfigError } from '@corral/base/config/config-error';
import { newestOf } from '@corral/base/db/migrations';
import { describeLocation } from '@corral/base/db/open-database';
import { BackupRefused, checkBackup, rowsOfBackup } from '@corral/base/db/read-backup';
import type { Table } from '@corral/base/db/table-columns';
import type { Manifest } from '@corral/base/db/write-backup';
import { confirm } from './admin-prompts.ts';
import type { Command, Invocation } from './admin-command.ts';
import {
  closeAll,
  leavingNoNewFiles,
  openTargets,
  type ProgramDatabase,
  programDatabasesOf,
  requireNoOtherPrograms,
  titleOf,
} from './program-databases.ts';
import { isRightKeyFile } from './check-key-file.ts';
import { counted, heading, lines } from './text-layout.ts';
import { endOldLogins, describeEndedLogins } from './end-old-logins.ts';
import { areEmpty, fill, totalOf } from './transfer-rows.ts';
import { markPortsUnread } from './mark-ports-unread.ts';

/** What of the file there is a place for. */
const programDatabasesFor = (
  file: string,
  { databases }: Manifest,
  programDatabases: readonly ProgramDatabase[],
): ProgramDatabase[] =>
  programDatabases.flatMap(({ location, programs }) => {
    const kept = programs.filter((program) => {
      const version = databases[program.name];
      const newest = newestOf(program.migrations);
      if (version === undefined || version === newest) return version !== undefined;
      const wayOut =
        version < newest
          ? 'restore it with the version of Corral that wrote it, then run corral-admin migrate'
          : 'restore it with a newer Corral';
      throw new BackupRefused(`${file} has version ${version}, this program requires version ${newest}: ${wayOut}`);
    });
    return kept.length === 0 ? [] : [{ location, programs: kept }];
  });

const restore = async (invocation: Invocation, file: string): Promise<number> => {
  const { terminal, options } = invocation;
  const config = invocation.config();
  const manifest = await checkBackup(file);
  const programDatabases = programDatabasesFor(file, manifest, programDatabasesOf(config, config.database));
  if (programDatabases.length === 0) throw new BackupRefused(`${file} contains nothing that this configuration uses`);
  const isReplacing = options['replace'] === true;
  const tokens = options['revoke-tokens'] === true ? 'revoked' : 'kept';
  const tables = programDatabases.flatMap(({ programs }) => programs.flatMap((program) => program.tables));
  const counts = Object.fromEntries(tables.map(({ name }) => [name, manifest.counts[name] ?? 0]));
  const source = { counts, rows: (wanted: readonly Table[]) => rowsOfBackup(file, wanted) };
  const ended = await leavingNoNewFiles(programDatabases, async () => {
    await requireNoOtherPrograms(programDatabases);
    const targets = await openTargets(programDatabases);
    try {
      if (isReplacing && options['yes'] !== true && !(await areEmpty(targets))) {
        await requireYes(invocation, programDatabases, manifest);
      }
      const present = isReplacing ? 'replaced' : { refusal: 'use --replace to overwrite it' };
      return await fill(targets, source, present, terminal, async (inside) => ({
        ...(await endOldLogins(inside, tokens)),
        unread: await markPortsUnread(inside),
      }));
    } finally {
      await closeAll(targets);
    }
  });
  terminal.out(
    lines(
      `${heading('backup')}${file} of ${manifest.madeAt}`,
      ...programDatabases.flatMap(({ location, programs }) =>
        programs.map((program) => `${heading(titleOf(program))}${describeLocation(location)}`),
      ),
      `${heading('rows')}${totalOf(counts).toLocaleString('en')}, each compared with the file`,
      '',
      ...describeEndedLogins(ended, tokens, manifest.madeAt),
      '',
      `The state of switches may be newer: ${counted(ended.unread, 'port')} marked as unread. When the service runs,`,
      'it reads them, and asks the hypervisor for its machines; until then nodes cannot change projects,',
      'and no network is created or deleted.',
      'Check the drift then.',
    ),
  );
  if (Object.keys(manifest.databases).length > programDatabases.flatMap(({ programs }) => programs).length) {
    terminal.err(
      'corral-admin: skipped the OBM daemon in the backup: this configuration runs none inside the service\n',
    );
  }
  if (await isRightKeyFile(config, terminal)) return 0;
  terminal.err(
    'corral-admin: the backup is restored, but the service cannot start before the key file is the right one\n',
  );
  return 1;
};

const requireYes = async (
  invocation: Invocation,
  programDatabases: readonly ProgramDatabase[],
  { madeAt }: Manifest,
): Promise<void> => {
  const where = programDatabases.map(({ location }) => describeLocation(location)).join(' and ');
  const question = `Everything in ${where} will be replaced by the backup of ${madeAt}. Continue?`;
  if (!(await confirm(invocation, question, 'use --yes'))) throw new ConfigError(['nothing was changed']);
};

export const restoreCommand: Command = {
  usage: 'FILE [--replace [--yes]] [--revoke-tokens]',
  summary: 'restores a backup into an empty database',
  help: `The file is checked to its end before anything is touched, everything is written in one transaction,
and each row is compared with the file before it counts. The service has to be stopped. Sessions are
not restored; users, passwords and API tokens are those of the backup's time.

  --replace        overwrites a database that is not empty, and asks first; everything in it is lost
  --yes            does not ask
  --revoke-tokens  restores no API tokens`,
  example: 'corral-admin restore /backup/corral-2026-11-15.gz',
  options: { replace: { type: 'boolean' }, yes: { type: 'boolean' }, 'revoke-tokens': { type: 'boolean' } },
  operands: 1,
  needed: ['FILE'],
  run: (invocation) => {
    const [file = ''] = invocation.operands;
    if (invocation.options['yes'] === true && invocation.options['replace'] !== true)
      throw new ConfigError(['restore: --yes requires --replace']);
    return restore(invocation, resolve(file));
  },
};
