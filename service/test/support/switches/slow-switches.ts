import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import type { PortConfig, SwitchDriver, SwitchSession } from '../../../src/drivers/switches/switch-contract.ts';

/*
 * An extension, named in the configuration like any other: a type of switch whose line loses the first write to each
 * port, and delivers it so many milliseconds after the port was freed. It remembers its ports by its label.
 */

/** The setting that plugs it in. */
export const slowSwitches = { CORRAL_EXTENSIONS: fileURLToPath(import.meta.url) };

const memory = new Map<string, PortConfig>();
/** The first write to each port; null: it is delivered, or about to be. */
const lost = new Map<string, PortConfig | null>();

const sessionOf = (label: string, lateMs: number): SwitchSession => {
  const key = (port: string): string => `${label} ${port}`;
  const write = (ports: readonly PortConfig[]): void => {
    for (const state of ports) {
      memory.set(key(state.port), state);
      const late = lost.get(key(state.port));
      if (!late || state.native !== null) continue;
      // Once: what arrives was sent once.
      lost.set(key(late.port), null);
      setTimeout(() => memory.set(key(late.port), late), lateMs).unref();
    }
  };
  return {
    apply: async (ports, signal) => {
      const first = ports.filter(({ port }) => !lost.has(key(port)));
      for (const state of first) lost.set(key(state.port), state);
      if (first.length > 0) await sleep(60_000, undefined, { signal });
      write(ports);
      return ports.map(({ port }) => ({ port, applied: true as const }));
    },
    read: (ports) => Promise.resolve(ports.map((port) => memory.get(key(port)) ?? { port, native: null, tagged: [] })),
    close: () => Promise.resolve(),
  };
};

/** @public The service takes it from the module that the setting names. */
export const switches: Readonly<Record<string, SwitchDriver>> = {
  slow: {
    config: Type.Object({ late_ms: Type.Integer() }, { additionalProperties: false }),
    capabilities: [],
    portName: (name) => name,
    open: ({ label, config }) => Promise.resolve(sessionOf(label, Number(config['late_ms']))),
  },
};
