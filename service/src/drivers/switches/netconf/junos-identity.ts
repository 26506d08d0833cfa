import { aboutLine, serialOf } from '../serial-numbers.ts';
import { findAll } from '@corral/base/xml';
import type { Netconf } from './netconf-client.ts';
import { RpcRefused } from './rpc-error.ts';

/** The serial number of a Junos device. */
export const junosIdentity = async (client: Netconf, signal: AbortSignal): Promise<string | null> => {
  const told = await systemInformation(client, signal);
  return serialOf('juniper', told('serial-number'));
};

/** Its model and its release. */
export const junosAbout = async (client: Netconf, signal: AbortSignal): Promise<string | null> => {
  const told = await systemInformation(client, signal);
  return aboutLine('Juniper', told('hardware-model'), 'Junos', told('os-version'));
};

/** What it says of itself, by element. One that does not know the question says nothing by it. */
const systemInformation = async (client: Netconf, signal: AbortSignal): Promise<(name: string) => string> => {
  try {
    const reply = await client.rpc('<get-system-information/>', signal);
    return (name) => findAll(reply, name)[0]?.text ?? '';
  } catch (error) {
    if (error instanceof RpcRefused) return () => '';
    throw error;
  }
};
