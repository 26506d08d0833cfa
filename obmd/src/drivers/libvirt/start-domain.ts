import { withFile } from '@corral/base/libvirt/run-virsh';
import { BmcError } from '../bmc-contract.ts';
import { withBootDevice } from './libvirt-boot.ts';
import type { Domain } from './libvirt-domain.ts';
import { type BootIndex, bootIndexesFor, nextBootIn, withNextBoot } from './next-boot.ts';
import { onDomain, virsh } from './domain-commands.ts';

export const definitionOf = (domain: Domain, signal: AbortSignal): Promise<string> =>
  onDomain(domain, 'dumpxml', signal, '--inactive', '--security-info');

export const define = (domain: Domain, xml: string, signal: AbortSignal): Promise<void> =>
  hand(domain, 'define', xml, signal);

/** Has virsh read a definition from a file. */
const hand = async (domain: Domain, command: string, xml: string, signal: AbortSignal): Promise<void> => {
  await withFile(xml, async (file) => {
    await domain.requirePermitted(signal);
    await virsh(domain.uri, [command, '--file', file], signal);
  });
};

/**
 * Starts a machine that is off. If it is to boot from something else this time, it is started from a text that says
 * so: its definition stays as it is, whatever becomes of us.
 */
export const start = async (domain: Domain, signal: AbortSignal): Promise<void> => {
  const definition = await definitionOf(domain, signal);
  const device = nextBootIn(definition);
  if (device === null) {
    await onDomain(domain, 'start', signal);
    return;
  }
  const usual = withNextBoot(definition, null) ?? definition;
  const once = withBootDevice(usual, device) ?? usual;
  // A memory that was saved would be woken up by the start after this one, above disks that have changed since.
  await onDomain(domain, 'managedsave-remove', signal);
  await hand(domain, 'create', once, signal);
  await define(domain, usual, signal);
  await forgetOrder(domain, usual, signal).catch((error: unknown) => {
    // It runs, and boots from where it was to. Of what it does when it restarts itself, the documents tell.
    if (!(error instanceof BmcError)) throw error;
  });
};

/**
 * QEMU keeps the order that it was started with for as long as it runs, and a machine that restarts itself would boot
 * from there again. So it is given the usual one, which it reads at the next restart.
 */
const forgetOrder = async (domain: Domain, definition: string, signal: AbortSignal): Promise<void> => {
  const live = await onDomain(domain, 'dumpxml', signal);
  const indexes = bootIndexesFor(live, definition);
  const set = ({ alias, index }: BootIndex): Promise<string> => {
    const wanted = { path: `/machine/peripheral/${alias}`, property: 'bootindex', value: index };
    const command = JSON.stringify({ execute: 'qom-set', arguments: wanted });
    return onDomain(domain, 'qemu-monitor-command', signal, '--cmd', command);
  };
  // No two may have one number, not even for a moment.
  for (const { alias } of indexes) await set({ alias, index: -1 });
  for (const place of indexes) if (place.index > 0) await set(place);
};
