import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Hypervisor, MachineSpec } from './hypervisor-contract.ts';

interface Machine extends MachineSpec {
  readonly vncPort: number | null;
}

const firstVncPort = 5900;

/** Pretends to run headnodes. What it runs is kept in a file, so that a restart of the service finds it again. */
export const mockHypervisor = (images: readonly string[], file: string): Hypervisor => {
  const load = (): Map<string, Machine> => {
    try {
      return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Machine>));
    } catch {
      return new Map();
    }
  };
  const store = (machines: ReadonlyMap<string, Machine>): void => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, JSON.stringify(Object.fromEntries(machines)));
    renameSync(`${file}.new`, file);
  };
  const freePort = (machines: ReadonlyMap<string, Machine>): number => {
    const used = new Set([...machines.values()].map(({ vncPort }) => vncPort));
    let port = firstVncPort;
    while (used.has(port)) port += 1;
    return port;
  };

  return {
    images: () => Promise.resolve(images),
    start: (machine) => {
      const machines = load();
      const vncPort = machines.get(machine.uuid)?.vncPort ?? freePort(machines);
      store(machines.set(machine.uuid, { ...machine, vncPort }));
      return Promise.resolve();
    },
    stop: (uuid) => {
      const machines = load();
      const machine = machines.get(uuid);
      if (machine) store(machines.set(uuid, { ...machine, vncPort: null }));
      return Promise.resolve();
    },
    remove: (uuid) => {
      const machines = load();
      if (machines.delete(uuid)) store(machines);
      return Promise.resolve();
    },
    vnc: (uuid) => {
      const port = load().get(uuid)?.vncPort ?? null;
      return Promise.resolve(port === null ? null : { host: '127.0.0.1', port });
    },
    machines: () => Promise.resolve([...load().keys()]),
  };
};
