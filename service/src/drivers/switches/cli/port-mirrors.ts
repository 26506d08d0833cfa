import type { Refusal } from '../switch-contract.ts';
import { oneLine } from '../device-text.ts';
import { UnusableAnswer } from './config-sections.ts';

/** Which ports get copies of other ports' frames; `unread` is a line that may name any port. */
export interface Mirrors {
  readonly ports: ReadonlyMap<string, string>;
  readonly unread: string | null;
}

/** Places for copies that are no port of a node. */
const elsewhere = /^(?:remote vlan \d+|cpu|(?:interface )?(?:port-channel|tunnel)\b)/i;

/** The destinations in `monitor session …` lines; `others` are lines that the answer may have beside them. */
export const mirrorsIn = (
  text: string,
  portName: (name: string) => string | Refusal,
  others: readonly RegExp[] = [],
): Mirrors => {
  const ports = new Map<string, string>();
  let unread: string | null = null;
  for (const line of text.split('\n').map((each) => each.trimEnd())) {
    const [, rest] = /^monitor session (.+)$/.exec(line) ?? [];
    if (rest === undefined) {
      if (line === '' || line.startsWith('!') || others.some((pattern) => pattern.test(line))) continue;
      throw new UnusableAnswer(line);
    }
    const [, places] = / destination (.+)$/.exec(rest) ?? [];
    if (places === undefined || elsewhere.test(places)) continue;
    const names = portsIn(places.replace(/^interface /, ''), portName);
    if (names === null) unread ??= oneLine(line);
    for (const name of names ?? []) ports.set(name, oneLine(line));
  }
  return { ports, unread };
};

/** `Gi1/0/2 , Gi1/0/5 - 8 encapsulation replicate`: all of them, or null if one is not understood. */
export const portsIn = (list: string, portName: (name: string) => string | Refusal): readonly string[] | null => {
  const names = list.replace(/ (?:encapsulation|ingress|replicate)\b.*$/, '').split(',');
  const ports = names.map((item) => rangeIn(item.trim(), portName));
  return ports.includes(null) ? null : ports.flatMap((range) => range ?? []);
};

const rangeIn = (item: string, portName: (name: string) => string | Refusal): readonly string[] | null => {
  const [, before = '', first = '', last = first] = /^([A-Za-z].*?)(\d+)(?: ?- ?(\d+))?$/.exec(item.slice(0, 60)) ?? [];
  if (before === '' || Number(last) < Number(first) || Number(last) - Number(first) > 4_096) return null;
  const names: string[] = [];
  for (let number = Number(first); number <= Number(last); number++) {
    const port = portName(`${before}${number}`);
    if (typeof port !== 'string') return null;
    names.push(port);
  }
  return names;
};
