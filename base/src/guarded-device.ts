import { type Deadline, withDeadline } from './abort.ts';
import { redactError } from './secrets/redact.ts';

/** What a call to a device is held to. */
export interface DeviceGuard extends Deadline {
  /** What the device was sent and may repeat. */
  readonly secrets: readonly string[];
  /** Throws unless the device is still ours. The time of the call begins after it. */
  readonly confirm?: () => Promise<void>;
  /** Makes the call when its turn comes. Waiting takes from its time. */
  readonly inTurn?: <T>(signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

/**
 * Calls a device, with a limit that holds even if the driver ignores its signal: the call is then left behind, and its
 * late answer is nobody's. What it throws contains no secret, even if the device repeats what it was sent.
 */
export const callDevice = async <T>(
  { secrets, confirm, inTurn, ...deadline }: DeviceGuard,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  if (confirm) await confirm();
  const redacted = async (signal: AbortSignal): Promise<T> => {
    try {
      return await call(signal);
    } catch (error) {
      throw redactError(error, secrets);
    }
  };
  return withDeadline(deadline, inTurn ? (signal) => inTurn(signal, redacted) : redacted);
};
