import { childrenOf, escapeXml, textAt } from '@corral/base/xml';
import type { MachineSpec } from '../hypervisor-contract.ts';
import { cardsXml, diskSourceXml, screenXml } from './domain-devices.ts';
import type { Definition, LibvirtHost } from './libvirt-host.ts';
import { machineName } from './machine-names.ts';
import type { LibvirtOptions } from './libvirt-options.ts';
import type { Copy } from './storage-pool.ts';

/** The kind of machine to make on a processor; libvirt's first choice is the oldest there is. */
const machines: Readonly<Record<string, string>> = { aarch64: 'virt', x86_64: 'q35' };

/** The definition of a machine with one disk, for an image that is only that: what fits the hypervisor best. */
export const plainDomain = async (
  host: LibvirtHost,
  { uuid, hnics }: MachineSpec,
  disk: Copy,
  options: LibvirtOptions,
): Promise<string> => {
  const { type, arch, machine, os, cpu } = await bestOn(host);
  return `<domain type='${escapeXml(type)}'>
  <name>${machineName(uuid)}</name>
  <uuid>${uuid}</uuid>
  <memory unit='MiB'>${options.memoryMib}</memory>
  <vcpu>${options.cpus}</vcpu>
  <os${os.attributes}>
    <type arch='${escapeXml(arch)}'${machine === null ? '' : ` machine='${escapeXml(machine)}'`}>hvm</type>
    ${os.inside}
    <boot dev='hd'/>
  </os>
  <features><acpi/>${arch === 'x86_64' ? '<apic/>' : ''}</features>
  ${cpu}
  <on_reboot>restart</on_reboot>
  <on_crash>destroy</on_crash>
  <devices>
    <disk type='${disk.kind}' device='disk'>
      <driver name='qemu' type='${disk.format}' discard='unmap'/>
      ${diskSourceXml(disk)}
      <target dev='vda' bus='virtio'/>
    </disk>
    ${cardsXml(hnics, options.network)}
    <serial type='pty'/>
    <console type='pty'/>
    ${screenXml(options.vncHost)}
    <video><model type='${arch === 'x86_64' ? 'vga' : 'virtio'}'/></video>
    <input type='tablet' bus='usb'/>
    <input type='keyboard' bus='usb'/>
    <controller type='usb' model='qemu-xhci'/>
    <rng model='virtio'><backend model='random'>/dev/urandom</backend></rng>
  </devices>
</domain>`;
};

interface Best {
  /** `kvm` where there is one. */
  readonly type: string;
  readonly arch: string;
  readonly machine: string | null;
  readonly os: { readonly attributes: string; readonly inside: string };
  readonly cpu: string;
}

const bestOn = async (host: LibvirtHost): Promise<Best> => {
  const first = await host.read('domcapabilities');
  const type = valueOf(first, 'domain');
  const arch = valueOf(first, 'arch');
  const machine = machines[arch] ?? null;
  const chosen = ['--virttype', type, '--arch', arch, ...(machine === null ? [] : ['--machine', machine])];
  const capabilities = await host.read('domcapabilities', ...chosen);
  return { type, arch, machine, os: firmwareOf(capabilities, arch), cpu: cpuOf(type, arch) };
};

/** An emulated processor has to be one that systems of today run on; the usual one of `virt` has 32 bits. */
const cpuOf = (type: string, arch: string): string => {
  if (type === 'kvm') return `<cpu mode='host-passthrough'/>`;
  return arch === 'aarch64' ? `<cpu mode='custom'><model>cortex-a57</model></cpu>` : '';
};

/** Nothing but UEFI boots a disk on aarch64. Its keys are for other systems than the image's, so that it asks for none. */
const firmwareOf = ({ root }: Definition, arch: string): Best['os'] => {
  const none = { attributes: '', inside: '' };
  if (arch !== 'aarch64') return none;
  const [os] = childrenOf(root, 'os');
  const kinds = childrenOf(os, 'enum').find(({ attributes }) => attributes['name'] === 'firmware');
  if (childrenOf(kinds, 'value').some((value) => value.text === 'efi')) {
    const inside = `<firmware><feature enabled='no' name='secure-boot'/></firmware>`;
    return { attributes: ` firmware='efi'`, inside };
  }
  const [file] = childrenOf(childrenOf(os, 'loader')[0], 'value');
  if (!file) throw new Error('the hypervisor has no UEFI firmware; ask an administrator to install it');
  return { ...none, inside: `<loader readonly='yes' type='pflash'>${escapeXml(file.text)}</loader>` };
};

const valueOf = ({ root }: Definition, name: string): string => textAt(root, name) ?? '';
