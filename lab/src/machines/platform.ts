/** How QEMU makes a machine that boots from the network on a processor like this one. */
export interface Platform {
  /** One of QEMU's. */
  readonly program: string;
  /** Files that are not QEMU's own. */
  readonly firmware: readonly string[];
  /** Options of the machine. */
  readonly machine: readonly string[];
  /** Properties of the nic. */
  readonly nic: string;
}

const uefi = '/usr/share/qemu-efi-aarch64/QEMU_EFI.fd';

const arm: Platform = {
  program: 'qemu-system-aarch64',
  firmware: [uefi],
  machine: ['-machine', 'virt', '-cpu', 'cortex-a57', '-bios', uefi],
  // The firmware drives the nic itself; the nic's own program is for other processors.
  nic: ',romfile=',
};

const x86: Platform = {
  program: 'qemu-system-x86_64',
  firmware: ['/usr/share/seabios/bios-256k.bin', '/usr/lib/ipxe/qemu/efi-virtio.rom'],
  // Without graphics the firmware talks on the serial line. Strict: it boots from what it is set to, or not at all.
  machine: ['-machine', 'q35,graphics=off', '-boot', 'strict=on'],
  nic: '',
};

/** The platform of this computer's processor: emulated, so that it needs no help of the kernel. */
export const platform: Platform = process.arch === 'arm64' ? arm : x86;
