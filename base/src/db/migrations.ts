import type { TableAccess } from './table-access.ts';

/** The few words in which the two engines differ. */
interface ColumnTypes {
  /** The column `id`, counted up by the database and never given twice. */
  readonly id: string;
  /** A whole number that holds an id or a time. */
  readonly bigint: string;
  /** The time in milliseconds since 1970. */
  readonly now: string;
}

/** One step from one shape of the database to the next. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly statements: (types: ColumnTypes) => readonly string[];
  /** Fills what the statements made from what is stored, where SQL cannot say it for both engines. */
  readonly fill?: (access: TableAccess) => Promise<void>;
}

/** What an engine offers while it holds the migration lock. */
export interface MigrationSession {
  readonly types: ColumnTypes;
  readonly access: TableAccess;
  run(statement: string): Promise<void>;
  /** The version last applied; 0 for an empty database. */
  version(): Promise<number>;
  applied(migration: Migration): Promise<void>;
}

/** A database that this program must not touch. */
export class DatabaseRefused extends Error {}

/** Others have it open, and this program has to be alone with it. */
export const inUse = (place: string): DatabaseRefused =>
  new DatabaseRefused(
    `the database (${place}) is in use: stop the service on every machine, and every other program that has it open, then try again`,
  );

/** The version that this program knows how to work with. */
export const newestOf = (migrations: readonly Migration[]): number =>
  Math.max(...migrations.map(({ version }) => version));

/** Refuses a database that a newer program has changed. */
export const requireNotNewer = (version: number, migrations: readonly Migration[]): void => {
  const newest = newestOf(migrations);
  if (version <= newest) return;
  throw new DatabaseRefused(
    `the database is at version ${version}, this program supports versions up to ${newest}: start a newer Corral, or restore an older backup`,
  );
};

/** Brings the database up to date. The engine calls it inside one transaction, under a lock. */
export const migrate = async (session: MigrationSession, migrations: readonly Migration[]): Promise<void> => {
  const version = await session.version();
  requireNotNewer(version, migrations);
  for (const migration of migrations.filter((candidate) => candidate.version > version)) {
    for (const statement of migration.statements(session.types)) await session.run(statement);
    await migration.fill?.(session.access);
    await session.applied(migration);
  }
};
