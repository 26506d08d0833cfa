import { hostOf, uriPattern, uriRule } from '@corral/base/libvirt/uri';
import { withFile } from '@corral/base/libvirt/virsh';
import { Type } from '@corral/base/schema/type';
import { type Bmc, type BmcDriver, BmcError } from './contract.ts';
import { libvirtBootDevices, withBootDevice } from './libvirt/boot.ts';
import { openDomainConsole } from './libvirt/console.ts';
import { type Domain, namePattern, nameRule } from './libvirt/domain.ts';
import { isOff, onDomain, stateOf, virsh } from './libvirt/virsh.ts';
import { permittedAddress } from './permission.ts';

/** A virtual machine as a node: libvirt is its BMC. */
export const libvirtBmc: BmcDriver = {
  info: Type.Object(
    {
      uri: Type.String({ pattern: uriPattern, maxLength: 1_000, description: uriRule }),
      domain: Type.String({ pattern: namePattern, description: nameRule }),
    },
    { additionalProperties: false },
  ),
  secrets: [],
  hostOf: ({ uri }) => (typeof uri === 'string' ? hostOf(uri) : null),
  bmcOf: ({ uri, domain }, outbound) => {
    if (typeof uri !== 'string' || typeof domain !== 'string') throw new Error('the BMC has no field uri or domain');
    const host = hostOf(uri);
    // virsh looks the name up once more: its certificate or key is for the name, which an address could not replace.
    const requirePermitted = (signal: AbortSignal): Promise<unknown> =>
      host === null ? Promise.resolve() : permittedAddress(outbound, host, signal);
    return bmcOf({ uri, name: domain, requirePermitted });
  },
};

const bmcOf = (domain: Domain): Bmc => {
  /** Somebody else may have come first, or it was so all along; only what it is in the end counts. */
  const unlessItIs = async (power: 'on' | 'off', command: string, signal: AbortSignal): Promise<void> => {
    try {
      await onDomain(domain, command, signal);
    } catch (error) {
      if (!(error instanceof BmcError) || error.fault !== 'failed') throw error;
      if ((await isOff(domain, signal)) !== (power === 'off')) throw error;
    }
  };
  const powerOff = (signal: AbortSignal): Promise<void> => unlessItIs('off', 'destroy', signal);

  return {
    powerStatus: async (signal) => ((await isOff(domain, signal)) ? 'off' : 'on'),
    powerOn: async (signal) => {
      const state = await stateOf(domain, signal);
      if (state === 'shut off') await unlessItIs('on', 'start', signal);
      else if (state === 'paused') await onDomain(domain, 'resume', signal);
    },
    powerOff,
    // Not "reset": only a start reads the boot device.
    powerCycle: async (signal) => {
      await powerOff(signal);
      await unlessItIs('on', 'start', signal);
    },
    askToShutDown: (signal) => unlessItIs('off', 'shutdown', signal),
    bootDevices: libvirtBootDevices,
    setBootDevice: async (device, signal) => {
      const known = libvirtBootDevices.find((one) => one === device);
      if (!known)
        throw new BmcError('unsupported', `a virtual machine boots from ${libvirtBootDevices.join(', ')} only`);
      const before = await onDomain(domain, 'dumpxml', signal, '--inactive', '--security-info');
      const after = withBootDevice(before, known);
      if (after !== null) await define(domain, after, signal);
    },
    openConsole: (signal) => openDomainConsole(domain, signal),
  };
};

const define = async ({ uri }: Domain, xml: string, signal: AbortSignal): Promise<void> => {
  await withFile(xml, (file) => virsh(uri, ['define', '--file', file], signal));
};
