import { complaints as words, VirshError } from '@corral/base/libvirt/virsh-error';

const administrator = 'tell an administrator if the problem persists';

/** Patterns in the output of virsh, and the message for the tenant; the first match counts. */
const complaints: readonly (readonly [RegExp, string])[] = [
  [words.refused, 'libvirt denies access to this service; ask an administrator to grant it'],
  [words.unreachable, `libvirt does not answer; ${administrator}`],
  [/storage pool not found/i, 'the storage pool for headnodes is missing; ask an administrator to define it'],
  [
    /storage pool '.*' is not active/i,
    'the storage pool for headnodes is not active; ask an administrator to start it',
  ],
  [/No space left on device|not enough free space/i, 'the storage pool for headnodes is full; ask an administrator'],
  [
    /Cannot get interface MTU on|Unable to add (?:bridge|port)|could not (?:add port|open network device)/i,
    'the hypervisor has no bridge for one of the networks; ask an administrator to add it',
  ],
  [
    /Cannot allocate memory|cannot set up guest memory/i,
    'the hypervisor has too little memory left; delete another headnode, or ask an administrator',
  ],
  [/Failed to get (?:shared )?"?\w*"? ?lock/i, 'the image is in use; ask an administrator to shut it off'],
  [words.notStarted, 'libvirt could not start the machine; ask an administrator to check its log'],
];

/** A failure in a sentence for the tenant. What was said has addresses and paths in it, so it is only the cause. */
export const faultFrom = (error: VirshError): Error => {
  const { failure, said } = error;
  const [, sentence] = complaints.find(([pattern]) => pattern.test(said)) ?? [];
  if (failure === 'late') return new Error(`libvirt did not answer in time; ${administrator}`, { cause: error });
  if (failure === 'missing') {
    return new Error('the program virsh is missing; ask an administrator to install it (package libvirt-clients)', {
      cause: error,
    });
  }
  return new Error(sentence ?? `libvirt failed to carry out the command; ${administrator}`, { cause: error });
};

/** Was it only that the machine is not there? */
export const isNoDomain = (error: unknown): boolean => isCausedBy(error, words.noDomain);

/** Was it only that the volume is not there? */
export const isNoVolume = (error: unknown): boolean =>
  isCausedBy(error, /storage vol(?:ume)? not found|failed to get vol |no storage vol with matching/i);

/** Is it only that somebody is still at it? */
export const isBusy = (error: unknown): boolean =>
  isCausedBy(
    error,
    /is still being allocated|asynchronous jobs running|still in use|cannot acquire state change lock/i,
  );

/**
 * Has another process taken the port of its screen? QEMU ends then, and libvirt does not always get to read why: a
 * monitor that closed without any reason is taken for the same.
 */
export const isPortTaken = (error: unknown): boolean =>
  isCausedBy(
    error,
    /Address already in use|(?:process exited while connecting to|qemu unexpectedly closed the) monitor:?\s*$/i,
  );

/** Was it only that the machine does not run, or runs already? */
export const isNoChange = (error: unknown): boolean =>
  isCausedBy(error, /domain is not running|Domain is already active|domain is already running/i);

const isCausedBy = (error: unknown, pattern: RegExp): boolean =>
  error instanceof Error && error.cause instanceof VirshError && pattern.test(error.cause.said);
