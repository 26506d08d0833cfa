import { describeElement } from '../known-elements.ts';
import type { Element } from '@corral/base/xml';
import { isPort } from './junos-ports.ts';
import { harmlessPlaces, isActive } from './junos-understood.ts';

/** What the rest of the configuration does with ports: authentication, voice, mirrors, instances. */
export interface Mentions {
  /** In the device's words, by port. */
  readonly ofPort: ReadonlyMap<string, readonly string[]>;
  /** What may be about any port: `all`, a range, a wildcard. */
  readonly ofAny: readonly string[];
}

/** Interfaces that are never ports: they have no wire, or are for management. */
const others =
  /^(?:irb|lo\d|vlan|me\d|vme|em\d|fxp\d|vtep|dsc|ps\d+|st\d|(?:gr|ip|lt|mt|pd|pe|vt|sp|lsq)-[\d/]+)(?:\.\d+)?$/;

/** Which port a text names, with or without a unit; `none` if it is another interface, `any` if it may be all. */
export const portNamed = (text: string): string => {
  const base = text.replace(/\.(?:\d+|\*)$/, '');
  if (isPort(base)) return base;
  return others.test(text) ? 'none' : 'any';
};

/** Looks through everything but the interfaces and the VLANs themselves. */
export const mentionsIn = (configuration: Element): Mentions => {
  const ofPort = new Map<string, string[]>();
  const ofAny: string[] = [];
  const note = (port: string, words: () => string): void => {
    if (port === 'any') ofAny.push(words());
    else if (port !== 'none') ofPort.set(port, [...(ofPort.get(port) ?? []), words()]);
  };
  const walk = (element: Element, above: readonly string[]): void => {
    if (!isActive(element)) return;
    const path = [...above, element.name];
    if (harmlessPlaces.some((place) => `${path.join(' ')} `.startsWith(place))) return;
    const isList = element.name === 'interface' || element.name === 'interfaces';
    const told = element.children.length === 0 ? [element] : element.children.filter(({ name }) => name === 'name');
    for (const { text } of element.name === 'name' ? [] : told) {
      const named = portNamed(text);
      // Elsewhere a text is about an interface only if it has the name of one.
      if (isList || named !== 'any') note(named, () => [...above, describeElement(element)].join(' '));
    }
    for (const child of element.children) walk(child, path);
  };
  for (const place of configuration.children)
    if (place.name !== 'interfaces' && place.name !== 'vlans') walk(place, []);
  return { ofPort, ofAny };
};
