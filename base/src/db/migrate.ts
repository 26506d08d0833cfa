/** The few words in which the two engines differ. */
interface Words {
  /** The column `id`, counted up by the database and never given twice. */
  readonly id: string;
  /** A whole number that holds an id or a time. */
  readonly bigint: string;
}

/** One step from one shape of the database to the next. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly statements: (words: Words) => readonly string[];
}

/** What an engine offers while it holds the migration lock. */
export interface MigrationSession {
  readonly words: Words;
  run(statement: string): Promise<void>;
  /** The version last applied; 0 for an empty database. */
  version(): Promise<number>;
  applied(migration: Migration): Promise<void>;
}

/** A database that this program must not touch. */
export class DatabaseRefused extends Error {}

/** Brings the database up to date. The engine calls it inside one transaction, under a lock. */
export const migrate = async (session: MigrationSession, migrations: readonly Migration[]): Promise<void> => {
  const version = await session.version();
  const newest = Math.max(...migrations.map((migration) => migration.version));
  if (version > newest) {
    throw new DatabaseRefused(
      `the database is at version ${version}, this program knows versions up to ${newest}: start a newer Corral, or restore an older backup`,
    );
  }
  for (const migration of migrations.filter((candidate) => candidate.version > version)) {
    for (const statement of migration.statements(session.words)) await session.run(statement);
    await session.applied(migration);
  }
};
