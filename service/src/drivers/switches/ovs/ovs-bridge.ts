import { oneLine } from '../device-text.ts';
import { identityIn } from './ovs-identity.ts';
import { isRecord, type Operation, type OvsdbTransactions, unexpected } from './ovsdb.ts';
import type { VlanColumns } from './ovs-vlans.ts';

/** A port of a bridge, as the database has it. */
export interface BridgePort {
  readonly uuid: string;
  readonly name: string;
  readonly columns: VlanColumns;
  /** Its interfaces: one, or several of a bond. */
  readonly interfaces: readonly string[];
  /** The mirror that sends its copies to this port, if one does. */
  readonly mirror: string | null;
  /** Mirrors of the bridge that send their copies into a VLAN, by that VLAN. */
  readonly mirroredVlans: ReadonlyMap<number, string>;
}

/** A bridge at one moment. */
export interface Bridge {
  readonly ports: ReadonlyMap<string, BridgePort>;
  /** The newest configuration asked for, and the one that the switch has applied. */
  readonly wanted: number;
  readonly applied: number;
  /** OpenFlow numbers that interfaces have, or want. */
  readonly numbers: ReadonlySet<number>;
  /** Which bridge of which Open vSwitch it is; null: it does not say. */
  readonly identity: string | null;
}

const portColumns = ['_uuid', 'name', 'vlan_mode', 'tag', 'trunks', 'cvlans', 'protected', 'interfaces'];

/** Reads the named ports of a bridge, those that it has, or all of them. */
export const readBridge = async (
  ovsdb: OvsdbTransactions,
  bridge: string,
  names: readonly string[] | 'all',
  signal: AbortSignal,
): Promise<Bridge> => {
  const ports = (where: readonly unknown[]) => select('Port', where, portColumns);
  const answer = await ovsdb.transact(
    [
      select('Bridge', [['name', '==', bridge]], ['_uuid', 'ports', 'controller', 'fail_mode', 'mirrors']),
      select('Open_vSwitch', [], ['next_cfg', 'cur_cfg', 'external_ids']),
      select('Mirror', [], ['_uuid', 'name', 'output_port', 'output_vlan']),
      select('Interface', [], ['ofport', 'ofport_request']),
      ...(names === 'all' ? [ports([])] : names.map((name) => ports([['name', '==', name]]))),
    ],
    signal,
  );
  if (!answer.committed) throw new Error(`the database cannot be read: ${answer.reason}`);
  const [bridges, switches, mirrors, interfaces, ...found] = answer.results.map(rowsOf);
  const row = bridges?.[0];
  const root = switches?.[0];
  if (row === undefined || root === undefined) throw new Error(`the Open vSwitch has no bridge ${bridge}`);
  if (atoms(row['controller']).length > 0) {
    throw new Error(
      `bridge ${bridge} has an OpenFlow controller: its flows, not the VLANs of the ports, decide what passes; remove it`,
    );
  }
  if (atoms(row['fail_mode']).includes('secure')) {
    throw new Error(
      `bridge ${bridge} has fail_mode=secure: flows that somebody added, not the VLANs of the ports, decide what passes; clear it`,
    );
  }
  const own = new Set(atoms(row['ports']).map(uuid));
  const copying = new Set(atoms(row['mirrors']).map(uuid));
  const ownMirrors = (mirrors ?? []).filter((mirror) => copying.has(uuid(mirror['_uuid'])));
  const watched = mirroredTo(ownMirrors);
  const vlans = mirroredVlans(ownMirrors);
  const all = found.flat().map((port) => portOf(port, watched, vlans));
  return {
    ports: new Map(all.filter((port) => own.has(port.uuid)).map((port) => [port.name, port])),
    wanted: integer(root['next_cfg']),
    applied: integer(root['cur_cfg']),
    identity: identityIn(root, row, bridge),
    numbers: new Set(
      (interfaces ?? []).flatMap(({ ofport, ofport_request: wanted }) =>
        [...atoms(ofport), ...atoms(wanted)].map(integer),
      ),
    ),
  };
};

/** Which Open vSwitch it is; null: it does not say. */
export const ovsVersion = async (ovsdb: OvsdbTransactions, signal: AbortSignal): Promise<string | null> => {
  const answer = await ovsdb.transact([select('Open_vSwitch', [], ['ovs_version'])], signal);
  const row = answer.committed ? rowsOf(answer.results[0] ?? {})[0] : undefined;
  const version = row?.['ovs_version'];
  return typeof version === 'string' ? `Open vSwitch ${oneLine(version)}` : null;
};

/** The ports of a bridge by the OpenFlow numbers of their interfaces, which are those of this bridge only. */
export const portNumbers = async (
  ovsdb: OvsdbTransactions,
  bridge: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, string>> => {
  const answer = await ovsdb.transact(
    [
      select('Bridge', [['name', '==', bridge]], ['ports']),
      select('Port', [], ['_uuid', 'name', 'interfaces']),
      select('Interface', [], ['_uuid', 'ofport']),
    ],
    signal,
  );
  if (!answer.committed) throw new Error(`the database cannot be read: ${answer.reason}`);
  const [bridges = [], ports = [], interfaces = []] = answer.results.map(rowsOf);
  const own = new Set(bridges.flatMap((row) => atoms(row['ports'])).map(uuid));
  const names = new Map(
    ports
      .filter((port) => own.has(uuid(port['_uuid'])))
      .flatMap((port) => atoms(port['interfaces']).map((each): [string, string] => [uuid(each), text(port['name'])])),
  );
  return new Map(
    interfaces.flatMap((row) => {
      const name = names.get(uuid(row['_uuid']));
      return name === undefined ? [] : atoms(row['ofport']).map((number): [number, string] => [integer(number), name]);
    }),
  );
};

export const select = (table: string, where: readonly unknown[], columns: readonly string[]): Operation => ({
  op: 'select',
  table,
  where,
  columns,
});

export const rowsOf = ({ rows }: Readonly<Record<string, unknown>>): Record<string, unknown>[] => {
  if (!Array.isArray(rows) || !rows.every(isRecord)) throw unexpected(rows);
  return rows;
};

type Row = Readonly<Record<string, unknown>>;

const portOf = (row: Row, watched: ReadonlyMap<string, string>, vlans: ReadonlyMap<number, string>): BridgePort => {
  const id = uuid(row['_uuid']);
  return {
    uuid: id,
    name: text(row['name']),
    columns: {
      vlan_mode: atoms(row['vlan_mode']).map(text)[0] ?? null,
      tag: atoms(row['tag']).map(integer)[0] ?? null,
      trunks: atoms(row['trunks']).map(integer),
      cvlans: atoms(row['cvlans']).map(integer),
      protected: flag(row['protected']),
    },
    interfaces: atoms(row['interfaces']).map(uuid),
    mirror: watched.get(id) ?? null,
    mirroredVlans: vlans,
  };
};

const mirroredTo = (mirrors: readonly Row[]): ReadonlyMap<string, string> =>
  new Map(
    mirrors.flatMap((mirror) =>
      atoms(mirror['output_port']).map((port): [string, string] => [uuid(port), text(mirror['name'])]),
    ),
  );

const mirroredVlans = (mirrors: readonly Row[]): ReadonlyMap<number, string> =>
  new Map(
    mirrors.flatMap((mirror) =>
      atoms(mirror['output_vlan']).map((vlan): [number, string] => [integer(vlan), text(mirror['name'])]),
    ),
  );

/** A column that holds a set is written as its only member, or as `["set", members]`. */
const atoms = (value: unknown): readonly unknown[] => {
  if (!Array.isArray(value) || value[0] !== 'set') return [value];
  const members: unknown = value[1];
  if (!Array.isArray(members)) throw unexpected(value);
  return members;
};

const uuid = (value: unknown): string => {
  if (!Array.isArray(value) || value[0] !== 'uuid') throw unexpected(value);
  return text(value[1]);
};

const text = (value: unknown): string => {
  if (typeof value !== 'string') throw unexpected(value);
  return value;
};

export const integer = (value: unknown): number => {
  if (typeof value !== 'number' || !Number.isInteger(value)) throw unexpected(value);
  return value;
};

const flag = (value: unknown): boolean => {
  if (typeof value !== 'boolean') throw unexpected(value);
  return value;
};
