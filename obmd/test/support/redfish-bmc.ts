import { type LabRedfishOptions, startRedfish } from '@corral/lab';
import type { TestBmc } from './test-bmc.ts';

const devices: Readonly<Record<string, string>> = { Pxe: 'pxe', Hdd: 'disk', None: 'none' };

/** A Redfish service of the lab, to try the driver on. */
export const startRedfishBmc = async (options: LabRedfishOptions): Promise<TestBmc> => {
  const service = await startRedfish({ powerMs: 20, ...options });
  const { machine } = service;
  return {
    info: service.info,
    badSecret: { ...service.info, pass: 'not-the-password' },
    power: () => Promise.resolve(machine.power),
    setPower: (power) => {
      machine.setPower(power);
      return Promise.resolve();
    },
    boots: () => Promise.resolve(machine.boots),
    bootDevice: () => {
      const { enabled, target } = machine.boot;
      return Promise.resolve(enabled === 'Disabled' ? 'none' : (devices[target] ?? target));
    },
    bootedFrom: () => Promise.resolve(devices[machine.bootedFrom.at(-1) ?? '']),
    say: () => Promise.reject(new Error('a Redfish service carries no console')),
    typed: () => Promise.reject(new Error('a Redfish service carries no console')),
    hang: () => {
      service.breakLine({ kind: 'hang' });
      return Promise.resolve();
    },
    recover: () => {
      service.mend();
      return Promise.resolve();
    },
    stop: () => service.stop(),
  };
};
