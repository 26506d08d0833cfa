import { existsSync } from 'node:fs';
import { text as wholeOf } from 'node:stream/consumers';
import { ConfigError } from '@corral/base/config/config-error';
import { parseLocation, locationRule } from '@corral/base/config/database-url';
import { type DatabaseLocation, describeLocation } from '@corral/base/db/open-database';
import type { Config } from '../config/service-config.ts';
import type { Command, Invocation, Terminal } from './admin-command.ts';
import { handOver } from './hand-over.ts';
import {
  closeAll,
  filesOf,
  insideAll,
  leavingNoNewFiles,
  lockOutOthers,
  openExisting,
  openTargets,
  type OpenDatabase,
  type ProgramDatabase,
  programDatabasesOf,
  requireNoOtherPrograms,
  titleOf,
} from './program-databases.ts';
import { counted, heading, lines } from './text-layout.ts';
import { fill, sourceIn, totalOf } from './transfer-rows.ts';
import { markPortsUnread, wasStoppedCleanly } from './mark-ports-unread.ts';

const isSame = (one: DatabaseLocation, other: DatabaseLocation): boolean =>
  one.engine === 'sqlite'
    ? other.engine === 'sqlite' && one.path === other.path
    : other.engine === 'postgres' && one.url === other.url;

/** The places that the programs of the source go to; one that stays where it is needs no copy. */
const targetsFor = (sources: readonly OpenDatabase[], targets: readonly ProgramDatabase[]): ProgramDatabase[] => {
  const whereIs = (name: string): DatabaseLocation | undefined =>
    sources.find(({ programs }) => programs.some((program) => program.name === name))?.location;
  return targets.flatMap(({ location, programs }) => {
    const moving = programs.filter(({ name }) => {
      const from = whereIs(name);
      return from !== undefined && !isSame(from, location);
    });
    return moving.length === 0 ? [] : [{ location, programs: moving }];
  });
};

/** None is made where one was to be copied. */
const exists = ({ location }: ProgramDatabase): boolean => location.engine === 'postgres' || existsSync(location.path);

/** Copies everything; `unread`: how many ports count as unread in the copy, null: none, the service was stopped. */
const copyRows = (sources: readonly OpenDatabase[], targets: readonly OpenDatabase[], terminal: Terminal) =>
  insideAll(sources, 'write', async (inside) => {
    // Writers wait: nothing that is acknowledged meanwhile can be missing from the copy.
    for (const programDatabase of inside) await lockOutOthers(programDatabase, 'writing');
    const source = await sourceIn(inside);
    const refusal = 'give an empty database';
    // A service that was started meanwhile would go on with what was copied.
    const isClean = await wasStoppedCleanly(inside);
    const unread = await fill(targets, source, { refusal }, terminal, async (filled) => {
      await requireNoOtherPrograms(sources);
      return isClean ? null : markPortsUnread(filled);
    });
    return { counts: source.counts, unread };
  });

const copy = async (config: Config, terminal: Terminal, database: DatabaseLocation): Promise<number> => {
  if (isSame(config.database, database)) {
    throw new ConfigError([`copy: --to is the configured database (${describeLocation(database)}); give another one`]);
  }
  const [from, to] = [programDatabasesOf(config, config.database), programDatabasesOf(config, database)];
  await requireNoOtherPrograms(from.filter(exists));
  const sources = await openExisting(from);
  try {
    const programDatabases = targetsFor(sources, to);
    const { counts, unread } = await leavingNoNewFiles(programDatabases, async () => {
      await requireNoOtherPrograms(programDatabases);
      const targets = await openTargets(programDatabases);
      try {
        return await copyRows(sources, targets, terminal);
      } finally {
        await closeAll(targets);
      }
    });
    handOver(programDatabases.flatMap(filesOf));
    terminal.out(
      lines(
        ...programDatabases.flatMap(({ location, programs }) =>
          programs.map(
            (program) =>
              `${heading(titleOf(program))}${totalOf(countsOf(program.tables, counts)).toLocaleString('en')} rows in ${describeLocation(location)}, each compared`,
          ),
        ),
        '',
        'Start the service with this in its configuration, and with the same key file:',
        '',
        `  database_url = ${JSON.stringify(named(database))}`,
        '',
        ...(unread === null
          ? []
          : [
              `The service was not shut down cleanly: ${counted(unread, 'port')} marked as unread. When the`,
              'service runs, it reads them; until then their nodes cannot change projects.',
              '',
            ]),
        'The source database still exists. Never start a service on it again: the two would diverge.',
      ),
    );
    return 0;
  } finally {
    await closeAll(sources);
  }
};

const countsOf = (tables: readonly { readonly name: string }[], counts: Readonly<Record<string, number>>) =>
  Object.fromEntries(tables.map(({ name }) => [name, counts[name] ?? 0]));

/** As it is written in the configuration, but for passwords. */
const named = (location: DatabaseLocation): string => {
  if (location.engine === 'sqlite') return location.path;
  const url = new URL(location.url);
  if (url.password !== '') url.password = 'PASSWORD';
  for (const name of new Set(url.searchParams.keys())) {
    if (/pass|secret/i.test(name)) url.searchParams.set(name, 'PASSWORD');
  }
  return url.href;
};

const targetOf = async ({ options, input, config }: Invocation): Promise<DatabaseLocation> => {
  const given = options['to'];
  if (typeof given !== 'string') throw new ConfigError(['copy: --to is missing; see corral-admin help copy']);
  const text = given === '-' ? (await wholeOf(input)).trim() : given;
  const { database } = config();
  const location = parseLocation(text, database.engine === 'postgres' ? database.connections : 2);
  // What is not understood may be a password.
  if (location === null) throw new ConfigError([`copy: --to is invalid; expected ${locationRule}`]);
  return location;
};

export const copyCommand: Command = {
  usage: '--to DATABASE_URL',
  summary: 'copies the database to another one, from SQLite to PostgreSQL or the other way round',
  help: `DATABASE_URL is what the setting database_url would be: a path, or postgres://USER@HOST/DATABASE. The
service has to be stopped everywhere; what it has in hand (networking actions, leases, notifications)
goes with the rest, and it goes on with them when it is started on the copy. The other database has
to be empty. Everything is written in one transaction and compared row by row before it counts; if
the copy is interrupted, run it again. The OBM daemon inside the service is copied too.

  --to URL  where to; \`-\` reads it from standard input. A password that the URL lacks is taken from
            PGPASSWORD or ~/.pgpass, so that it need not stand in the command line`,
  example: 'corral-admin copy --to postgres://corral@db.example/corral',
  options: { to: { type: 'string' } },
  operands: 0,
  run: async (invocation) => copy(invocation.config(), invocation.terminal, await targetOf(invocation)),
};
