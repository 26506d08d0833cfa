import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LabLibvirt, type LabLibvirtOptions, startLibvirt } from '@corral/lab';

/** A real libvirt with a storage pool and an image, for headnodes. */
export interface HeadnodeHost {
  readonly libvirt: LabLibvirt;
  /** The settings by which a service has it run headnodes. */
  readonly env: Readonly<Record<string, string>>;
  /** All its domains but the images, sorted; and those that run. */
  domains(...which: readonly string[]): Promise<readonly string[]>;
  /** The volumes in its pool but those of the images, sorted. */
  volumes(): Promise<readonly string[]>;
}

const pool = 'headnodes';
/** What machines made from `base` run: a file in the libvirt's directory. */
export const sleepers = 'asleep.bin';

/**
 * Starts one. Image `base` is a domain that sleeps as soon as it is on, `disk` a volume; beside a switch there is `pxe`
 * too, a domain whose first two cards boot from the network.
 */
export const startHeadnodeHost = async (options: LabLibvirtOptions = {}): Promise<HeadnodeHost> => {
  const libvirt = await startLibvirt(options);
  const images = ['base', 'disk', ...(options.beside ? ['pxe'] : [])];
  try {
    await stock(libvirt, images);
  } catch (error) {
    await libvirt.stop();
    throw error;
  }
  const names = (said: string): string[] =>
    said
      .split('\n')
      .map((line) => line.trim().split(/\s+/)[0] ?? '')
      .filter((name) => name !== '' && !images.some((image) => name === image || name === `${image}.qcow2`))
      .sort();
  return {
    libvirt,
    env: {
      CORRAL_HYPERVISOR: 'libvirt',
      CORRAL_IMAGES: images.join(', '),
      CORRAL_LIBVIRT_URI: libvirt.uri,
      CORRAL_LIBVIRT_POOL: pool,
      CORRAL_LIBVIRT_NETWORK: 'bridges',
      CORRAL_LIBVIRT_MEMORY: '128',
      CORRAL_LIBVIRT_TIMEOUT: '15',
      CORRAL_LIBVIRT_VNC_HOST: libvirt.address,
    },
    domains: async (...which) =>
      names(await libvirt.virsh('list', '--name', ...(which.length > 0 ? which : ['--all']))),
    volumes: async () => names(await libvirt.virsh('vol-list', '--pool', pool)),
  };
};

const stock = async (libvirt: LabLibvirt, images: readonly string[]): Promise<void> => {
  const disks = await libvirt.pool(pool);
  for (const image of images) await libvirt.virsh('vol-create-as', pool, `${image}.qcow2`, '8M', '--format', 'qcow2');
  const kernel = join(libvirt.directory, sleepers);
  await writeFile(kernel, asleep);
  await libvirt.define(sleeperXml(kernel, join(disks, 'base.qcow2')));
  if (images.includes('pxe')) await libvirt.define(booterXml(join(disks, 'pxe.qcow2')));
};

/** `wfi`, and again: on an emulated processor that costs nothing. */
const asleep = Buffer.from([0x7f, 0x20, 0x03, 0xd5, 0xff, 0xff, 0xff, 0x17]);

const diskXml = (file: string): string => `
    <disk type='file' device='disk'>
      <driver name='qemu' type='qcow2'/>
      <source file='${file}'/>
      <target dev='vda' bus='virtio'/>
    </disk>`;

const sleeperXml = (kernel: string, disk: string): string => `
<domain type='qemu'>
  <name>base</name>
  <memory unit='MiB'>32</memory>
  <vcpu>1</vcpu>
  <os><type arch='aarch64' machine='virt'>hvm</type><kernel>${kernel}</kernel></os>
  <features><gic version='2'/></features>
  <cpu mode='custom'><model>cortex-a57</model></cpu>
  <devices>
    <controller type='usb' model='none'/>
    <memballoon model='none'/>${diskXml(disk)}
    <serial type='pty'/>
  </devices>
</domain>`;

/** For this computer's processor: only its firmware is installed. */
const platform =
  process.arch === 'arm64'
    ? {
        os: `<type arch='aarch64' machine='virt'>hvm</type>
    <loader readonly='yes' type='rom'>/usr/share/qemu-efi-aarch64/QEMU_EFI.fd</loader>`,
        cpu: `<features><gic version='2'/></features><cpu mode='custom'><model>cortex-a57</model></cpu>`,
      }
    : { os: `<type arch='x86_64' machine='q35'>hvm</type>`, cpu: '' };

const booterXml = (disk: string): string => `
<domain type='qemu'>
  <name>pxe</name>
  <memory unit='MiB'>128</memory>
  <vcpu>1</vcpu>
  <os>${platform.os}</os>
  ${platform.cpu}
  <devices>
    <controller type='usb' model='none'/>
    <memballoon model='none'/>${diskXml(disk)}
    <interface type='user'><model type='virtio'/><boot order='1'/></interface>
    <interface type='user'><model type='virtio'/><boot order='2'/></interface>
    <serial type='pty'/>
  </devices>
</domain>`;
