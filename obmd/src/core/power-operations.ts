import { type Bmc, BmcError } from '../drivers/bmc-contract.ts';
import { badArgument } from './obmd-error.ts';
import type { BootRestorer } from './boot-restorer.ts';
import type { Machine, TokenGrant } from './managed-machine.ts';

/** What a machine boots from after a power cycle, as the interface has it. */
const network = 'pxe';
/** What the firmware is set to. */
const firmware = 'none';

export const powerOn = (machine: Machine, grant: TokenGrant): Promise<void> =>
  machine.call('power_on', grant, (bmc, signal) => bmc.powerOn(signal));

export const powerOff = (machine: Machine, grant: TokenGrant): Promise<void> =>
  machine.call('power_off', grant, (bmc, signal) => bmc.powerOff(signal));

/** Off and on again at once, and then a boot from the network. */
export const hardCycle = (machine: Machine, grant: TokenGrant, boots: BootRestorer): Promise<void> =>
  machine.call('power_cycle', grant, async (bmc, signal) => {
    await bootFromNetwork(bmc, signal, (device) => boots.begin(machine, grant, device));
    await bmc.powerCycle(signal);
  });

/**
 * Asks the operating system to shut down. `waiting`: it was asked, and somebody has to turn the machine on again
 * when it is off. `cycled`: there was nothing to wait for.
 */
export const beginSoftCycle = (
  machine: Machine,
  grant: TokenGrant,
  boots: BootRestorer,
): Promise<'waiting' | 'cycled'> =>
  machine.call('power_cycle', grant, async (bmc, signal) => {
    await bootFromNetwork(bmc, signal, (device) => boots.begin(machine, grant, device));
    if ((await bmc.powerStatus(signal)) === 'off') {
      await bmc.powerOn(signal);
      return 'cycled';
    }
    try {
      if (bmc.askToShutDown === undefined) throw new BmcError('unsupported', 'soft shutdown is not supported');
      await bmc.askToShutDown(signal);
      return 'waiting';
    } catch (error) {
      if (!(error instanceof BmcError) || error.fault !== 'unsupported') throw error;
      await bmc.powerCycle(signal);
      return 'cycled';
    }
  });

/** From the next boot on, until it is set to something else. */
export const setBootDevice = async (
  machine: Machine,
  grant: TokenGrant,
  boots: BootRestorer,
  device: string,
): Promise<void> => {
  requireBootDevice(machine, device);
  await machine.call('boot_device', grant, (bmc, signal) => bmc.setBootDevice(device, signal));
  await boots.cancel(machine, grant);
};

/** For the next boot only; false: the BMC cannot, and has it set to last. */
export const setNextBoot = async (
  machine: Machine,
  grant: TokenGrant,
  boots: BootRestorer,
  device: string,
): Promise<boolean> => {
  requireBootDevice(machine, device);
  if (device === firmware) {
    throw badArgument(
      `bootdev ${device} clears the boot device and cannot apply to one boot only; send it without "once"`,
    );
  }
  return machine.call('boot_device', grant, (bmc, signal) =>
    bootNext(bmc, device, signal, (forgotten) => boots.begin(machine, grant, forgotten)),
  );
};

const requireBootDevice = ({ bootDevices, id, type }: Machine, device: string): void => {
  if (bootDevices.includes(device)) return;
  const known = bootDevices.join(', ');
  throw badArgument(`bootdev is not a boot device of node ${id}, which is of type ${type}; expected one of ${known}`);
};

const bootNext = async (
  bmc: Bmc,
  device: string,
  signal: AbortSignal,
  restore: (forgotten: string) => Promise<void>,
): Promise<boolean> => {
  if (bmc.setNextBoot === undefined) {
    await bmc.setBootDevice(device, signal);
    return false;
  }
  const { isOnce, forgotten } = await bmc.setNextBoot(device, signal);
  // Where the BMC does not show that the boot is still to come, nobody can tell when it has been.
  if (forgotten !== null && (await bmc.isNextBootSet?.(signal)) === true) await restore(forgotten);
  return isOnce;
};

/** A machine that cannot boot from the network is cycled all the same. */
const bootFromNetwork = async (
  bmc: Bmc,
  signal: AbortSignal,
  restore: (forgotten: string) => Promise<void>,
): Promise<void> => {
  if (!bmc.bootDevices.includes(network)) return;
  try {
    await bootNext(bmc, network, signal, restore);
  } catch (error) {
    if (!(error instanceof BmcError) || error.fault !== 'unsupported') throw error;
  }
};
