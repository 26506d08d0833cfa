import { withDeadline } from '@corral/base/abort';

/** A device that did not answer in time. */
export class DeviceTimeout extends Error {}

/**
 * Calls a device with a limit that holds even if the driver ignores its signal: the call is then left
 * behind, and its late answer is nobody's.
 */
export const callDevice = <T>(
  call: (signal: AbortSignal) => Promise<T>,
  what: string,
  ms: number,
  lost: AbortSignal,
): Promise<T> =>
  withDeadline(
    { ms, signals: [lost], late: () => new DeviceTimeout(`it did not ${what} within ${ms / 1000} s`) },
    call,
  );
