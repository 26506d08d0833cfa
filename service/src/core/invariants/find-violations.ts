import { type TableAccess, tableAccess } from '@corral/base/db/table-access';
import { findUnreadable } from '@corral/base/db/find-unreadable-cells';
import { findIntegrityErrors, type Violation } from '@corral/base/db/integrity-checks';
import { lastIdOf } from '@corral/base/db/table-columns';
import type { Key } from '@corral/base/secrets/vault-key';
import type { Db, Tx } from '../../db/service-database.ts';
import type { Database } from '../../db/service-schema.ts';
import { sealedColumns } from '../../db/sealed-columns.ts';
import { tables } from '../../db/service-tables.ts';
import { actionInvariants } from './action-invariants.ts';
import { cleaningInvariants } from './cleaning-invariants.ts';
import { headnodeInvariants } from './headnode-invariants.ts';
import type { Invariant } from './invariant.ts';
import { findUnindexed } from './metadata-invariants.ts';
import { networkInvariants } from './network-invariants.ts';
import { releaseInvariants } from './release-invariants.ts';
import { usageInvariants } from './usage-invariants.ts';
import { userInvariants } from './user-invariants.ts';
import { portInvariants } from './port-invariants.ts';

/** What constraints cannot say, or should have held. */
const invariants: readonly Invariant[] = [
  ...networkInvariants,
  ...portInvariants,
  ...actionInvariants,
  ...headnodeInvariants,
  ...releaseInvariants,
  ...cleaningInvariants,
  ...userInvariants,
  ...usageInvariants,
];

const json: Readonly<Partial<Record<keyof Database, readonly string[]>>> = {
  nodes: ['metadata'],
  switches: ['strangers'],
  ports: ['reading'],
  events: ['detail'],
  releases: ['detaches'],
  identities: ['projects'],
  api_tokens: ['made_projects'],
  claims: ['selector', 'prefer', 'nodes'],
  subscriptions: ['filter'],
  dead_letters: ['body'],
  cleaning_steps: ['progress'],
};

/** Everything that must not be in the database, as of one moment. `keys` open what is sealed; null: it is not tried. */
export const findViolations = (db: Db, keys: readonly Key[] | null): Promise<Violation[]> =>
  db.read((tx) => violationsIn(db.engine, tx, keys));

/** The same inside a transaction. */
export const violationsIn = async (engine: Db['engine'], tx: Tx, keys: readonly Key[] | null): Promise<Violation[]> => {
  const access = tableAccess(engine, tx);
  const found = [...(await findIntegrityErrors(access, tables)), ...(await findForeseen(access, tx))];
  for (const { rule, broken } of invariants) {
    const { rows } = await broken.execute(tx);
    found.push(...rows.map(({ what }) => ({ rule, what })));
  }
  found.push(...(await findUnindexed(tx)));
  return [...found, ...(await findUnreadable(access, { tables, json, sealed: sealedColumns }, keys))];
};

/** Events that a project would see which does not exist yet: access is by the id of the project. */
const findForeseen = async (access: TableAccess, tx: Tx): Promise<Violation[]> => {
  const last = await lastIdOf(access, { name: 'projects', key: ['id'] });
  const rows = await tx
    .selectFrom('event_projects')
    .select(['event_id', 'project'])
    .where('project_id', '>', last ?? 0)
    .execute();
  return rows.map(({ event_id, project }) => ({
    rule: 'an event refers to projects that exist or existed',
    what: `event ${event_id} to project ${project}`,
  }));
};
