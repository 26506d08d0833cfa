import { describe, expect, it } from 'vitest';
import { type LibvirtBootDevice, withBootDevice } from '../../src/drivers/libvirt/libvirt-boot.ts';

const byKind = (...kinds: string[]): string => `<domain type='kvm'>
  <name>n1</name>
  <!-- <os><boot dev='fd'/></os> -->
  <metadata>
    <x:mine xmlns:x='urn:x'><os><boot dev='fd'/></os></x:mine>
  </metadata>
  <os firmware='efi'>
    <type arch='x86_64'>hvm</type>
    ${kinds.map((kind) => `<boot dev='${kind}'/>`).join('\n    ')}
    <bootmenu enable='no'/>
  </os>
  <devices>
    <disk type='file' device='disk'><target dev='vda' bus='virtio'/></disk>
    <interface type='bridge'><mac address='52:54:00:00:00:01'/></interface>
    <graphics type='vnc' passwd='a&amp;b'/>
  </devices>
</domain>
`;

const byDevice = (orders: { cdrom?: number; disk?: number; first?: number; second?: number }): string => {
  const boot = (order: number | undefined): string => (order === undefined ? '' : `<boot order='${order}'/>`);
  return `<domain type='kvm'>
  <os><type>hvm</type></os>
  <devices>
    <disk type='file' device='cdrom'><target dev='sda'/>${boot(orders.cdrom)}</disk>
    <disk type='file' device='disk'><target dev='vda'/>${boot(orders.disk)}</disk>
    <interface type='bridge'><mac address='52:54:00:00:00:01'/>${boot(orders.first)}</interface>
    <interface type='bridge'><mac address='52:54:00:00:00:02'/>${boot(orders.second)}</interface>
  </devices>
</domain>
`;
};

const kindsIn = (xml: string): readonly (string | undefined)[] =>
  [...(/<os [^]*?<\/os>/.exec(xml)?.[0] ?? '').matchAll(/<boot dev='(\w+)'\/>/g)].map(([, kind]) => kind);

/** The order of cdrom, disk, first and second interface. */
const ordersIn = (xml: string): readonly (string | null)[] =>
  [...xml.matchAll(/<(disk|interface) [^]*?<\/\1>/g)].map(([text]) => /<boot order='(\d+)'/.exec(text)?.[1] ?? null);

const set = (xml: string, device: LibvirtBootDevice): string => withBootDevice(xml, device) ?? xml;
const squeezed = (xml: string): string => xml.replaceAll(/\s+/g, '');

describe('a domain that boots by kinds of devices', () => {
  it('has the wanted one put first, and what it booted from before behind', () => {
    expect(kindsIn(set(byKind('hd'), 'pxe'))).toEqual(['network', 'hd']);
    expect(kindsIn(set(byKind('cdrom', 'hd', 'network'), 'pxe'))).toEqual(['network', 'cdrom', 'hd']);
    expect(kindsIn(set(byKind('network', 'cdrom'), 'disk'))).toEqual(['hd', 'network', 'cdrom']);
    expect(kindsIn(set(byKind(), 'disk'))).toEqual(['hd']);
  });

  it('goes back to what it was, whatever was set in between', () => {
    const before = byKind('cdrom', 'hd');
    const after = set(set(set(set(before, 'pxe'), 'disk'), 'pxe'), 'none');
    expect(squeezed(after)).toBe(squeezed(before));
  });

  it('is left alone if nothing is to be changed', () => {
    expect(withBootDevice(byKind('hd'), 'none')).toBeNull();
    expect(withBootDevice(set(byKind('hd'), 'pxe'), 'pxe')).toBeNull();
  });

  it('goes back to what somebody else has set since', () => {
    const edited = set(byKind('hd'), 'pxe').replace("<boot dev='network'/><boot dev='hd'/>", "<boot dev='cdrom'/>");
    expect(kindsIn(set(edited, 'none'))).toEqual(['cdrom']);
    expect(kindsIn(set(set(edited, 'pxe'), 'none'))).toEqual(['cdrom']);
  });

  it('keeps everything else: metadata, comments, passwords', () => {
    const after = set(byKind('hd'), 'pxe');
    expect(after.replace(/<corral:boot [^>]*>/, '').replace("<boot dev='network'/>", '')).toBe(byKind('hd'));
  });

  it('may have no metadata, or empty ones', () => {
    for (const metadata of ['', '<metadata/>', '<metadata></metadata>']) {
      const xml = `<domain>${metadata}<os><type>hvm</type><boot dev='hd'/></os></domain>`;
      const after = set(xml, 'pxe');
      expect(after).toMatch(/<metadata><corral:boot [^>]*original='hd' set='network hd'\/><\/metadata>/);
      expect(set(after, 'none')).toContain("<os><type>hvm</type><boot dev='hd'/></os>");
    }
  });
});

describe('a domain that boots by the order in its devices', () => {
  it('has the devices of the wanted kind put first', () => {
    const before = byDevice({ disk: 1, first: 2, second: 5 });
    expect(ordersIn(set(before, 'pxe'))).toEqual([null, '3', '1', '2']);
    expect(ordersIn(set(before, 'disk'))).toEqual([null, '1', '2', '5']);
  });

  it('gets the first device of the kind if none of them was to be booted from', () => {
    expect(ordersIn(set(byDevice({ cdrom: 1, disk: 2 }), 'pxe'))).toEqual(['2', '3', '1', null]);
  });

  it('never takes a drive for a disk', () => {
    expect(ordersIn(set(byDevice({ cdrom: 1, second: 2 }), 'disk'))).toEqual(['2', '1', null, '3']);
  });

  it('goes back to the order it had', () => {
    const before = byDevice({ cdrom: 1, disk: 2 });
    expect(squeezed(set(set(set(before, 'pxe'), 'disk'), 'none'))).toContain(
      squeezed(before).slice('<domaintype='.length + 6),
    );
  });

  it('cannot boot from what it does not have', () => {
    const xml = `<domain><os/><devices><disk device='disk'><target dev='vda'/><boot order='1'/></disk></devices></domain>`;
    expect(() => withBootDevice(xml, 'pxe')).toThrow(/no network interface/);
  });
});

it('a definition that is no XML changes nothing', () => {
  for (const xml of ['', '<domain>', '<domain><os></domain></os>', '<domain/><domain/>', 'error: no']) {
    expect(() => withBootDevice(xml, 'pxe')).toThrow('invalid XML');
  }
});
