import { rm } from 'node:fs/promises';
import { openDatabase } from '@corral/base/db/open-database';
import fc from 'fast-check';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load-service-config.ts';
import { findViolations } from '../../src/core/invariants/find-violations.ts';
import { metadataValueOf, numberText } from '../../src/db/metadata-value.ts';
import { holdings, openDatabase as openNewest } from '../../src/db/open-service-database.ts';
import type { Db } from '../../src/db/service-database.ts';
import { dataDirectory } from '../support/services/data-directory.ts';
import { type EngineName, engines, freshPostgres } from '../support/services/engines.ts';
import { seed } from '../support/vitest/seed.ts';

describe('numbers as they are stored', () => {
  it('sort as the numbers do', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(number, number, (one, other) => {
        const [a, b] = [numberText(one), numberText(other)];
        expect(a).toMatch(/^\d{20}$/);
        expect(a < b).toBe(one < other);
        // -0 is 0.
        expect(a === b).toBe(one === other);
      }),
      { seed, numRuns: 2_000 },
    );
  });

  it.each([
    [4, true],
    ['4', true],
    ['-4.50', true],
    ['1e3', false],
    ['0x10', false],
    [' 4', false],
    ['', false],
    ['9'.repeat(400), false],
    [true, false],
    [[4], false],
  ])('%j is a number: %s', (value, isNumber) => {
    expect(metadataValueOf(value).number !== null).toBe(isNumber);
  });
});

const stored = {
  plain: { rack: 'r1', gpus: 4, unit: '23', ib: null },
  empty: {},
  odd: { nul: '\0', half: '\ud800', long: 'x'.repeat(5_000), nested: { a: [1, 'b'] }, __proto: true, 'a "b" \\': '🐎' },
};

describe.each(engines)('metadata that was stored before on %s', (engine) => {
  const locationOf = async (of: EngineName) => {
    const dataDir = await dataDirectory('corral-test-');
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    return of === 'postgres'
      ? loadConfig({ CORRAL_DATA_DIR: dataDir, CORRAL_DATABASE_URL: await freshPostgres() }).database
      : { ...loadConfig({ CORRAL_DATA_DIR: dataDir }).database, file: join(dataDir, 'corral.db') };
  };

  it('is found after the migration, and what was changed past it is reported', async () => {
    const location = await locationOf(engine);
    const migrations = holdings.migrations.filter(({ version }) => version < 13);
    const old: Db = await openDatabase(location, { ...holdings, migrations });
    const rows = Object.entries(stored).map(([label, metadata]) => ({
      label,
      project_id: null,
      metadata: JSON.stringify(metadata),
      obm_uri: 'http://127.0.0.1:9/',
      obm_admin_token: '',
      obm_token: null,
    }));
    await old.write((tx) => tx.insertInto('nodes').values(rows).execute());
    await old.close();
    const db = await openNewest(location);
    try {
      const found = await db.read((tx) =>
        tx
          .selectFrom('node_metadata')
          .innerJoin('nodes', 'nodes.id', 'node_metadata.node_id')
          .select(['nodes.label', 'key', 'text', 'number'])
          .execute(),
      );
      const expected = Object.entries(stored).flatMap(([label, metadata]) =>
        Object.entries(metadata).map(([key, value]) => ({ label, key, ...metadataValueOf(value) })),
      );
      expect(found).toHaveLength(expected.length);
      expect(found).toEqual(expect.arrayContaining(expected));
      const broken = async () => (await findViolations(db, null)).map(({ what }) => what);
      expect(await broken()).toEqual([]);
      await db.write((tx) =>
        tx.updateTable('nodes').set({ metadata: '{"a":1}' }).where('label', '=', 'plain').execute(),
      );
      expect(await broken()).toEqual(['node plain']);
      await db.write((tx) => tx.deleteFrom('node_metadata').where('key', '=', 'nested').execute());
      expect(await broken()).toEqual(['node plain', 'node odd']);
    } finally {
      await db.close();
    }
  });
});
