import { childrenOf, type Element } from '@corral/base/xml';
import { type Edit, edited, parseXml } from '@corral/base/libvirt/libvirt-xml';
import { bootableIn, bootStyleOf } from './boot-style.ts';
import { type LibvirtBootDevice, libvirtBootDevices, noteEdits, withBootDevice } from './libvirt-boot.ts';

/** Our note in the domain: what it is started from the next time, and no other. */
const note = 'corral:next';
const namespace = 'urn:corral:obmd:next';

/** The definition of a domain with this note, or without it; null if it is so already. */
export const withNextBoot = (xml: string, device: LibvirtBootDevice | null): string | null => {
  // Throws if the machine has nothing of the kind.
  if (device !== null) withBootDevice(xml, device);
  const text = device === null ? '' : `<${note} xmlns:corral='${namespace}' device='${device}'/>`;
  const changed = edited(xml, nextEdits(parseXml(xml), text));
  return changed === xml ? null : changed;
};

const nextEdits = (domain: Element, text: string): readonly Edit[] => {
  const [metadata] = childrenOf(domain, 'metadata');
  return noteEdits(domain, metadata, childrenOf(metadata, note)[0], text);
};

/** What a domain is started from the next time; null if that is what it says itself. */
export const nextBootIn = (xml: string): LibvirtBootDevice | null => {
  const [noted] = childrenOf(childrenOf(parseXml(xml), 'metadata')[0], note);
  return libvirtBootDevices.find((device) => device === noted?.attributes['device']) ?? null;
};

/** A device of a running machine, and its place in the boot order; -1: it is not booted from. */
export interface BootIndex {
  readonly alias: string;
  readonly index: number;
}

/**
 * The places that the devices of a running machine (`live`) have by its definition, whatever it was started with.
 * Where a domain only names kinds of devices, libvirt takes the first of each kind.
 */
export const bootIndexesFor = (live: string, definition: string): readonly BootIndex[] => {
  const { isByDevice, order } = bootStyleOf(parseXml(definition));
  const seen = new Set<string>();
  return bootableIn(parseXml(live)).flatMap(({ key, element }): readonly BootIndex[] => {
    const alias = childrenOf(element, 'alias')[0]?.attributes['name'];
    if (alias === undefined || !/^[\w.-]+$/.test(alias)) return [];
    if (isByDevice) return [{ alias, index: order.indexOf(key) + 1 || -1 }];
    const kind = kindOf(element);
    const isFirst = !seen.has(kind);
    seen.add(kind);
    return [{ alias, index: (isFirst && order.indexOf(kind) + 1) || -1 }];
  });
};

/** In the words of `<boot dev='…'/>`. */
const kindOf = ({ name, attributes }: Element): string => {
  if (name !== 'disk') return name === 'interface' ? 'network' : name;
  const { device = 'disk' } = attributes;
  return { cdrom: 'cdrom', floppy: 'fd' }[device] ?? 'hd';
};
