import { nameOrNull, type Refusal } from '../switch-contract.ts';
import { unclear } from '../vlan-lists.ts';
import type { Section } from './config-sections.ts';
import type { ShownPort } from './dialect.ts';
import type { Mirrors } from './port-mirrors.ts';

/** What is known of the ports of a switch beside their own blocks. */
interface Beside {
  readonly mirrors: Mirrors;
  /** Names of interfaces, subinterfaces among them, that are not in `sections`. */
  readonly interfaces?: readonly string[];
}

/**
 * The ports among these blocks, each read by `read`. A subinterface counts to its port, and so does a mirror that sends
 * copies to it.
 */
export const portsFrom = (
  sections: readonly Section[],
  portName: (name: string) => string | Refusal,
  read: (section: Section, port: string) => ShownPort,
  { mirrors, interfaces = [] }: Beside,
): readonly ShownPort[] => {
  const named = (name: string): string | null => nameOrNull(portName(name));
  const inside = new Map<string, string>();
  for (const name of [...sections.map((section) => section.name), ...interfaces]) {
    const parent = named(/^(.+)\.\d+$/.exec(name)?.[1] ?? '');
    if (parent !== null) inside.set(parent, `interface ${name}`);
  }
  return sections.flatMap((section) => {
    const port = named(section.name);
    if (port === null) return [];
    const strange = inside.get(port) ?? mirrors.ports.get(port) ?? mirrors.unread;
    return [strange === null ? read(section, port) : withStrange(read(section, port), strange)];
  });
};

/** A port with something on it that its own block does not show. One that is shut passes nothing in any case. */
const withStrange = (state: ShownPort, strange: string): ShownPort =>
  state.isShut ? { ...state, foreign: strange } : { ...state, ...unclear(strange), foreign: strange };
