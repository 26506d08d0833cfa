import { hostOf, uriPattern, uriRule } from '@corral/base/libvirt/libvirt-uri';
import { Type } from '@sinclair/typebox';
import { type Bmc, type BmcDriver, BmcError } from './bmc-contract.ts';
import { type LibvirtBootDevice, libvirtBootDevices, withBootDevice } from './libvirt/libvirt-boot.ts';
import { openDomainConsole } from './libvirt/libvirt-console.ts';
import { type Domain, namePattern, nameRule } from './libvirt/libvirt-domain.ts';
import { withNextBoot } from './libvirt/next-boot.ts';
import { define, definitionOf, start } from './libvirt/start-domain.ts';
import { isOff, onDomain, stateOf, virsh } from './libvirt/domain-commands.ts';
import { addressesOfDomain } from './resolve-bmc-addresses.ts';
import { permittedAddress } from './permitted-address.ts';

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
  placesOf: ({ uri, domain }) => addressesOfDomain(String(uri), String(domain)),
  bmcOf: ({ uri, domain }, outbound, permit) => {
    if (typeof uri !== 'string' || typeof domain !== 'string') throw new Error('the BMC has no field uri or domain');
    const host = hostOf(uri);
    // virsh looks the name up once more: its certificate or key is for the name, which an address could not replace.
    const requirePermitted = async (signal: AbortSignal): Promise<void> => {
      if (host !== null) await permittedAddress(outbound, host, signal);
      permit?.check();
    };
    return bmcOf({ uri, name: domain, requirePermitted });
  },
};

const bmcOf = (domain: Domain): Bmc => {
  /** Somebody else may have come first, or it was so all along; only what it is in the end counts. */
  const unlessItIs = async (power: 'on' | 'off', work: Promise<unknown>, signal: AbortSignal): Promise<void> => {
    try {
      await work;
    } catch (error) {
      if (!(error instanceof BmcError) || error.fault !== 'failed') throw error;
      if ((await isOff(domain, signal)) !== (power === 'off')) throw error;
    }
  };
  const powerOff = (signal: AbortSignal): Promise<void> =>
    unlessItIs('off', onDomain(domain, 'destroy', signal), signal);

  return {
    identify: async (signal) => {
      // The domain has to be there too.
      const state = await stateOf(domain, signal);
      const version = await virsh(domain.uri, ['version'], signal);
      const [, hypervisor = 'a hypervisor'] = /^Running hypervisor:\s*(.+)$/m.exec(version) ?? [];
      // A connection of virsh is never one that may only look.
      return { answered: `libvirt with ${hypervisor}, domain ${domain.name} (${state})`, privileges: 'read and write' };
    },
    powerStatus: async (signal) => ((await isOff(domain, signal)) ? 'off' : 'on'),
    powerOn: async (signal) => {
      const state = await stateOf(domain, signal);
      if (state === 'shut off') await unlessItIs('on', start(domain, signal), signal);
      else if (state === 'paused') await onDomain(domain, 'resume', signal);
    },
    powerOff,
    // Not "reset": only a start reads the boot device.
    powerCycle: async (signal) => {
      await powerOff(signal);
      await unlessItIs('on', start(domain, signal), signal);
    },
    askToShutDown: (signal) => unlessItIs('off', onDomain(domain, 'shutdown', signal), signal),
    bootDevices: libvirtBootDevices,
    setBootDevice: async (device, signal) => {
      const before = await definitionOf(domain, signal);
      const usual = withNextBoot(before, null) ?? before;
      const after = withBootDevice(usual, known(device)) ?? usual;
      if (after !== before) await define(domain, after, signal);
    },
    setNextBoot: async (device, signal) => {
      const after = withNextBoot(await definitionOf(domain, signal), known(device));
      if (after !== null) await define(domain, after, signal);
      return { isOnce: true, forgotten: null };
    },
    openConsole: (signal) => openDomainConsole(domain, signal),
  };
};

const known = (device: string): LibvirtBootDevice => {
  const found = libvirtBootDevices.find((one) => one === device);
  if (found) return found;
  throw new BmcError('unsupported', `a virtual machine boots from ${libvirtBootDevices.join(', ')} only`);
};
