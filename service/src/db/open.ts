import { type DatabaseLocation, openDatabase as open } from '@corral/base/db/open';
import { topics } from './changes.ts';
import { verdictOf } from './constraints.ts';
import type { Db } from './db.ts';
import { initial } from './migrations/0001-initial.ts';
import { readings } from './migrations/0002-readings.ts';
import { making } from './migrations/0003-making.ts';
import { identity } from './migrations/0004-identity.ts';

/** Opens the service's database and brings it up to date. */
export const openDatabase = (location: DatabaseLocation): Promise<Db> =>
  open(location, {
    name: 'corral',
    history: 'schema_migrations',
    migrations: [initial, readings, making, identity],
    topics,
    isVerdict: (error) => verdictOf(error) !== null,
  });
