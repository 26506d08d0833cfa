import type * as base from '@corral/base/db/database';
import type { Topic } from './topics.ts';
import type { Database } from './service-schema.ts';

/** The service's database, either engine. */
export type Db = base.Db<Database, Topic>;

/** The inside of a transaction: the only way to the tables. */
export type Tx = base.Tx<Database>;
