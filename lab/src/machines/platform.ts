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

/** A PC. QEMU emulates it on every processor; its firmware and that of its nic are programs that PCs run. */
const x86: Platform = {
  program: 'qemu-system-x86_64',
  firmware: ['/usr/share/seabios/bios-256k.bin', '/usr/lib/ipxe/qemu/efi-virtio.rom'],
  // Without graphics the firmware talks on the serial line. Strict: it boots from what it is set to, or not at all.
  machine: ['-machine', 'q35,graphics=off', '-boot', 'strict=on'],
  nic: '',
};

/** `own`: of this computer's processor. All are emulated, so that they need no help of the kernel. */
export const platforms = { own: process.arch === 'arm64' ? arm : x86, x86 } as const satisfies Record<string, Platform>;
