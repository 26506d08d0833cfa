/*
 * The rack as it is bolted together: three switches, forty machines, and which nic is in which port. Plain
 * data, made by counting.
 */

interface RackNic {
  readonly label: string;
  readonly macaddr: string;
  readonly switch: string;
  readonly port: string;
}

export interface RackNode {
  readonly label: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly nics: readonly RackNic[];
}

export interface Rack {
  readonly switches: readonly string[];
  readonly nodes: readonly RackNode[];
}

const nodesPerRack = 20;
const racks = 2;
const unitsPerNode = 2;
/** How many nics the machines have, in turn. */
const nicCounts = [2, 2, 3, 4];
/** The first two nics go to the switch on top of the machine's own rack, the others to the storage switch. */
const nicsOnTop = 2;
const storageSwitch = 'storage';

const models = [
  { cpu: '2 x 16 cores', memory: '128 GiB' },
  { cpu: '2 x 32 cores', memory: '256 GiB' },
  { cpu: '2 x 32 cores', memory: '512 GiB' },
  { cpu: '2 x 64 cores', memory: '1 TiB', gpu: '4 x 80 GiB' },
];

const twoDigits = (value: number): string => String(value).padStart(2, '0');
const twoHexDigits = (value: number): string => value.toString(16).padStart(2, '0');
const turn = <T>(list: readonly T[], index: number): T | undefined => list[index % list.length];

/** Wires the whole rack. Every nic gets the next port of its switch. */
export const demoRack = (): Rack => {
  const used = new Map<string, number>();
  const nextPort = (onSwitch: string): string => {
    const port = (used.get(onSwitch) ?? 0) + 1;
    used.set(onSwitch, port);
    return `${onSwitch === storageSwitch ? 'te' : 'gi'}1/0/${port}`;
  };
  const nodes = Array.from({ length: racks * nodesPerRack }, (_, index): RackNode => {
    const rack = 1 + Math.floor(index / nodesPerRack);
    const slot = 1 + (index % nodesPerRack);
    const nics = Array.from({ length: turn(nicCounts, index) ?? nicsOnTop }, (_unused, nic): RackNic => {
      const onSwitch = nic < nicsOnTop ? `tor-${rack}` : storageSwitch;
      return {
        label: `eth${nic}`,
        macaddr: `02:c0:44:${[rack, slot, nic].map(twoHexDigits).join(':')}`,
        switch: onSwitch,
        port: nextPort(onSwitch),
      };
    });
    const place = { rack: `r${rack}`, unit: String(1 + (slot - 1) * unitsPerNode), height: String(unitsPerNode) };
    return { label: `node-${twoDigits(index + 1)}`, metadata: { ...place, ...turn(models, index) }, nics };
  });
  return { switches: ['tor-1', 'tor-2', storageSwitch], nodes };
};
