/** A device that did not answer in time. */
export class DeviceTimeout extends Error {}

/**
 * Calls a device with a limit that holds even if the driver ignores its signal: the call is then left
 * behind, and its late answer is nobody's.
 */
export const callDevice = async <T>(
  call: (signal: AbortSignal) => Promise<T>,
  what: string,
  timeoutMs: number,
  lost: AbortSignal,
): Promise<T> => {
  lost.throwIfAborted();
  const controller = new AbortController();
  let giveUp: (reason: Error) => void = () => undefined;
  const limit = new Promise<never>((_resolve, reject) => (giveUp = reject));
  const end = (reason: Error) => {
    giveUp(reason);
    controller.abort(reason);
  };
  const onLost = () => end(lost.reason as Error);
  const timer = setTimeout(() => end(new DeviceTimeout(`it did not ${what} within ${timeoutMs / 1000} s`)), timeoutMs);
  lost.addEventListener('abort', onLost);
  try {
    return await Promise.race([call(controller.signal), limit]);
  } finally {
    clearTimeout(timer);
    lost.removeEventListener('abort', onLost);
  }
};
