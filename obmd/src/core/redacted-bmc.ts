import { redactError } from '@corral/base/secrets/redact';
import type { Bmc } from '../drivers/bmc-contract.ts';

/** A BMC of which nothing that goes wrong tells a secret, even if the device repeats what it was sent. */
export const redactedBmc = (bmc: Bmc, secrets: readonly string[]): Bmc => {
  const redacting = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw redactError(error, secrets);
    });
  const askToShutDown = bmc.askToShutDown?.bind(bmc);
  const setNextBoot = bmc.setNextBoot?.bind(bmc);
  const isNextBootSet = bmc.isNextBootSet?.bind(bmc);
  const openConsole = bmc.openConsole?.bind(bmc);
  const close = bmc.close?.bind(bmc);
  return {
    powerStatus: (signal) => redacting(bmc.powerStatus(signal)),
    powerOn: (signal) => redacting(bmc.powerOn(signal)),
    powerOff: (signal) => redacting(bmc.powerOff(signal)),
    powerCycle: (signal) => redacting(bmc.powerCycle(signal)),
    ...(askToShutDown ? { askToShutDown: (signal) => redacting(askToShutDown(signal)) } : {}),
    bootDevices: bmc.bootDevices,
    setBootDevice: (device, signal) => redacting(bmc.setBootDevice(device, signal)),
    ...(setNextBoot ? { setNextBoot: (device, signal) => redacting(setNextBoot(device, signal)) } : {}),
    ...(isNextBootSet ? { isNextBootSet: (signal) => redacting(isNextBootSet(signal)) } : {}),
    ...(openConsole ? { openConsole: (signal) => redacting(openConsole(signal)) } : {}),
    ...(close ? { close } : {}),
  };
};
