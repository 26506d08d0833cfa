import type { Kysely } from 'kysely';

/** The inside of a transaction: the only way to the tables. */
export type Tx<Schema> = Kysely<Schema>;
