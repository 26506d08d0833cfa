import { childrenOf, type Element, escapeXml } from '@corral/base/xml';
import { type Edit, edited, parseXml } from '@corral/base/libvirt/libvirt-xml';
import { BmcError } from '../bmc-contract.ts';
import { applyOrder, bootStyleOf, type BootStyle } from './boot-style.ts';

export const libvirtBootDevices = ['pxe', 'disk', 'none'] as const;
export type LibvirtBootDevice = (typeof libvirtBootDevices)[number];

/** Our note in the domain: the order before it was changed, and what it was changed to. */
const note = 'corral:boot';
const namespace = 'urn:corral:obmd';

/**
 * The definition of a domain with another boot device, everything else as it is; null if it has it already. What
 * booted before follows the wanted device, and the note has the order that `none` goes back to. If somebody else has
 * changed the order since, theirs is the one to go back to.
 */
export const withBootDevice = (xml: string, device: LibvirtBootDevice): string | null => {
  const domain = parseXml(xml);
  const style = bootStyleOf(domain);
  const [metadata] = childrenOf(domain, 'metadata');
  const [noted] = childrenOf(metadata, note);
  const isOurs = noted?.attributes['set'] === style.order.join(' ');
  const before = noted && isOurs ? wordsIn(noted.attributes['original']) : style.order;
  const wanted = device === 'none' ? before : firstOf(style, before, device);
  const text =
    device === 'none'
      ? ''
      : `<${note} xmlns:corral='${namespace}' original='${escapeXml(before.join(' '))}' set='${escapeXml(wanted.join(' '))}'/>`;
  const changed = edited(xml, [...applyOrder(domain, style, wanted), ...noteEdits(domain, metadata, noted, text)]);
  return changed === xml ? null : changed;
};

const wordsIn = (text = ''): readonly string[] => text.split(' ').filter((word) => word !== '');

const firstOf = (style: BootStyle, before: readonly string[], device: 'pxe' | 'disk'): readonly string[] => {
  const candidates = style.candidates[device];
  const known = before.filter((one) => candidates.includes(one));
  const first = known.length > 0 ? known : candidates.slice(0, 1);
  if (first.length === 0) {
    const lacking = device === 'pxe' ? 'network interface' : 'disk';
    throw new BmcError(
      'unsupported',
      `the virtual machine has no ${lacking} to boot from; ask an administrator to add one`,
    );
  }
  return [...first, ...before.filter((one) => !first.includes(one))];
};

/** Puts a note into the metadata of a domain, in place of the one that is there. */
export const noteEdits = (
  domain: Element,
  metadata: Element | undefined,
  noted: Element | undefined,
  text: string,
): readonly Edit[] => {
  if (noted) return [{ start: noted.start, end: noted.end, text }];
  if (text === '') return [];
  // An empty element has no inside to put it into.
  if (metadata && metadata.inside < metadata.end) return [{ start: metadata.inside, end: metadata.inside, text }];
  const whole = `<metadata>${text}</metadata>`;
  if (metadata) return [{ start: metadata.start, end: metadata.end, text: whole }];
  return [{ start: domain.inside, end: domain.inside, text: whole }];
};
