import { fileURLToPath } from 'node:url';
import { Type } from '@sinclair/typebox';
import type { PortConfig, SwitchDriver } from '../../../src/drivers/switches/switch-contract.ts';

/*
 * An extension, named in the configuration like any other: two types of switch that refuse some of what a
 * mock switch takes. They remember their ports by hostname, for as long as the process lives.
 */

/** The setting that plugs these in. */
export const pickySwitches = { CORRAL_EXTENSIONS: fileURLToPath(import.meta.url) };

const memory = new Map<string, PortConfig>();

const remembering: SwitchDriver = {
  config: Type.Object({ hostname: Type.String() }, { additionalProperties: false }),
  capabilities: [],
  portName: (name) => name,
  open: ({ config }) => {
    const name = String(config['hostname']);
    return Promise.resolve({
      apply: (ports) => {
        for (const state of ports) memory.set(`${name} ${state.port}`, state);
        return Promise.resolve(ports.map(({ port }) => ({ port, applied: true as const })));
      },
      read: (ports) =>
        Promise.resolve(ports.map((port) => memory.get(`${name} ${port}`) ?? { port, native: null, tagged: [] })),
      close: () => Promise.resolve(),
    });
  },
};

/** @public The service takes it from the module that the setting names. */
export const switches: Readonly<Record<string, SwitchDriver>> = {
  /** Carries tagged networks only beside an untagged one, and gives up the untagged one last. */
  native_first: {
    ...remembering,
    refuse: ({ native, tagged }, { kind, channel }) => {
      if (kind === 'connect' && channel !== 'vlan/native' && native === null) {
        return { refused: 'this switch needs a native network first' };
      }
      return kind === 'detach' && channel === 'vlan/native' && tagged.length > 0
        ? { refused: 'this switch needs its native network until the tagged ones are gone' }
        : null;
    },
  },
  /** Has ports called gi and a path, in any case. */
  gigabit: {
    ...remembering,
    portName: (name) =>
      /^gi[\d/]+$/i.test(name) ? name.toLowerCase() : { refused: 'expected a port such as gi1/0/11' },
  },
};
