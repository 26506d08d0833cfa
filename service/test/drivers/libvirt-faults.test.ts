import { VirshError } from '@corral/base/libvirt/virsh-error';
import { expect, it } from 'vitest';
import { faultFrom, isPortTaken } from '../../src/drivers/hypervisors/libvirt/hypervisor-faults.ts';

/** What virsh prints on standard error, recorded from libvirt and QEMU whose machines start beside each other. */
const starting = (reason: string): Error =>
  faultFrom(new VirshError('failed', 'start', `error: Failed to start domain 'headnode-1'\nerror: ${reason}\n`));
const qemu = '2026-11-16T13:09:28.638781Z qemu-system-aarch64: -vnc 127.0.0.1:1,audiodev=audio1:';

it.each([
  `internal error: process exited while connecting to monitor: ${qemu} Failed to find an available port: Address already in use`,
  `internal error: qemu unexpectedly closed the monitor: ${qemu} Failed to find an available port: Address already in use`,
  'internal error: process exited while connecting to monitor',
  'internal error: process exited while connecting to monitor: ',
  'internal error: qemu unexpectedly closed the monitor',
])('a start is tried again after "%s"', (reason) => {
  expect(isPortTaken(starting(reason))).toBe(true);
});

it.each([
  "internal error: process exited while connecting to monitor: qemu-system-aarch64: could not load kernel 'vmlinuz'",
  'operation failed: domain is no longer running',
])('a start is not tried again after "%s"', (reason) => {
  expect(isPortTaken(starting(reason))).toBe(false);
});
