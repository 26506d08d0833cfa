import { ConfigError } from '@corral/base/config/config-error';
import { keyCheckIn } from '@corral/base/secrets/key-check';
import { readKeyFile } from '@corral/base/secrets/key-file';
import { needOf, notTheKey } from '@corral/base/secrets/open-vault';
import { openWithAny } from '@corral/base/secrets/sealing';
import type { Config } from '../config/service-config.ts';
import { openCurrent } from '../db/open-service-database.ts';
import type { Terminal } from './admin-command.ts';

/** Does the key file belong to the database? If not it says so: the service would not start. */
export const isRightKeyFile = async ({ database, keyFile }: Config, terminal: Terminal): Promise<boolean> => {
  const db = await openCurrent(database);
  try {
    const word = await keyCheckIn(db, 'settings').recall();
    if (word === null) return true;
    const { ring } = readKeyFile(keyFile, needOf(word));
    if (openWithAny(ring.keys, word) === undefined) throw notTheKey(keyFile, word);
    return true;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const mistake of error.mistakes) terminal.err(`corral-admin: ${mistake}\n`);
    return false;
  } finally {
    await db.close();
  }
};
