import { type Corral, NotFoundError } from '../../index.ts';
import type { ServiceState } from './service-state.ts';
import { runParallel } from './run-parallel.ts';
import type { DesiredState } from './desired-state.ts';

/** A nic, by its labels. */
export interface NicName {
  readonly node: string;
  readonly nic: string;
}

/** One port, by its labels. */
export interface PortName {
  readonly switch: string;
  readonly port: string;
}

/**
 * Which ports the service has, and what is plugged into each. Drivers know a port by several spellings, so one that
 * seems to be missing is asked for.
 */
export interface PortIndex {
  has(port: PortName): boolean;
  nicOn(port: PortName): NicName | null;
  /** Does the document spell a port of this switch otherwise than the service does? */
  isSpelledOtherwise(label: string): boolean;
}

const keyOf = ({ switch: label, port }: PortName): string => JSON.stringify([label, port]);

export const readPorts = async (
  corral: Corral,
  desired: DesiredState,
  state: ServiceState,
  signal: AbortSignal,
): Promise<PortIndex> => {
  const known = new Map<string, NicName | null>();
  for (const [label, { ports }] of state.switches) {
    for (const port of ports) known.set(keyOf({ switch: label, port }), null);
  }
  for (const [node, { nics }] of state.nodes) {
    for (const [nic, { on }] of nics) if (on) known.set(keyOf(on), { node, nic });
  }
  const otherwise = new Set<string>();
  const strange = desiredPorts(desired).filter((port) => state.switches.has(port.switch) && !known.has(keyOf(port)));
  await runParallel(strange, signal, async (port) => {
    const shown = await corral.showPort(port, { signal }).catch((error: unknown) => {
      if (error instanceof NotFoundError) return null;
      throw error;
    });
    if (shown === null) return;
    otherwise.add(port.switch);
    known.set(keyOf(port), shown.node === undefined ? null : { node: shown.node, nic: shown.nic ?? '' });
  });
  return {
    has: (port) => known.has(keyOf(port)),
    nicOn: (port) => known.get(keyOf(port)) ?? null,
    isSpelledOtherwise: (label) => otherwise.has(label),
  };
};

/** Every port that a document names, each once. */
const desiredPorts = ({ switches, nodes }: DesiredState): readonly PortName[] => {
  const named = new Map<string, PortName>();
  const add = (port: PortName): void => void named.set(keyOf(port), { switch: port.switch, port: port.port });
  for (const [label, { ports }] of switches ?? []) for (const port of ports?.keys() ?? []) add({ switch: label, port });
  for (const { nics } of nodes?.values() ?? []) for (const { on } of nics.values()) if (on) add(on);
  return [...named.values()];
};
