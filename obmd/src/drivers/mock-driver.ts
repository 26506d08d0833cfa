import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { type Bmc, type BmcDriver, BmcError, type BmcFault, type BmcPermit } from './bmc-contract.ts';
import { addressPattern, addressRule, type MockAddress, type MockCall, parseAddress } from './mock/mock-address.ts';
import { mockBootDevices, mockMachine } from './mock/mock-machine.ts';

/** A BMC that is only imagined, and misbehaves as its address says. */
export const mockBmc: BmcDriver = {
  info: Type.Object(
    { addr: Type.String({ pattern: addressPattern, maxLength: 1_000, description: addressRule }) },
    { additionalProperties: false },
  ),
  secrets: [],
  bmcOf: ({ addr }, _outbound, permit) => {
    if (typeof addr !== 'string') throw new Error('the BMC has no field addr');
    return bmcAt(parseAddress(addr), permit);
  },
};

const sentences: Readonly<Record<BmcFault, string>> = {
  unreachable: 'the mock BMC does not answer, as its address requests; register the node with another',
  credentials: 'the mock BMC refuses its user, as its address requests; register the node with another',
  unsupported: 'the mock BMC cannot do this, as its address requests; register the node with another',
  failed: 'the mock BMC failed, as its address requests; register the node with another',
};

/** Time that a call takes, or as much of it as there is. */
const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined);
  if (signal.aborted) {
    throw new BmcError('unreachable', 'the mock BMC did not answer in time; try again', { cause: signal.reason });
  }
};

const known = (device: string): (typeof mockBootDevices)[number] => {
  const found = mockBootDevices.find((one) => one === device);
  if (!found) throw new BmcError('unsupported', `the mock BMC boots from ${mockBootDevices.join(', ')} only`);
  return found;
};

const bmcAt = (address: MockAddress, permit?: BmcPermit): Bmc => {
  const machine = mockMachine(address.machine);
  const covers = (calls: ReadonlySet<string>, call: MockCall): boolean => calls.has(call) || calls.has('all');

  /** Does what a call does, after all that its address puts before it. */
  const answer = async <T>(call: MockCall, signal: AbortSignal, act: () => T): Promise<T> => {
    if (machine.isHung || covers(address.hanging, call)) await pause(2 ** 31 - 1, signal);
    await pause(address.delayMs, signal);
    if (covers(address.failing, call)) throw new BmcError(address.fault, sentences[address.fault]);
    permit?.check();
    return act();
  };

  return {
    identify: (signal) =>
      answer('identify', signal, () => ({ answered: `mock BMC of machine ${address.machine}`, privileges: 'all' })),
    powerStatus: (signal) => answer('power_status', signal, () => machine.power),
    powerOn: (signal) => answer('power_on', signal, () => machine.powerOn()),
    powerOff: (signal) => answer('power_off', signal, () => machine.powerOff()),
    powerCycle: (signal) =>
      answer('power_cycle', signal, () => {
        machine.powerOff();
        machine.powerOn();
      }),
    askToShutDown: (signal) => answer('shutdown', signal, () => machine.askToShutDown()),
    bootDevices: mockBootDevices,
    setBootDevice: (device, signal) =>
      answer('boot_device', signal, () => {
        machine.bootDevice = known(device);
        machine.nextBoot = null;
      }),
    setNextBoot: (device, signal) =>
      answer('boot_device', signal, () => {
        machine.nextBoot = known(device);
        return { isOnce: true, forgotten: null };
      }),
    openConsole: (signal) => answer('console', signal, () => machine.openConsole(address)),
  };
};
