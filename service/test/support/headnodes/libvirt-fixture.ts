import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type LabLibvirt, type LabLibvirtOptions, startLibvirt } from '@corral/lab';
import type { Endpoint, MachineSpec } from '../../../src/drivers/hypervisors/hypervisor-contract.ts';
import type { LibvirtOptions } from '../../../src/drivers/hypervisors/libvirt/libvirt-options.ts';

const execute = promisify(execFile);

/** A libvirt with a pool `default` in which there is an image, `base`. */
export interface LibvirtFixture {
  readonly libvirt: LabLibvirt;
  /** The directory of the pool. */
  readonly pool: string;
  readonly options: LibvirtOptions;
  /** Makes a disk in the pool behind libvirt's back. */
  disk(file: string, format?: string): Promise<string>;
}

/** Starts one. Machines that are made there have little memory, and nothing to boot. */
export const startLibvirtFixture = async (options: LabLibvirtOptions = {}): Promise<LibvirtFixture> => {
  const libvirt = await startLibvirt(options);
  try {
    const pool = await libvirt.pool('default');
    const disk = async (file: string, format = 'qcow2'): Promise<string> => {
      await execute('qemu-img', ['create', '-q', '-f', format, join(pool, file), '64M']);
      return join(pool, file);
    };
    await disk('base.qcow2');
    return {
      libvirt,
      pool,
      disk,
      options: {
        uri: libvirt.uri,
        pool: 'default',
        images: ['base'],
        network: { kind: 'bridges', uplink: null },
        vncHost: libvirt.address,
        memoryMib: 128,
        cpus: 1,
        timeoutMs: 30_000,
      },
    };
  } catch (error) {
    await libvirt.stop();
    throw error;
  }
};

/** A machine from the image `base`. */
export const someMachine = (given: Partial<MachineSpec> = {}): MachineSpec => ({
  uuid: randomUUID(),
  image: 'base',
  hnics: [],
  ...given,
});

const isArm = process.arch === 'arm64';

/** Do domains that are images have firmware with a memory of its own? Only one kind of processor needs it. */
export const hasFirmware = isArm;

/** A domain to be an image: `boot` is what its system says of that, `devices` are all that it has. */
export const imageDomain = (name: string, boot: string, devices: string): string => `<domain type='qemu'>
  <name>${name}</name>
  <title>A &amp; B</title>
  <memory unit='MiB'>128</memory>
  <vcpu>1</vcpu>
  <os>
    <type ${isArm ? "arch='aarch64' machine='virt'" : "arch='x86_64' machine='q35'"}>hvm</type>
    ${hasFirmware ? firmware : ''}
    ${boot}
  </os>
  <features><acpi/></features>
  ${isArm ? "<cpu mode='custom'><model>cortex-a57</model></cpu>" : ''}
  <devices>${devices}</devices>
</domain>`;

const firmware = `<loader readonly='yes' type='pflash'>/usr/share/AAVMF/AAVMF_CODE.fd</loader>
  <nvram template='/usr/share/AAVMF/AAVMF_VARS.fd'>/var/lib/libvirt/qemu/nvram/mine.fd</nvram>`;

/** What a screen says first. */
export const bannerAt = ({ host, port }: Endpoint): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, host, () => undefined);
    socket.setTimeout(5_000, () => socket.destroy(new Error('the screen says nothing')));
    socket.once('error', reject);
    socket.once('data', (bytes) => {
      socket.destroy();
      resolve(bytes.toString('latin1'));
    });
  });
