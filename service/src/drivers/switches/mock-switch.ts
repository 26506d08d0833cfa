import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { Text } from '../../schema/labels.ts';
import type { PortConfig, PortOutcome, SwitchDriver, SwitchSession } from './switch-contract.ts';
import { shown } from '../../schema/shown-fields.ts';
import { type Faults, SimulatedSwitch } from './simulated-switch.ts';

/** A switch that is only simulated, with faults on demand. */
export const mockSwitch = (directory: string): SwitchDriver => ({
  config: Type.Object(
    { hostname: shown(Text), username: shown(Text), password: Type.String() },
    { additionalProperties: false },
  ),
  capabilities: ['nativeless-trunk-mode'],
  hasLegacyType: true,
  // There is no line to it: a change that was given up is never made.
  refusesLateWrites: true,
  portName: (name) => name,
  open: async ({ label }, signal) => sessionWith(await loggedIn(directory, label, signal), null),
  openDry: async ({ label }, held, signal) => sessionWith(await loggedIn(directory, label, signal), held),
});

const loggedIn = async (directory: string, label: string, signal: AbortSignal): Promise<SimulatedSwitch> => {
  const device = new SimulatedSwitch(directory, label);
  await misbehave(device, signal);
  await pause(device.faults.loginMs, signal);
  return device;
};

const misbehave = async (device: SimulatedSwitch, signal: AbortSignal): Promise<void> => {
  if (device.faults.unreachable) throw new Error('connection refused');
  if (device.faults.hang) await sleep(2 ** 31 - 1, undefined, { signal });
};

const pause = async (ms: number | undefined, signal: AbortSignal): Promise<void> => {
  if (ms !== undefined && ms > 0) await sleep(ms, undefined, { signal });
};

const covers = (ports: readonly string[] | undefined, port: string): boolean =>
  ports !== undefined && (ports.includes('*') || ports.includes(port));

const refuses = (faults: Faults, { port, native, tagged }: PortConfig): boolean =>
  covers(faults.refuse, port) || (faults.refuseVlans ?? []).some((vlan) => native === vlan || tagged.includes(vlan));

/** It has no messages of its own: a change is written as `set`. */
const messageFor = ({ port, native, tagged }: PortConfig): string =>
  `set ${port} native ${native ?? 'none'} tagged ${tagged.join(',') || 'none'}`;

/** `held`: who gets what would change the switch; null: the switch. */
const sessionWith = (device: SimulatedSwitch, held: ((message: string) => void) | null): SwitchSession => ({
  apply: async (ports, signal) => {
    const { faults } = device;
    await misbehave(device, signal);
    await pause(faults.delayMs, signal);
    const unlucky = ports.findIndex(() => Math.random() * 100 < (faults.dropPercent ?? 0));
    const reached = unlucky < 0 ? ports : ports.slice(0, unlucky);
    await pause((faults.portMs ?? 0) * (unlucky < 0 ? ports.length : unlucky + 1), signal);
    const outcomes = ports.map((state): PortOutcome =>
      refuses(faults, state)
        ? { port: state.port, applied: false, reason: 'the switch refuses the change' }
        : { port: state.port, applied: true },
    );
    const written = reached.filter((state) => !refuses(faults, state) && !covers(faults.lie, state.port));
    if (held) written.forEach((state) => held(messageFor(state)));
    else device.write(written);
    if (unlucky >= 0) device.noteDrop();
    if (unlucky >= 0 || faults.drop) throw new Error('connection reset by peer');
    return outcomes;
  },
  read: async (ports, signal) => {
    await misbehave(device, signal);
    if (device.faults.drop) throw new Error('connection reset by peer');
    return device.read(ports);
  },
  readAll: async (signal) => {
    await misbehave(device, signal);
    if (device.faults.drop) throw new Error('connection reset by peer');
    return device.ports;
  },
  neighbours: async (signal) => {
    await misbehave(device, signal);
    return device.faults.tellsNothing
      ? { refused: 'the simulated switch keeps no table of addresses' }
      : device.learned;
  },
  identity: () => Promise.resolve(device.serial),
  about: () => Promise.resolve('simulated switch'),
  lacks: () => Promise.resolve([]),
  save: async (signal) => {
    await misbehave(device, signal);
    if (device.faults.saveFails) throw new Error('no space left in flash');
    if (held) held('save');
    else device.save();
  },
  close: () => Promise.resolve(),
});
