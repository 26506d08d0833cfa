import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { Text } from '../../schema/labels.ts';
import type { PortConfig, PortOutcome, SwitchDriver, SwitchSession } from './contract.ts';
import { type Faults, SimulatedSwitch } from './simulated.ts';

/** A switch that is only simulated, with faults on demand. */
export const mockSwitch = (directory: string): SwitchDriver => ({
  config: Type.Object({ hostname: Text, username: Text, password: Type.String() }, { additionalProperties: false }),
  capabilities: ['nativeless-trunk-mode'],
  hasLegacyType: true,
  portName: (name) => name,
  open: async ({ label }, signal) => {
    const device = new SimulatedSwitch(directory, label);
    await misbehave(device, signal);
    return sessionWith(device);
  },
});

const misbehave = async (device: SimulatedSwitch, signal: AbortSignal): Promise<void> => {
  if (device.faults.unreachable) throw new Error('connection refused');
  if (device.faults.hang) await sleep(2 ** 31 - 1, undefined, { signal });
};

const covers = (ports: readonly string[] | undefined, port: string): boolean =>
  ports !== undefined && (ports.includes('*') || ports.includes(port));

const refuses = (faults: Faults, { port, native, tagged }: PortConfig): boolean =>
  covers(faults.refuse, port) || (faults.refuseVlans ?? []).some((vlan) => native === vlan || tagged.includes(vlan));

const sessionWith = (device: SimulatedSwitch): SwitchSession => ({
  apply: async (ports, signal) => {
    const { faults } = device;
    await misbehave(device, signal);
    if (faults.delayMs !== undefined) await sleep(faults.delayMs, undefined, { signal });
    const outcomes = ports.map((state): PortOutcome =>
      refuses(faults, state)
        ? { port: state.port, applied: false, reason: 'the switch refuses the change' }
        : { port: state.port, applied: true },
    );
    device.write(ports.filter((state) => !refuses(faults, state) && !covers(faults.lie, state.port)));
    if (faults.drop) throw new Error('connection reset by peer');
    return outcomes;
  },
  read: async (ports, signal) => {
    await misbehave(device, signal);
    return device.read(ports);
  },
  readAll: async (signal) => {
    await misbehave(device, signal);
    return device.ports;
  },
  close: () => Promise.resolve(),
});
