import { nameOrNull, type PortConfig } from '../switch-contract.ts';
import { type DellConfig, dellConfigIn } from './dell-config.ts';
import { dellPortName } from './dell-names.ts';
import { adminStatesIn, type PortTable, tablesIn } from './dell-tables.ts';
import type { ShownPort } from './dialect.ts';
import { unclear } from '../vlan-lists.ts';

/** A port that passes whatever comes, or whose mode is none that we set: never to be trusted. */
export const passesAll = (port: string, words: string): ShownPort => ({ port, ...unclear(words) });

/** What passes of these VLANs if this one of them goes without a tag. */
export const passing = (port: string, native: number | null, vlans: readonly number[]): PortConfig => ({
  port,
  native: native !== null && vlans.includes(native) ? native : null,
  tagged: vlans.filter((vlan) => vlan !== native),
});

/**
 * What three commands together say about every port: the first tells the VLANs, the second who is shut, and the whole
 * configuration what else is on a port.
 */
export const dellRead = (nameKey: string, openPort: (table: PortTable, port: string) => ShownPort) => ({
  one: (port: string) => [
    `show interfaces switchport ${port}`,
    `show interfaces configuration ${port}`,
    'show running-config',
  ],
  all: ['show interfaces switchport', 'show interfaces configuration', 'show running-config'],
  parse: ([tables = '', rows = '', running = '']: readonly string[]): readonly ShownPort[] => {
    const admin = adminStatesIn(rows, portNamed);
    const config = dellConfigIn(running);
    return tablesIn(tables, nameKey).flatMap((table) => {
      const port = portNamed(table.name);
      if (port === null) return [];
      switch (admin.get(port)) {
        case 'Up':
          return [unlessStrange(openPort(table, port), config)];
        case 'Down':
          return [{ port, native: null, tagged: [], isShut: true, ...foreignIn(port, config) }];
        case 'absent':
          return [];
        default:
          throw new Error(`the switch does not show whether port ${port} is shut`);
      }
    });
  },
});

const unlessStrange = (state: ShownPort, config: DellConfig): ShownPort => {
  const { foreign } = foreignIn(state.port, config);
  return foreign === undefined ? state : { ...passesAll(state.port, foreign), foreign };
};

const foreignIn = (port: string, { blocks, mirrors }: DellConfig): { readonly foreign?: string } => {
  const foreign = blocks.get(port)?.strange ?? mirrors.ports.get(port) ?? mirrors.unread;
  return foreign === null ? {} : { foreign };
};

const portNamed = (name: string): string | null => nameOrNull(dellPortName(name));
