import type { PortConfig } from '../contract.ts';
import { adminStatesIn, type PortTable, tablesIn } from './dell-tables.ts';
import { portNamer } from './port-names.ts';
import { everything } from '../vlans.ts';

/** Ports of Dell's older switches, in the short names that existing clients use. */
export const dellPortName = portNamer({ gi: 'gi', te: 'te' }, 'gi1/0/5');

/** A port that passes whatever comes, or whose mode is none that we set: never to be trusted. */
export const passesAll = (port: string): PortConfig => ({ port, ...everything });

/** What passes of these VLANs if this one of them goes without a tag. */
export const passing = (port: string, native: number | null, vlans: readonly number[]): PortConfig => ({
  port,
  native: native !== null && vlans.includes(native) ? native : null,
  tagged: vlans.filter((vlan) => vlan !== native),
});

/** What both commands together say about every port: the first tells the VLANs, the second who is shut. */
export const dellRead = (nameKey: string, openPort: (table: PortTable, port: string) => PortConfig) => ({
  one: (port: string) => [`show interfaces switchport ${port}`, `show interfaces configuration ${port}`],
  all: ['show interfaces switchport', 'show interfaces configuration'],
  parse: (text: string): readonly PortConfig[] => {
    const admin = adminStatesIn(text, portNamed);
    return tablesIn(text, nameKey).flatMap((table) => {
      const port = portNamed(table.name);
      if (port === null) return [];
      switch (admin.get(port)) {
        case 'Up':
          return [openPort(table, port)];
        case 'Down':
          return [{ port, native: null, tagged: [] }];
        case 'absent':
          return [];
        default:
          throw new Error(`the switch does not tell whether port ${port} is shut`);
      }
    });
  },
});

const portNamed = (name: string): string | null => {
  const port = dellPortName(name);
  return typeof port === 'string' ? port : null;
};
