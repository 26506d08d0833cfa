import { hush } from '@corral/base/secrets/hush';
import type { Bmc } from '../drivers/contract.ts';

/** A BMC of which nothing that goes wrong tells a secret, even if the device repeats what it was sent. */
export const hushedBmc = (bmc: Bmc, secrets: readonly string[]): Bmc => {
  const quietly = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw hush(error, secrets);
    });
  const askToShutDown = bmc.askToShutDown?.bind(bmc);
  const setNextBoot = bmc.setNextBoot?.bind(bmc);
  const isNextBootSet = bmc.isNextBootSet?.bind(bmc);
  const openConsole = bmc.openConsole?.bind(bmc);
  const close = bmc.close?.bind(bmc);
  return {
    powerStatus: (signal) => quietly(bmc.powerStatus(signal)),
    powerOn: (signal) => quietly(bmc.powerOn(signal)),
    powerOff: (signal) => quietly(bmc.powerOff(signal)),
    powerCycle: (signal) => quietly(bmc.powerCycle(signal)),
    ...(askToShutDown ? { askToShutDown: (signal) => quietly(askToShutDown(signal)) } : {}),
    bootDevices: bmc.bootDevices,
    setBootDevice: (device, signal) => quietly(bmc.setBootDevice(device, signal)),
    ...(setNextBoot ? { setNextBoot: (device, signal) => quietly(setNextBoot(device, signal)) } : {}),
    ...(isNextBootSet ? { isNextBootSet: (signal) => quietly(isNextBootSet(signal)) } : {}),
    ...(openConsole ? { openConsole: (signal) => quietly(openConsole(signal)) } : {}),
    ...(close ? { close } : {}),
  };
};
