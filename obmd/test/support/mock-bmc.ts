import { randomBytes } from 'node:crypto';
import { mockMachine } from '../../src/drivers/mock/mock-machine.ts';
import type { TestBmc } from './test-bmc.ts';

/** A mock machine of its own, and its BMC; `fields` is what comes after the `?` of its address. */
export const startMockBmc = (fields = ''): TestBmc => {
  const machine = mockMachine(`test-${randomBytes(4).toString('hex')}`);
  return {
    info: { addr: fields === '' ? machine.name : `mock://${machine.name}?${fields}` },
    badSecret: null,
    power: () => Promise.resolve(machine.power),
    setPower: (power) => {
      if (power === 'on') machine.powerOn();
      else machine.powerOff();
      return Promise.resolve();
    },
    boots: () => Promise.resolve(machine.boots),
    bootDevice: () => Promise.resolve(machine.bootDevice),
    bootedFrom: () => Promise.resolve(machine.bootedFrom.at(-1)),
    say: (text) => {
      machine.say(text);
      return Promise.resolve();
    },
    typed: () => Promise.resolve(machine.lastTyped),
    hang: () => {
      machine.isHung = true;
      return Promise.resolve();
    },
    recover: () => {
      machine.isHung = false;
      return Promise.resolve();
    },
    stop: () => Promise.resolve(),
  };
};
