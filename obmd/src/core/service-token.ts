import { randomBytes } from 'node:crypto';
import type { Db, Tx } from '@corral/base/db/database';
import type { Vault } from '@corral/base/secrets/vault';
import { sql } from 'kysely';

/*
 * What the processes of a service show each other. It is in the database, sealed: a process that has the database and the
 * key has it, and nobody needs to hand it out. A rotation of the key seals it again and leaves it as it is.
 */

const name = 'service_token';

/** The token, in a database of whatever program that holds the daemon's tables; null: there is none yet. */
export const readServiceToken = async <Schema>(tx: Tx<Schema>, vault: Vault): Promise<string | null> => {
  const { rows } = await sql<{ value: string }>`select value from obmd_settings where name = ${name}`.execute(tx);
  return rows[0] === undefined ? null : vault.open(rows[0].value);
};

/** The same; the first one to ask makes it. */
export const readOrMakeServiceToken = async <Schema, Topic extends string>(
  db: Db<Schema, Topic>,
  vault: Vault,
): Promise<string> => {
  const kept = await db.read((tx) => readServiceToken(tx, vault));
  if (kept !== null) return kept;
  return db.write(async (tx) => {
    const first = await readServiceToken(tx, vault);
    if (first !== null) return first;
    const token = randomBytes(24).toString('hex');
    await sql`insert into obmd_settings (name, value) values (${name}, ${vault.seal(token)})`.execute(tx);
    return token;
  });
};
