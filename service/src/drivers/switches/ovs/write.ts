import type { PortConfig } from '../contract.ts';
import { type BridgePort, integer, rowsOf, select } from './bridge.ts';
import type { Operation, Ovsdb } from './ovsdb.ts';
import { columnsFor } from './vlans.ts';

/** One port, and what it is to carry. */
export interface Write {
  readonly port: BridgePort;
  readonly state: PortConfig;
}

/** What became of a pass: the number of the configuration that has it (null: nothing was written), and who was refused. */
export interface Written {
  readonly configuration: number | null;
  readonly refused: ReadonlyMap<string, string>;
}

/**
 * Writes all ports in one transaction. If the database refuses one of them it says which: that one is left out,
 * and the others are written without it.
 */
export const writePorts = async (ovsdb: Ovsdb, writes: readonly Write[], signal: AbortSignal): Promise<Written> => {
  const refused = new Map<string, string>();
  let left = writes;
  while (left.length > 0) {
    const answer = await ovsdb.transact([...left.map(update), ...nextConfiguration], signal);
    if (answer.committed) {
      for (const [index, { port }] of left.entries()) {
        if (answer.results[index]?.['count'] !== 1) refused.set(port.name, `port ${port.name} has just been removed`);
      }
      return { configuration: configurationIn(answer.results), refused };
    }
    const culprit = left[answer.operation];
    if (culprit === undefined) throw new Error(`the database refuses the change: ${answer.reason}`);
    refused.set(culprit.port.name, `the database refuses the change of port ${culprit.port.name}: ${answer.reason}`);
    left = left.filter((write) => write !== culprit);
  }
  return { configuration: null, refused };
};

/** Waits until the switch has applied this configuration, or a later one: the database alone forwards nothing. */
export const untilApplied = async (ovsdb: Ovsdb, configuration: number, signal: AbortSignal): Promise<void> => {
  const behind = [['cur_cfg', '<', configuration]];
  const wait = { op: 'wait', table: 'Open_vSwitch', where: behind, columns: ['cur_cfg'], until: '==', rows: [] };
  const answer = await ovsdb.transact([wait], signal);
  if (!answer.committed) throw new Error(`the switch does not apply its configuration: ${answer.reason}`);
};

/**
 * Waits until the switch has applied all that is stored now. Others may have stored something without a number to wait
 * for (`ovs-vsctl --no-wait`), while the switch had lost the line to its database and went on as before.
 */
export const untilAllApplied = async (ovsdb: Ovsdb, signal: AbortSignal): Promise<void> => {
  const answer = await ovsdb.transact(nextConfiguration, signal);
  if (!answer.committed) throw new Error(`the database refuses to be applied: ${answer.reason}`);
  await untilApplied(ovsdb, configurationIn(answer.results), signal);
};

const configurationIn = (results: readonly Readonly<Record<string, unknown>>[]): number =>
  integer(rowsOf(results.at(-1) ?? {})[0]?.['next_cfg']);

const nextConfiguration: readonly Operation[] = [
  { op: 'mutate', table: 'Open_vSwitch', where: [], mutations: [['next_cfg', '+=', 1]] },
  select('Open_vSwitch', [], ['next_cfg']),
];

const update = ({ port, state }: Write): Operation => {
  const { vlan_mode, tag, trunks, cvlans, protected: isProtected } = columnsFor(state);
  return {
    op: 'update',
    table: 'Port',
    where: [['_uuid', '==', ['uuid', port.uuid]]],
    row: {
      vlan_mode: vlan_mode ?? ['set', []],
      tag: tag ?? ['set', []],
      trunks: ['set', trunks],
      cvlans: ['set', cvlans],
      protected: isProtected,
    },
  };
};
