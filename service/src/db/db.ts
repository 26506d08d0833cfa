import type * as base from '@corral/base/db/db';
import type { Topic } from './changes.ts';
import type { Database } from './schema.ts';

/** The service's database, either engine. */
export type Db = base.Db<Database, Topic>;

/** The inside of a transaction: the only way to the tables. */
export type Tx = base.Tx<Database>;
