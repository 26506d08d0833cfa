import { tableAccess } from '@corral/base/db/table-access';
import { findUnreadable } from '@corral/base/db/find-unreadable-cells';
import { versionIn } from '@corral/base/db/open-database';
import { findBackwardCounts, findIntegrityErrors, type Violation } from '@corral/base/db/integrity-checks';
import type { Key } from '@corral/base/secrets/vault-key';
import { keyCheckIn } from '@corral/base/secrets/key-check';
import { readKeyFile } from '@corral/base/secrets/key-file';
import { needOf } from '@corral/base/secrets/open-vault';
import { programTables as obmdHoldings, openCurrent as openObmd } from '@corral/obmd/db/open-obmd-database';
import { sealedColumns as obmdSealed } from '@corral/obmd/db/obmd-sealed-columns';
import type { Config } from '../config/service-config.ts';
import { daemonDatabase } from '../config/daemon-database.ts';
import { findViolations } from '../core/invariants/find-violations.ts';
import type { Db } from '../db/service-database.ts';
import { openCurrent } from '../db/open-service-database.ts';
import { vlanPool } from '../drivers/allocators/vlan-pool.ts';
import type { Command } from './admin-command.ts';
import { counted, lines } from './text-layout.ts';

/** What is found, rule by rule. */
const check = async (config: Config): Promise<Violation[]> => {
  const found = [...(await checkService(config)), ...(await checkDaemon(config))];
  const rules = [...new Set(found.map(({ rule }) => rule))];
  return rules.flatMap((rule) => found.filter((violation) => violation.rule === rule));
};

const checkService = async (config: Config): Promise<Violation[]> => {
  const db = await openCurrent(config.database);
  try {
    const keys = keysFor(config, await keyCheckIn(db, 'settings').recall());
    return [...(await findViolations(db, keys)), ...(await outsidePool(db, config))];
  } finally {
    await db.close();
  }
};

/** The daemon inside the service, once it has run. */
const checkDaemon = async (config: Config): Promise<Violation[]> => {
  const programDatabase = daemonDatabase(config.dataDir, config.database);
  if (config.obmd === null || (await versionIn(programDatabase, obmdHoldings)) === 0) return [];
  const db = await openObmd(programDatabase);
  try {
    const keys = keysFor(config, await keyCheckIn(db, 'obmd_settings').recall());
    const { tables } = obmdHoldings;
    return await db.read(async (tx) => {
      const access = tableAccess(db.engine, tx);
      // Of one PostgreSQL, its state was checked with the service's tables.
      const unsound = db.engine === 'sqlite' ? findIntegrityErrors : findBackwardCounts;
      return [
        ...(await unsound(access, tables)),
        ...(await findUnreadable(access, { tables, json: {}, sealed: obmdSealed }, keys)),
      ];
    });
  } finally {
    await db.close();
  }
};

/** A database that no program has used yet has nothing that is sealed, and no key. */
const keysFor = ({ keyFile }: Config, word: string | null): readonly Key[] | null =>
  word === null ? null : readKeyFile(keyFile, needOf(word)).ring.keys;

/** The service would not start. */
const outsidePool = async (db: Db, { vlans }: Config): Promise<Violation[]> => {
  const pool = vlanPool(vlans);
  const networks = await db.read((tx) =>
    tx.selectFrom('networks').select(['label', 'vlan']).where('vlan_is_assigned', '=', 0).orderBy('label').execute(),
  );
  return networks
    .filter(({ vlan }) => !pool.has(vlan))
    .map(({ label, vlan }) => ({
      rule: 'the VLAN pool (setting vlans) contains the ids of networks',
      what: `network ${label} has VLAN ${vlan}`,
    }));
};

const table = (violations: readonly Violation[]): string => {
  const width = Math.max(...violations.map(({ rule }) => rule.length));
  // The rule stands once, before the first of its rows.
  const rows = violations.map(({ rule, what }, index) => {
    const shown = violations[index - 1]?.rule === rule ? '' : rule;
    return `${shown.padEnd(width)}   ${what}`;
  });
  return lines(`${'MUST HOLD'.padEnd(width)}   BROKEN BY`, ...rows);
};

export const checkCommand: Command = {
  usage: '[--json]',
  summary: 'checks the consistency of the database',
  help: `Looks at what constraints cannot express, at the state of the database itself, and whether the key
file opens what is sealed; at the tables of an OBM daemon inside the service, too. Changes nothing; the service may run. Exit code 0: nothing was found, 1:
something was.

  --json  {"violations": [{"rule": …, "what": …}]}`,
  example: 'corral-admin check',
  options: { json: { type: 'boolean' } },
  operands: 0,
  run: async ({ config, terminal, options }) => {
    const violations = await check(config());
    if (options['json'] === true) terminal.out(lines(JSON.stringify({ violations }, null, 2)));
    else if (violations.length === 0) terminal.out(lines('The database is consistent.'));
    else terminal.out(table(violations) + lines('', `${counted(violations.length, 'violation')} found.`));
    return violations.length === 0 ? 0 : 1;
  },
};
