import { complaints as words, VirshError } from '@corral/base/libvirt/virsh-error';
import { BmcError, type BmcFault } from '../bmc-contract.ts';

const later = 'try again in a minute, and tell an administrator if the problem persists';

const starting = /PTY device is not yet assigned|domain is not running/i;

/** What virsh says, what that means, and the way out; the first that fits. */
const complaints: readonly (readonly [RegExp, BmcFault, string])[] = [
  [
    words.noDomain,
    'failed',
    'the libvirt domain of this machine does not exist; ask an administrator to register the node again with the right one',
  ],
  [
    words.refused,
    'credentials',
    'libvirt denies access to this daemon; ask an administrator to give its user, or its key, access to the hypervisor',
  ],
  [words.unreachable, 'unreachable', `libvirt does not answer; ${later}`],
  [
    /character device .*is not using a PTY|cannot find character device|console.*not (supported|found)/i,
    'unsupported',
    'the virtual machine has no serial console; ask an administrator to give its domain a <serial type="pty"> device',
  ],
  [starting, 'failed', 'the virtual machine is being turned on or off; try again in a moment'],
  [
    words.notStarted,
    'failed',
    'libvirt could not start the virtual machine; ask an administrator to check its log on the hypervisor',
  ],
];

/** The error that virsh's words mean; they go into the cause. */
export const faultFrom = (command: string, said: string): BmcError => {
  const cause = new VirshError('failed', command, said);
  const [, fault, sentence] = complaints.find(([pattern]) => pattern.test(cause.said)) ?? [];
  return new BmcError(fault ?? 'failed', sentence ?? `libvirt failed to carry out the command; ${later}`, { cause });
};

/** The time for a call is over. */
export const notInTime = (signal: AbortSignal): BmcError =>
  new BmcError('unreachable', `libvirt did not answer in time; ${later}`, { cause: signal.reason });

/** Is it only that the machine is just being turned on or off? */
export const isPassing = (error: unknown): boolean => isCausedBy(error, starting);

/** Has somebody else the console now? */
export const isTaken = (error: unknown): boolean => isCausedBy(error, /Active console session exists/i);

const isCausedBy = (error: unknown, words: RegExp): boolean =>
  error instanceof BmcError && error.cause instanceof Error && words.test(error.cause.message);

/** There is no virsh. */
export const notInstalled = (cause: Error): BmcError =>
  new BmcError(
    'failed',
    'the program virsh is missing on the host of the daemon; ask an administrator to install it (package libvirt-clients)',
    { cause },
  );
