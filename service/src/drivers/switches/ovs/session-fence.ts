import { OldSession, type Permit } from '../switch-contract.ts';
import { rowsOf, select } from './ovs-bridge.ts';
import { type Operation, type OvsdbTransactions, unexpected } from './ovsdb.ts';

/** Others keep things in the same column, and may change it between our reading and our writing. */
const tries = 5;

/**
 * Makes ours the newest session of the bridge. From then on the database refuses what an earlier one sent, however
 * late it arrives: every write of ours is on the condition that its session is still the newest.
 */
export const becomeNewest = async (
  ovsdb: OvsdbTransactions,
  bridge: string,
  permit: Permit,
  signal: AbortSignal,
): Promise<void> => {
  const key = keyOf(permit);
  for (let left = tries; left > 0; left -= 1) {
    const { external_ids: found } = await bridgeRow(ovsdb, bridge, signal);
    const seen = numberIn(found, key);
    if (seen >= permit.number) throw new OldSession(permit.number, seen);
    const answer = await ovsdb.transact(
      [
        ifUnchanged('Bridge', [['name', '==', bridge]], { external_ids: found }),
        {
          op: 'mutate',
          table: 'Bridge',
          where: [['name', '==', bridge]],
          mutations: [
            ['external_ids', 'delete', ['set', [key]]],
            ['external_ids', 'insert', ['map', [[key, String(permit.number)]]]],
          ],
        },
      ],
      signal,
    );
    if (answer.committed) return;
    if (answer.operation !== 0) throw new Error(`the database refuses to record this session: ${answer.reason}`);
  }
  throw new Error(`the external_ids of bridge ${bridge} keep being changed by other clients`);
};

/** Fails the transaction unless ours is the newest session of the bridge. */
export const ifNewest = (bridge: string, permit: Permit): Operation => {
  const own = ['external_ids', 'includes', ['map', [[keyOf(permit), String(permit.number)]]]];
  return ifUnchanged('Bridge', [['name', '==', bridge], own], { name: bridge });
};

/** Fails the transaction unless the one row that is meant has these values. */
export const ifUnchanged = (
  table: string,
  where: readonly unknown[],
  row: Readonly<Record<string, unknown>>,
): Operation => ({ op: 'wait', timeout: 0, table, where, columns: Object.keys(row), until: '==', rows: [row] });

const keyOf = ({ installation }: Permit): string => `corral-session-${installation}`;

const bridgeRow = async (
  ovsdb: OvsdbTransactions,
  bridge: string,
  signal: AbortSignal,
): Promise<Record<string, unknown>> => {
  const answer = await ovsdb.transact([select('Bridge', [['name', '==', bridge]], ['external_ids'])], signal);
  if (!answer.committed) throw new Error(`the database cannot be read: ${answer.reason}`);
  const row = rowsOf(answer.results[0] ?? {})[0];
  if (row === undefined) throw new Error(`the Open vSwitch has no bridge ${bridge}`);
  return row;
};

/** 0 if nobody was there before us, or somebody made it something else. */
const numberIn = (map: unknown, key: string): number => {
  const pairs: unknown = Array.isArray(map) && map[0] === 'map' ? map[1] : null;
  if (!Array.isArray(pairs)) throw unexpected(map);
  const found: unknown = pairs.find((pair: unknown) => Array.isArray(pair) && pair[0] === key);
  const value = Number(Array.isArray(found) ? found[1] : 0);
  return Number.isSafeInteger(value) ? value : 0;
};
