import { ConfigError } from '@corral/base/config/config-error';
import { describeLocation, versionIn } from '@corral/base/db/open-database';
import type * as base from '@corral/base/db/database';
import { findOtherMachines } from '@corral/base/db/other-machines';
import { olderTransactionsEnd } from '@corral/base/db/older-transactions';
import { keyCheckIn } from '@corral/base/secrets/key-check';
import { readKeyFile } from '@corral/base/secrets/key-file';
import { needOf } from '@corral/base/secrets/open-vault';
import type { SealedDatabase } from '@corral/base/secrets/rotate-key';
import { type RotationLock, rotationLockIn } from '@corral/base/secrets/rotation-lock';
import { type SealedColumn, sealedStoreIn } from '@corral/base/secrets/sealed-store';
import { openWithAny } from '@corral/base/secrets/sealing';
import { programTables as obmdHoldings, openCurrent as openObmd } from '@corral/obmd/db/open-obmd-database';
import { sealedColumns as obmdColumns } from '@corral/obmd/db/obmd-sealed-columns';
import type { Config } from '../config/service-config.ts';
import { daemonFile } from '../config/daemon-database.ts';
import { holdings, openCurrent } from '../db/open-service-database.ts';
import { sealedColumns } from '../db/sealed-columns.ts';

/** Databases that are open, and whose secrets one key file seals. */
export interface SealedDatabases {
  readonly databases: readonly SealedDatabase[];
  readonly lock: RotationLock;
  readonly close: () => Promise<void>;
}

interface Opened {
  readonly sealed: SealedDatabase;
  readonly lock: RotationLock;
  readonly close: () => Promise<void>;
}

const opened = <Schema, Topic extends string>(
  name: string,
  db: base.Db<Schema, Topic>,
  settings: string,
  columns: readonly SealedColumn[],
): Opened => ({
  sealed: {
    store: sealedStoreIn(name, db, columns),
    check: keyCheckIn(db, settings),
    settled: (waiting) => olderTransactionsEnd(db, waiting),
    otherMachines: () => findOtherMachines(db),
  },
  lock: rotationLockIn(db, settings),
  close: () => db.close(),
});

/** Opens the service's database and the daemon's, as far as they are there. None is made. */
export const openSealedDatabases = async (config: Config): Promise<SealedDatabases> => {
  const all: Opened[] = [];
  const close = async (): Promise<void> => {
    for (const one of all.splice(0)) await one.close();
  };
  try {
    if ((await versionIn(config.database, holdings)) > 0) {
      all.push(opened('service', await openCurrent(config.database), 'settings', sealedColumns));
    }
    for (const programDatabase of [daemonFile(config.dataDir), config.database]) {
      if ((await versionIn(programDatabase, obmdHoldings)) === 0) continue;
      const daemon = opened('OBM daemon', await openObmd(programDatabase), 'obmd_settings', obmdColumns);
      if (config.obmd !== null || (await isSealedBy(config.keyFile, daemon.sealed))) all.push(daemon);
      else await daemon.close();
    }
    const [first] = all;
    if (first === undefined) {
      throw new ConfigError([
        `there is no database yet (${describeLocation(config.database)}); start the service once first`,
      ]);
    }
    return { databases: all.map(({ sealed }) => sealed), lock: first.lock, close };
  } catch (error) {
    await close();
    throw error;
  }
};

/** A daemon of its own may have a key file of its own. */
const isSealedBy = async (file: string, { check }: SealedDatabase): Promise<boolean> => {
  const word = await check.recall();
  return word !== null && openWithAny(readKeyFile(file, needOf(word)).ring.keys, word) !== undefined;
};
