import { sql } from 'kysely';
import { always, type Invariant } from './invariant.ts';

/** Users of this database. */
export const userInvariants: readonly Invariant[] = [
  always(
    'where there are users, one is an administrator',
    sql`select 'none of ' || count(*) || ' users is' as what from users having count(*) > 0 and sum(is_admin) = 0`,
  ),
];
