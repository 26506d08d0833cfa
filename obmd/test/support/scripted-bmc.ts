import { PassThrough } from 'node:stream';
import { Type } from '@sinclair/typebox';
import type { Bmc, BmcDriver, BmcIdentity } from '../../src/drivers/bmc-contract.ts';

/** One thing that a BMC was asked to do. */
export interface ScriptedCall {
  readonly call: string;
  isOver: boolean;
}

/** A BMC of which the test decides what each call does, and which remembers all of them. */
export class ScriptedBmc {
  readonly calls: ScriptedCall[] = [];
  power: 'on' | 'off' = 'on';
  identity: BmcIdentity = { answered: 'a scripted BMC', privileges: 'all' };
  /** The console, while it is open. */
  line: PassThrough | null = null;
  lines = 0;
  /** What a call waits for before it has an effect. */
  before: (call: string, signal: AbortSignal) => Promise<void> = () => Promise.resolve();
  /** Called when a call has its effect. */
  effect: (call: string) => void = () => undefined;

  get running(): readonly string[] {
    return this.calls.filter(({ isOver }) => !isOver).map(({ call }) => call);
  }

  get done(): readonly string[] {
    return this.calls.map(({ call }) => call);
  }

  /** From now on every call waits until the function that it gives is called, and no abort ends it. */
  hold(): () => void {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    this.before = () => gate;
    return () => {
      this.before = () => Promise.resolve();
      open();
    };
  }

  bmc(bootDevices: readonly string[]): Bmc {
    const act = async <T>(call: string, signal: AbortSignal, effect: () => T): Promise<T> => {
      const entry: ScriptedCall = { call, isOver: false };
      this.calls.push(entry);
      try {
        await this.before(call, signal);
        this.effect(call);
        return effect();
      } finally {
        entry.isOver = true;
      }
    };
    const set = (power: 'on' | 'off') => () => {
      this.power = power;
    };
    return {
      identify: (signal) => act('identify', signal, () => this.identity),
      powerStatus: (signal) => act('power_status', signal, () => this.power),
      powerOn: (signal) => act('power_on', signal, set('on')),
      powerOff: (signal) => act('power_off', signal, set('off')),
      powerCycle: (signal) => act('power_cycle', signal, set('on')),
      askToShutDown: (signal) => act('shutdown', signal, () => undefined),
      bootDevices,
      setBootDevice: (device, signal) => act(device, signal, () => undefined),
      openConsole: (signal) => act('console', signal, () => this.#open()),
    };
  }

  #open(): PassThrough {
    const line = new PassThrough();
    this.lines += 1;
    this.line = line;
    line.once('close', () => {
      this.lines -= 1;
      if (this.line === line) this.line = null;
    });
    return line;
  }
}

/** The driver whose BMC this is, whatever node it is registered for. */
export const scriptedDriver = (bmc: ScriptedBmc, bootDevices: readonly string[] = ['pxe', 'disk']): BmcDriver => ({
  info: Type.Object({ pass: Type.Optional(Type.String()) }, { additionalProperties: false }),
  secrets: ['pass'],
  bmcOf: () => bmc.bmc(bootDevices),
});
