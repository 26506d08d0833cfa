import { oneLine } from './device-text.ts';
import type { Element } from '@corral/base/xml';

/**
 * What a driver understands below an element, by name. `leaf`: a text and nothing inside. `harmless`: whatever is inside
 * has nothing to do with what a port carries. What is not in the table is not understood.
 */
export interface KnownElements {
  readonly [name: string]: 'leaf' | 'harmless' | KnownElements;
}

/** Elements with a text and nothing inside. */
export const leaves = (...names: readonly string[]): KnownElements =>
  Object.fromEntries(names.map((name) => [name, 'leaf' as const]));

/** Elements that have nothing to do with what a port carries. */
export const harmless = (...names: readonly string[]): KnownElements =>
  Object.fromEntries(names.map((name) => [name, 'harmless' as const]));

/** How a vendor's documents differ. */
export interface DocumentRules {
  /** Elements that may stand there several times; any other that does is not understood. */
  readonly lists: readonly string[];
  /** Elements that are in the document and mean nothing, such as statements that are deactivated. */
  readonly isVoid: (element: Element) => boolean;
}

/** An element as one would type it: its name, its text, and what is inside. */
export const describeElement = ({ name, text, children }: Element): string =>
  [name, text, ...children.map((child) => (child.name === 'name' ? child.text : describeElement(child)))]
    .filter((word) => word !== '')
    .join(' ');

/** Everything below an element that is not understood, in the device's words. */
export const unknownElements = (
  element: Element,
  understood: KnownElements,
  reading: DocumentRules,
  above: readonly string[] = [],
): readonly string[] => {
  const children = element.children.filter((child) => !reading.isVoid(child));
  const words = (child: Element): string => [...above, describeElement(child)].join(' ');
  const seen = new Set<string>();
  const unknown = children.flatMap((child): readonly string[] => {
    const known = Object.hasOwn(understood, child.name) ? understood[child.name] : undefined;
    const isRepeated = seen.has(child.name) && !reading.lists.includes(child.name);
    seen.add(child.name);
    if (known === undefined || isRepeated) return [words(child)];
    if (known === 'harmless') return [];
    if (known === 'leaf') return child.children.length === 0 ? [] : [words(child)];
    return unknownElements(child, known, reading, [...above, child.name]);
  });
  // Text beside elements, or where elements should be.
  return element.text === '' ? unknown : [[...above, element.text].join(' '), ...unknown];
};

/** Why a port is not given networks: what else it would carry with them, nobody knows. */
export const notToBeOpened = (words: readonly string[]): string =>
  `${oneLine(words.map((each) => `"${each}"`).join(', '))} on the port is not understood, and it might carry more than it is given; remove that on the switch first`;
