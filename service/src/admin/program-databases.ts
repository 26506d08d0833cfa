import { existsSync } from 'node:fs';
import { type TableAccess, type UntypedDatabase, untypedDatabase } from '@corral/base/db/table-access';
import { lockTables, removeSqlite, requireExclusiveUse } from '@corral/base/db/exclusive-use';
import { inUse, newestOf } from '@corral/base/db/migrations';
import type { ProgramTables } from '@corral/base/db/program-tables';
import {
  type DatabaseLocation,
  openCurrent,
  openDatabase,
  describeLocation,
  requireCurrent,
  versionIn,
} from '@corral/base/db/open-database';
import type { Table } from '@corral/base/db/table-columns';
import { programTables as obmdHoldings } from '@corral/obmd/db/open-obmd-database';
import type { Config } from '../config/service-config.ts';
import { daemonDatabase } from '../config/daemon-database.ts';
import { holdings } from '../db/open-service-database.ts';

/** One database, and the programs whose tables it has: on PostgreSQL the service and its daemon share one. */
export interface ProgramDatabase {
  readonly location: DatabaseLocation;
  readonly programs: readonly ProgramTables<string>[];
}

/** A place that is open. */
export interface OpenDatabase extends ProgramDatabase {
  readonly tables: readonly Table[];
  readonly store: UntypedDatabase;
}

/** How a program is called to an operator. */
export const titleOf = ({ name }: Pick<ProgramTables<string>, 'name'>): string =>
  name === obmdHoldings.name ? 'OBM daemon' : 'service';

/** Where the service keeps its tables, and the daemon inside it, if `database` is the setting. */
export const programDatabasesOf = ({ dataDir, obmd }: Config, database: DatabaseLocation): ProgramDatabase[] => {
  if (obmd === null) return [{ location: database, programs: [holdings] }];
  const daemon = daemonDatabase(dataDir, database);
  return daemon === database
    ? [{ location: database, programs: [holdings, obmdHoldings] }]
    : [
        { location: database, programs: [holdings] },
        { location: daemon, programs: [obmdHoldings] },
      ];
};

/** The file of an embedded database. */
export const filesOf = ({ location }: ProgramDatabase): readonly string[] =>
  location.engine === 'sqlite' ? [location.path] : [];

/** Does this, which may make databases; if it fails, the files that were not there before are removed. */
export const leavingNoNewFiles = async <T>(
  programDatabases: readonly ProgramDatabase[],
  work: () => Promise<T>,
): Promise<T> => {
  const missing = programDatabases.flatMap(filesOf).filter((path) => !existsSync(path));
  try {
    return await work();
  } catch (error) {
    for (const path of missing) removeSqlite(path);
    throw error;
  }
};

/** Refuses while a program of ours uses one of them. Files stay this process's own then, and are made if need be. */
export const requireNoOtherPrograms = async (programDatabases: readonly ProgramDatabase[]): Promise<void> => {
  for (const { location } of programDatabases) await requireExclusiveUse(location, [holdings, obmdHoldings]);
};

/** Keeps all others from the tables until the transaction ends: from writing, or from reading too. */
export const lockOutOthers = async (
  programDatabase: DatabaseInTransaction,
  what: 'writing' | 'reading',
): Promise<void> => {
  const { access, tables, location } = programDatabase;
  // A file is this process's own already.
  if (access.engine === 'sqlite') return;
  await requireNoOtherPrograms([programDatabase]);
  const isLocked = await lockTables(access, tables, what === 'writing' ? 'share' : 'access exclusive');
  if (!isLocked) throw inUse(describeLocation(location));
  // Who came before the lock may have read what is about to go; who comes later waits.
  await requireNoOtherPrograms([programDatabase]);
};

/** This program is not taken for those whose tables it works on. */
const visiting = <Topic extends string>(program: ProgramTables<Topic>): ProgramTables<Topic> => ({
  ...program,
  name: 'corral_admin',
});

/** Opens what is there. The daemon may never have run; the service must have. */
export const openExisting = async (programDatabases: readonly ProgramDatabase[]): Promise<OpenDatabase[]> => {
  const found: ProgramDatabase[] = [];
  for (const { location, programs } of programDatabases) {
    const there: ProgramTables<string>[] = [];
    for (const program of programs) {
      if (program.name === obmdHoldings.name && (await versionIn(location, program)) === 0) continue;
      await requireCurrent(location, program);
      there.push(program);
    }
    if (there.length > 0) found.push({ location, programs: there });
  }
  return openAll(found, ({ location }, [first]) => openCurrent<unknown, string>(location, visiting(first)));
};

/** Opens places to write to, which are made if they are not there; those of another version are refused. */
export const openTargets = async (programDatabases: readonly ProgramDatabase[]): Promise<OpenDatabase[]> => {
  for (const { location, programs } of programDatabases) {
    for (const program of programs)
      if ((await versionIn(location, program)) !== 0) await requireCurrent(location, program);
  }
  return openAll(programDatabases, async ({ location }, [first, ...others]) => {
    for (const program of others) await (await openDatabase(location, visiting(program))).close();
    return openDatabase<unknown, string>(location, visiting(first));
  });
};

type Programs = readonly [ProgramTables<string>, ...ProgramTables<string>[]];

const openAll = async (
  programDatabases: readonly ProgramDatabase[],
  opened: (programDatabase: ProgramDatabase, programs: Programs) => ReturnType<typeof openCurrent<unknown, string>>,
): Promise<OpenDatabase[]> => {
  const all: OpenDatabase[] = [];
  try {
    for (const programDatabase of programDatabases) {
      const [first, ...others] = programDatabase.programs;
      if (first === undefined) continue;
      const tables = programDatabase.programs.flatMap((program) => program.tables);
      all.push({
        ...programDatabase,
        tables,
        store: untypedDatabase(await opened(programDatabase, [first, ...others])),
      });
    }
    return all;
  } catch (error) {
    await closeAll(all);
    throw error;
  }
};

export const closeAll = async (programDatabases: readonly OpenDatabase[]): Promise<void> => {
  for (const { store } of programDatabases) await store.close();
};

/** One transaction on each of the places, all of them open at the same time. */
export const insideAll = <T>(
  programDatabases: readonly OpenDatabase[],
  kind: 'read' | 'write',
  work: (inside: readonly DatabaseInTransaction[]) => Promise<T>,
): Promise<T> => {
  const enter = (index: number, inside: readonly DatabaseInTransaction[]): Promise<T> => {
    const programDatabase = programDatabases[index];
    if (programDatabase === undefined) return work(inside);
    return programDatabase.store[kind]((access) => enter(index + 1, [...inside, { ...programDatabase, access }]));
  };
  return enter(0, []);
};

/** A place inside a transaction. */
export interface DatabaseInTransaction extends OpenDatabase {
  readonly access: TableAccess;
}

/** The version of each program's tables. */
export const versionsOf = (programDatabases: readonly ProgramDatabase[]): Record<string, number> =>
  Object.fromEntries(
    programDatabases.flatMap(({ programs }) => programs.map(({ name, migrations }) => [name, newestOf(migrations)])),
  );
