import { parseKeyRing } from '@corral/base/secrets/key-ring';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { loadConfig } from '../../../src/config/load-service-config.ts';
import { findViolations } from '../../../src/core/invariants/find-violations.ts';
import { openCurrent } from '../../../src/db/open-service-database.ts';

/** Looks into a service's database, whether it runs or not: what must always hold does. */
export const expectSound = async (env: Readonly<Record<string, string>>): Promise<void> => {
  const { database, keyFile } = loadConfig(env);
  const db = await openCurrent(database);
  try {
    expect(await findViolations(db, parseKeyRing(readFileSync(keyFile, 'utf8')).keys)).toEqual([]);
  } finally {
    await db.close();
  }
};
