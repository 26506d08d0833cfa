import { BmcError } from '../drivers/contract.ts';
import { badArgument } from './errors.ts';
import type { Machine, Tenure } from './machine.ts';

/** What a machine boots from after a power cycle, as the interface has it. */
const network = 'pxe';

export const powerOn = (machine: Machine, tenure: Tenure): Promise<void> =>
  machine.call('power_on', tenure, (signal) => machine.bmc.powerOn(signal));

export const powerOff = (machine: Machine, tenure: Tenure): Promise<void> =>
  machine.call('power_off', tenure, (signal) => machine.bmc.powerOff(signal));

/** Off and on again at once, and then a boot from the network. */
export const hardCycle = (machine: Machine, tenure: Tenure): Promise<void> =>
  machine.call('power_cycle', tenure, async (signal) => {
    await bootFromNetwork(machine, signal);
    await machine.bmc.powerCycle(signal);
  });

/**
 * Asks the operating system to shut down. `waiting`: it was asked, and somebody has to turn the machine on again
 * when it is off. `cycled`: there was nothing to wait for.
 */
export const beginSoftCycle = (machine: Machine, tenure: Tenure): Promise<'waiting' | 'cycled'> =>
  machine.call('power_cycle', tenure, async (signal) => {
    const { bmc } = machine;
    await bootFromNetwork(machine, signal);
    if ((await bmc.powerStatus(signal)) === 'off') {
      await bmc.powerOn(signal);
      return 'cycled';
    }
    try {
      if (bmc.askToShutDown === undefined) throw new BmcError('unsupported', 'it cannot be asked to shut down');
      await bmc.askToShutDown(signal);
      return 'waiting';
    } catch (error) {
      if (!(error instanceof BmcError) || error.fault !== 'unsupported') throw error;
      await bmc.powerCycle(signal);
      return 'cycled';
    }
  });

export const setBootDevice = async (machine: Machine, tenure: Tenure, device: string): Promise<void> => {
  const { bmc, id, type } = machine;
  if (!bmc.bootDevices.includes(device)) {
    const known = bmc.bootDevices.join(', ');
    throw badArgument(`bootdev is not a boot device of node ${id}, which is of type ${type}; expected one of ${known}`);
  }
  await machine.call('boot_device', tenure, (signal) => bmc.setBootDevice(device, signal));
};

const bootFromNetwork = async ({ bmc }: Machine, signal: AbortSignal): Promise<void> => {
  if (bmc.bootDevices.includes(network)) await bmc.setBootDevice(network, signal);
};
