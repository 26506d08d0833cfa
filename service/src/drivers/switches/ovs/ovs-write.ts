import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { PortConfig } from '../switch-contract.ts';
import { type BridgePort, integer, rowsOf, select } from './ovs-bridge.ts';
import { ifUnchanged } from './session-fence.ts';
import type { Operation, OvsdbTransactions } from './ovsdb.ts';
import { columnsFor, type VlanColumns } from './ovs-vlans.ts';

/** One port, and what it is to carry. */
export interface Write {
  readonly port: BridgePort;
  readonly state: PortConfig;
}

/**
 * What became of a pass: the number of the configuration that has it (null: nothing was written), and who was refused.
 */
export interface Written {
  readonly configuration: number | null;
  readonly refused: ReadonlyMap<string, string>;
}

/**
 * Writes all ports in one transaction, on these conditions, and on the condition that each port is still what it was
 * when it was read. If the database refuses one of them it says which: that one is left out, and the others are
 * written without it.
 */
export const writePorts = async (
  ovsdb: OvsdbTransactions,
  conditions: readonly Operation[],
  writes: readonly Write[],
  numbers: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<Written | 'changed meanwhile'> => {
  const refused = new Map<string, string>();
  let left = writes;
  while (left.length > 0) {
    const before = [...conditions, ...left.map(({ port }) => ifUnchanged('Port', rowOf(port), valuesOf(port.columns)))];
    const changes = [...left.map(update), ...renumbered(left, numbers), ...nextConfiguration];
    const answer = await ovsdb.transact([...before, ...changes], signal);
    if (answer.committed) {
      for (const [index, { port }] of left.entries()) {
        if (answer.results[before.length + index]?.['count'] !== 1)
          refused.set(port.name, `port ${port.name} has just been removed`);
      }
      return { configuration: configurationIn(answer.results), refused };
    }
    if (answer.operation < conditions.length)
      throw new Error('a later session controls the switch: this one must not write');
    if (answer.operation < before.length) return 'changed meanwhile';
    const culprit = left[answer.operation - before.length];
    if (culprit === undefined) throw new Error(`the database refuses the change: ${answer.reason}`);
    refused.set(culprit.port.name, `the database refuses the change of port ${culprit.port.name}: ${answer.reason}`);
    left = left.filter((write) => write !== culprit);
  }
  return { configuration: null, refused };
};

/** Waits until the switch has applied this configuration, or a later one: the database alone forwards nothing. */
export const untilApplied = async (
  ovsdb: OvsdbTransactions,
  configuration: number,
  signal: AbortSignal,
): Promise<void> => {
  const behind = [['cur_cfg', '<', configuration]];
  const wait = { op: 'wait', table: 'Open_vSwitch', where: behind, columns: ['cur_cfg'], until: '==', rows: [] };
  const answer = await ovsdb.transact([wait], signal);
  if (!answer.committed) throw new Error(`the switch does not apply its configuration: ${answer.reason}`);
};

/**
 * Waits until the switch has applied all that is stored now. Others may have stored something without a number to wait
 * for (`ovs-vsctl --no-wait`), while the switch had lost the line to its database and went on as before.
 */
export const untilAllApplied = async (ovsdb: OvsdbTransactions, signal: AbortSignal): Promise<void> => {
  const answer = await ovsdb.transact(nextConfiguration, signal);
  if (!answer.committed) throw new Error(`the database refuses to apply the change: ${answer.reason}`);
  await untilApplied(ovsdb, configurationIn(answer.results), signal);
};

const configurationIn = (results: readonly Readonly<Record<string, unknown>>[]): number =>
  integer(rowsOf(results.at(-1) ?? {})[0]?.['next_cfg']);

const nextConfiguration: readonly Operation[] = [
  { op: 'mutate', table: 'Open_vSwitch', where: [], mutations: [['next_cfg', '+=', 1]] },
  select('Open_vSwitch', [], ['next_cfg']),
];

const update = ({ port, state }: Write): Operation => ({
  op: 'update',
  table: 'Port',
  where: rowOf(port),
  row: valuesOf(columnsFor(state)),
});

/** Numbers that OpenFlow has for ports are 1 to 65279; switches give them from 1 on. */
const freshNumbers = { first: 10_000, last: 65_000 };

/**
 * Gives the interfaces of ports that change other numbers, for which the switch removes the port and creates it again.
 * One that is changed in place is a danger to all: Open vSwitch (seen in 3.1.0) frees the old lists of VLANs while it
 * still looks them up, and for some milliseconds frames of any VLAN pass (2,120 wrong frames in 916 changes by
 * ovs-vsctl alone, of hosts that send from ever new addresses; none in 330 with new numbers).
 */
const renumbered = (writes: readonly Write[], numbers: ReadonlySet<number>): readonly Operation[] => {
  const used = new Set(numbers);
  const fresh = (): number => {
    const number = randomInt(freshNumbers.first, freshNumbers.last);
    if (used.has(number)) return fresh();
    used.add(number);
    return number;
  };
  return writes
    .filter(({ port, state }) => !isDeepStrictEqual(valuesOf(port.columns), valuesOf(columnsFor(state))))
    .flatMap(({ port }) => port.interfaces)
    .map((uuid) => ({
      op: 'update',
      table: 'Interface',
      where: [['_uuid', '==', ['uuid', uuid]]],
      row: { ofport_request: fresh() },
    }));
};

const rowOf = ({ uuid }: BridgePort): readonly unknown[] => [['_uuid', '==', ['uuid', uuid]]];

const valuesOf = ({ vlan_mode, tag, trunks, cvlans, protected: isProtected }: VlanColumns) => ({
  vlan_mode: vlan_mode ?? ['set', []],
  tag: tag ?? ['set', []],
  trunks: ['set', trunks],
  cvlans: ['set', cvlans],
  protected: isProtected,
});
