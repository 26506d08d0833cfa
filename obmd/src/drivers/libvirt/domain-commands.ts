import { virsh as run } from '@corral/base/libvirt/run-virsh';
import { VirshError } from '@corral/base/libvirt/virsh-error';
import type { Domain } from './libvirt-domain.ts';
import { faultFrom, notInstalled, notInTime } from './libvirt-bmc-faults.ts';

/** Runs one virsh command to its end and gives what it said. */
export const virsh = async (uri: string, args: readonly string[], signal: AbortSignal): Promise<string> => {
  try {
    return await run(uri, args, signal);
  } catch (error) {
    if (!(error instanceof VirshError)) throw error;
    if (error.failure === 'late') throw notInTime(signal);
    throw error.failure === 'missing' ? notInstalled(error) : faultFrom(args[0] ?? '', error.said);
  }
};

/** Runs a command of virsh on a domain. */
export const onDomain = async (
  { uri, name, requirePermitted }: Domain,
  command: string,
  signal: AbortSignal,
  ...options: readonly string[]
): Promise<string> => {
  await requirePermitted(signal);
  return virsh(uri, [command, ...options, '--domain', name], signal);
};

/** Paused, crashed or shutting down is on, as a machine with a stuck system is. */
export const isOff = async (domain: Domain, signal: AbortSignal): Promise<boolean> =>
  (await stateOf(domain, signal)) === 'shut off';

/** In the words of virsh: "running", "paused", "shut off" and so on. */
export const stateOf = async (domain: Domain, signal: AbortSignal): Promise<string> =>
  (await onDomain(domain, 'domstate', signal)).trim();
