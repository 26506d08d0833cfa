import type { ProgramTables } from '@corral/base/db/program-tables';
import { type DatabaseLocation, openCurrent as current, openDatabase as open } from '@corral/base/db/open-database';
import { type Topic, topics } from './topics.ts';
import { verdictOf } from './constraints.ts';
import type { Db } from './service-database.ts';
import { initial } from './migrations/0001-initial.ts';
import { readings } from './migrations/0002-readings.ts';
import { making } from './migrations/0003-making.ts';
import { identity } from './migrations/0004-identity.ts';
import { portTrust } from './migrations/0005-port-trust.ts';
import { switchIdentity } from './migrations/0006-switch-identity.ts';
import { eventHistory } from './migrations/0007-event-history.ts';
import { lateWrites } from './migrations/0010-late-writes.ts';
import { growth } from './migrations/0011-growth.ts';
import { departedBmcs } from './migrations/0012-departed-bmcs.ts';
import { claims } from './migrations/0013-claims.ts';
import { releases } from './migrations/0014-releases.ts';
import { cleanings } from './migrations/0015-cleanings.ts';
import { subscriptions } from './migrations/0016-subscriptions.ts';
import { quotas } from './migrations/0017-quotas.ts';
import { usage } from './migrations/0018-usage.ts';
import { releaseForRepair } from './migrations/0019-release-for-repair.ts';
import { nicAddresses } from './migrations/0020-nic-addresses.ts';
import { mail } from './migrations/0021-mail.ts';
import { tables } from './service-tables.ts';

/** What the service keeps in a database. */
export const holdings: ProgramTables<Topic> = {
  name: 'corral',
  history: 'schema_migrations',
  migrations: [
    initial,
    readings,
    making,
    identity,
    portTrust,
    switchIdentity,
    eventHistory,
    lateWrites,
    growth,
    departedBmcs,
    claims,
    releases,
    cleanings,
    subscriptions,
    quotas,
    usage,
    releaseForRepair,
    nicAddresses,
    mail,
  ],
  tables,
  topics,
  isVerdict: (error) => verdictOf(error) !== null,
};

/** Opens the service's database and brings it up to date. */
export const openDatabase = (location: DatabaseLocation): Promise<Db> => open(location, holdings);

/** Opens the service's database if it is up to date, and refuses it otherwise. */
export const openCurrent = (location: DatabaseLocation): Promise<Db> => current(location, holdings);
