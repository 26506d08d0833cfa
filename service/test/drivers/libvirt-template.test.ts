import { parseXml } from '@corral/base/libvirt/libvirt-xml';
import { expect, it } from 'vitest';
import type { MachineNic } from '../../src/drivers/hypervisors/hypervisor-contract.ts';
import type { LibvirtOptions } from '../../src/drivers/hypervisors/libvirt/libvirt-options.ts';
import { clonedDomain } from '../../src/drivers/hypervisors/libvirt/template-domain.ts';

const uuid = '3e0f1d4e-36a7-4b5c-8f3a-0d5b7a1c9e11';
const options: LibvirtOptions = {
  uri: 'qemu:///system',
  pool: 'default',
  images: [],
  network: { kind: 'bridges', uplink: null },
  vncHost: '127.0.0.1',
  memoryMib: 64,
  cpus: 1,
  timeoutMs: 30_000,
};

const cloned = (parts: { os?: string; top?: string; devices?: string }, hnics: readonly MachineNic[] = []): string => {
  const text = `<domain type='kvm'><name>t</name><uuid>u</uuid>${parts.top ?? ''}<os>${parts.os ?? ''}</os><devices>${parts.devices ?? ''}</devices></domain>`;
  const copies = [{ path: `/p/a&b'.qcow2`, format: 'qcow2', kind: 'file' }] as const;
  const clone = clonedDomain({ text, root: parseXml(text) }, { uuid, image: 't', hnics }, copies, options);
  parseXml(clone);
  return clone;
};

const hnic = (label: string): MachineNic => ({ label, macaddr: `02:00:00:00:00:0${label}`, vlan: null });

it('a clone has nothing that says it is the template', () => {
  const clone = cloned({
    top: `<genid>g</genid><sysinfo type='smbios'><system><entry name='uuid'>u</entry><entry name='serial'>s</entry></system></sysinfo>`,
    os: `<nvram template='/a&amp;b' type='file'><source file='/t.fd'/></nvram>`,
  });
  expect(clone).toContain(`<name>headnode-${uuid}</name><uuid>${uuid}</uuid><genid/>`);
  expect(clone).toContain(`<system><entry name='serial'>s</entry></system>`);
  expect(clone).toContain(`<os><nvram template='/a&amp;b'/></os>`);
});

it('firmware that says nothing of its template remembers nothing', () => {
  expect(cloned({ os: '<nvram>/t.fd</nvram>' })).toContain('<os></os>');
});

it('a disk keeps how it is driven and where it is, but not what is in it', () => {
  const clone = cloned({
    devices: `<disk type='volume' device='disk' snapshot='external'>
      <driver name='qemu' type='raw' cache='none' io='native'/><source pool='p' volume='v'/><backingStore/>
      <target dev='vda' bus='virtio'/><boot order='1'/></disk>`,
  });
  expect(clone).toContain(`<disk type='file' device='disk' snapshot='external'>`);
  expect(clone).toContain(`<driver name='qemu' type='qcow2' cache='none' io='native'/>`);
  expect(clone).toContain(`<source file='/p/a&amp;b&apos;.qcow2'/>`);
  expect(clone).toContain(`<target dev='vda' bus='virtio'/><boot order='1'/>`);
  expect(clone).not.toMatch(/pool=|backingStore/);
});

it('what needs a screen of another kind goes with it', () => {
  const clone = cloned({
    devices: `<graphics type='spice' autoport='yes'/><channel type='spicevmc'><target type='virtio'/></channel>
      <channel type='unix'><target type='virtio' name='org.qemu.guest_agent.0'/></channel>
      <redirdev bus='usb' type='spicevmc'/><audio id='1' type='spice'/>`,
  });
  expect(clone).not.toContain('spice');
  expect(clone).toContain('guest_agent');
  expect(clone.match(/<graphics /g)).toHaveLength(1);
});

it('cards are like those they replace, one by one, and further ones like the last', () => {
  const card = (model: string, order: number): string =>
    `<interface type='network'><mac address='52:54:00:00:00:01'/><source network='default'/><model type='${model}'/><boot order='${order}'/></interface>`;
  const clone = cloned({ devices: `${card('e1000', 2)}${card('rtl8139', 1)}` }, [hnic('3'), hnic('1'), hnic('2')]);
  expect([...clone.matchAll(/<interface .*?<\/interface>/g)].map(([text]) => text)).toEqual([
    `<interface type='ethernet'><mac address='02:00:00:00:00:01'/><model type='e1000'/><boot order='2'/><link state='down'/></interface>`,
    `<interface type='ethernet'><mac address='02:00:00:00:00:02'/><model type='rtl8139'/><boot order='1'/><link state='down'/></interface>`,
    `<interface type='ethernet'><mac address='02:00:00:00:00:03'/><model type='rtl8139'/><link state='down'/></interface>`,
  ]);
});

it('a serial line that leads elsewhere becomes a terminal; what is one stays as it is', () => {
  const clone = cloned({
    devices: `<serial type='file'><source path='/log'/><target port='0'/></serial>
      <serial type='pty'/><console type='unix'><source mode='bind' path='/s'/><log file='/l'/></console>`,
  });
  expect(clone).toMatch(
    /<serial type='pty'><target port='0'\/><\/serial>\s*<serial type='pty'\/><console type='pty'><\/console>/,
  );
});
