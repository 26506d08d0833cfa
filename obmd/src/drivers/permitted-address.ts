import { AddressRefused, type Outbound } from '@corral/base/http/outbound';
import { BmcError } from './bmc-contract.ts';

/** The BMC is where no connection of this daemon may go. Where that is, the log tells by the cause. */
export const notPermitted = (cause: AddressRefused): BmcError =>
  new BmcError(
    'failed',
    `connections to the address of the BMC are not allowed; an administrator must allow it with ${cause.setting}`,
    { cause },
  );

/** The address of a BMC now, for a program that does not ask us where it connects to. */
export const permittedAddress = async (outbound: Outbound, host: string, signal: AbortSignal): Promise<string> => {
  try {
    const [{ address }] = await outbound.addressesOf(host, signal);
    return address;
  } catch (error) {
    if (error instanceof AddressRefused) throw notPermitted(error);
    const sentence = signal.aborted
      ? 'the address of the BMC could not be resolved in time; try again in a minute, and tell an administrator if the problem persists'
      : 'the address of the BMC cannot be resolved; ask an administrator to register the node again with the right one';
    throw new BmcError('unreachable', sentence, { cause: error });
  }
};
