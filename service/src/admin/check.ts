import type { Violation } from '@corral/base/db/soundness';
import { keyCheckIn } from '@corral/base/secrets/key-check';
import { readKeyFile } from '@corral/base/secrets/key-file';
import { needOf } from '@corral/base/secrets/open-vault';
import type { Config } from '../config/config.ts';
import { findViolations } from '../core/invariants/find-violations.ts';
import type { Db } from '../db/db.ts';
import { openCurrent } from '../db/open.ts';
import { vlanPool } from '../drivers/allocators/vlan-pool.ts';
import type { Command } from './command.ts';
import { counted, lines } from './layout.ts';

const check = async (config: Config): Promise<Violation[]> => {
  const db = await openCurrent(config.database);
  try {
    const word = await keyCheckIn(db, 'settings').recall();
    // A database that no service has used yet has nothing that is sealed, and no key.
    const keys = word === null ? null : readKeyFile(config.keyFile, needOf(word)).ring.keys;
    return [...(await findViolations(db, keys)), ...(await outsidePool(db, config))];
  } finally {
    await db.close();
  }
};

/** The service would not start. */
const outsidePool = async (db: Db, { vlans }: Config): Promise<Violation[]> => {
  const pool = vlanPool(vlans);
  const networks = await db.read((tx) =>
    tx.selectFrom('networks').select(['label', 'vlan']).where('vlan_is_assigned', '=', 0).orderBy('label').execute(),
  );
  return networks
    .filter(({ vlan }) => !pool.has(vlan))
    .map(({ label, vlan }) => ({
      rule: 'the pool (setting vlans) holds the ids it gave',
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
  summary: 'looks whether everything in the database fits together',
  help: `Looks at what constraints cannot express, at the state of the database itself, and whether the key
file opens what is sealed. Changes nothing; the service may run. Exit code 0: nothing was found, 1:
something was.

  --json  {"violations": [{"rule": …, "what": …}]}`,
  example: 'corral-admin check',
  options: { json: { type: 'boolean' } },
  operands: 0,
  run: async ({ config, terminal, options }) => {
    const violations = await check(config());
    if (options['json'] === true) terminal.out(lines(JSON.stringify({ violations }, null, 2)));
    else if (violations.length === 0) terminal.out(lines('Everything in the database fits together.'));
    else terminal.out(table(violations) + lines('', `${counted(violations.length, 'violation')} found.`));
    return violations.length === 0 ? 0 : 1;
  },
};
