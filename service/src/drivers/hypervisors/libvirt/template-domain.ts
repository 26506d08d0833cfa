import { childrenOf, type Element, escapeXml } from '@corral/base/xml';
import { type Edit, edited } from '@corral/base/libvirt/libvirt-xml';
import type { MachineSpec } from '../hypervisor-contract.ts';
import { type CardLikeness, cardsXml, diskSourceXml, screenXml } from './domain-devices.ts';
import type { Definition, LibvirtHost } from './libvirt-host.ts';
import { machineName } from './machine-names.ts';
import type { LibvirtOptions } from './libvirt-options.ts';
import type { Copy, Original } from './storage-pool.ts';

/*
 * A domain as an image: another is like it in everything but what there can be only one of. That is its names, its
 * disks, its cards, its screen, what its firmware remembers, and where its serial line leads to.
 */

/** The disks that are copied for every machine, in the order in which they are there. */
export const disksOf = async (host: LibvirtHost, domain: string, { root }: Definition): Promise<Original[]> => {
  const originals: Original[] = [];
  for (const disk of copiedDisksIn(root)) {
    const path = await pathOf(host, domain, disk);
    const target = childrenOf(disk, 'target')[0]?.attributes['dev'] ?? '';
    const said = await host.run(['domblkinfo', '--domain', domain, '--device', target]);
    const capacity = /^Capacity:\s+(\d+)/m.exec(said)?.[1];
    if (capacity === undefined) throw new Error(`the size of disk ${target} of image ${domain} is unknown`);
    originals.push({
      path,
      format: childrenOf(disk, 'driver')[0]?.attributes['type'] ?? 'raw',
      capacity,
    });
  }
  return originals;
};

/** The definition of a machine like the image, with copies of its disks. */
export const clonedDomain = (
  { text, root }: Definition,
  { uuid, hnics }: MachineSpec,
  copies: readonly Copy[],
  options: LibvirtOptions,
): string => {
  const [devices] = childrenOf(root, 'devices');
  if (!devices) throw new Error('the image has no devices');
  const cards = childrenOf(devices, 'interface');
  const added = `${cardsXml(hnics, options.network, cards.map(likenessIn(text)))}${screenXml(options.vncHost)}`;
  return edited(text, [
    ...childrenOf(root, 'name').map(put(`<name>${machineName(uuid)}</name>`)),
    ...childrenOf(root, 'uuid').map(put(`<uuid>${escapeXml(uuid)}</uuid>`)),
    ...childrenOf(root, 'genid').map(put('<genid/>')),
    ...childrenOf(childrenOf(root, 'sysinfo')[0], 'system')
      .flatMap((system) => childrenOf(system, 'entry'))
      .filter(({ attributes }) => attributes['name'] === 'uuid')
      .map(put('')),
    ...childrenOf(childrenOf(root, 'os')[0], 'nvram').map(emptied),
    ...copiedDisksIn(root).flatMap((disk, index) => diskEdits(disk, copies[index])),
    ...[...cards, ...childrenOf(devices, 'graphics'), ...devices.children.filter(isForSpice)].map(put('')),
    ...['serial', 'console'].flatMap((name) => childrenOf(devices, name)).flatMap(lineEdits),
    { start: devices.inside, end: devices.inside, text: added },
  ]);
};

const put =
  (text: string) =>
  ({ start, end }: Element): Edit => ({ start, end, text });

/** libvirt creates it again from the same template. */
const emptied = (nvram: Element): Edit => {
  const template = nvram.attributes['template'];
  return put(template === undefined ? '' : `<nvram template='${escapeXml(template)}'/>`)(nvram);
};

const likenessIn =
  (text: string) =>
  (card: Element): CardLikeness => {
    const written = (name: string): string =>
      childrenOf(card, name)
        .map(({ start, end }) => text.slice(start, end))
        .join('');
    return { model: written('model'), boot: written('boot') };
  };

/** What only reads (a CD) may be shared by all. */
const copiedDisksIn = (root: Element): readonly Element[] =>
  childrenOf(childrenOf(root, 'devices')[0], 'disk').filter(
    (disk) =>
      ['disk', 'lun', undefined].includes(disk.attributes['device']) && childrenOf(disk, 'readonly').length === 0,
  );

const pathOf = async (host: LibvirtHost, domain: string, disk: Element): Promise<string> => {
  const [source] = childrenOf(disk, 'source');
  const { file, dev, pool, volume } = source?.attributes ?? {};
  const isSealed = [disk, source].some((element) => childrenOf(element, 'encryption').length > 0);
  if (pool !== undefined && volume !== undefined && !isSealed) {
    return (await host.run(['vol-path', '--pool', pool, '--vol', volume])).trim();
  }
  const path = file ?? dev;
  if (path === undefined || isSealed || disk.attributes['device'] === 'lun') {
    throw new Error(
      `image ${domain} has a disk that cannot be copied; ask an administrator to make it a file or a volume`,
    );
  }
  return path;
};

const diskEdits = (disk: Element, copy: Copy | undefined): readonly Edit[] => {
  if (!copy) throw new Error('a disk of the image was not copied');
  const gone = disk.children.filter(({ name }) => ['driver', 'source', 'backingStore', 'mirror'].includes(name));
  const text =
    `<disk type='${copy.kind}' device='disk'${others(disk, ['type', 'device'])}>` +
    `<driver name='qemu' type='${copy.format}'${others(childrenOf(disk, 'driver')[0], ['name', 'type'])}/>` +
    diskSourceXml(copy);
  return [{ start: disk.start, end: disk.inside, text }, ...gone.map(put(''))];
};

/** The attributes of an element but these. */
const others = (element: Element | undefined, names: readonly string[]): string =>
  Object.entries(element?.attributes ?? {})
    .filter(([name]) => !names.includes(name))
    .map(([name, value]) => ` ${name}='${escapeXml(value)}'`)
    .join('');

/** These want a screen of another kind. */
const isForSpice = ({ name, attributes }: Element): boolean =>
  (['channel', 'redirdev', 'smartcard'].includes(name) && attributes['type'] === 'spicevmc') ||
  (name === 'audio' && attributes['type'] === 'spice');

/** Of a file or a port there is only one; of terminals there are enough. */
const lineEdits = (line: Element): readonly Edit[] => {
  const ends = line.children.filter(({ name }) => ['source', 'protocol', 'log'].includes(name));
  if (line.inside === line.end) return [put(`<${line.name} type='pty'/>`)(line)];
  return [{ start: line.start, end: line.inside, text: `<${line.name} type='pty'>` }, ...ends.map(put(''))];
};
