import { serialOf } from '../serial-numbers.ts';
import { findAll } from '@corral/base/xml';
import type { NetconfClient } from './netconf-client.ts';
import { RpcRefused } from './rpc-error.ts';

/** The serial number of a Junos device. One that does not know the question says nothing about itself by it. */
export const junosIdentity = async (client: NetconfClient, signal: AbortSignal): Promise<string | null> => {
  try {
    const reply = await client.rpc('<get-system-information/>', signal);
    return serialOf('juniper', findAll(reply, 'serial-number')[0]?.text ?? '');
  } catch (error) {
    if (error instanceof RpcRefused) return null;
    throw error;
  }
};
