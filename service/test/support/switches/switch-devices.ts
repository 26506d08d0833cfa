import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type LabSwitch,
  type Part,
  startCiscoIos,
  startCiscoNxos,
  startDellN3000,
  startDellOs10,
  startPowerConnect55xx,
  startJunosSwitch,
  startArista,
  startAristaEos,
  startBrocade,
  startDellOs9,
  startOvs,
  startVde,
} from '@corral/lab';
import type { SwitchDriver } from '../../../src/drivers/switches/switch-contract.ts';
import { switchDrivers } from '../../../src/drivers/switches/switch-drivers.ts';
import { type Faults, SimulatedSwitch } from '../../../src/drivers/switches/simulated-switch.ts';

/** A device that a driver is tried on: what it needs installed, and how it starts. */
export interface Device {
  /** null: nothing beyond Node. */
  readonly needs: Part | null;
  /** `directory` is where simulated switches keep their memory. */
  start(directory: string): Promise<LabSwitch>;
}

const simulated: Device = {
  needs: null,
  start: (directory) => {
    const device = new SimulatedSwitch(directory, 'sw');
    const sane: Faults = { refuseVlans: [4000] };
    const hangs = { hang: true };
    const broken = { hang: hangs, hold: hangs, cut: { drop: true }, refuse: { unreachable: true } };
    device.faults = sane;
    return Promise.resolve({
      fields: { hostname: 'h', username: 'u', password: 'p' },
      ports: Array.from({ length: 200 }, (_, port) => `gi1/0/${port}`),
      unknownPort: null,
      refusedVlan: 4000,
      carried: (port) => {
        const [state] = device.read([port]);
        return Promise.resolve(state ? { native: state.native, tagged: state.tagged } : { native: null, tagged: [] });
      },
      tamper: (port, state) => {
        device.write([{ port, ...state }]);
        return Promise.resolve();
      },
      breakLine: (fault) => {
        device.faults = fault === null ? sane : { ...sane, ...broken[fault.kind] };
      },
      learn: (learned) => {
        device.learned = learned;
      },
      stop: () => Promise.resolve(),
    });
  },
};

/** For every driver in the registry, the device that it is tried on. */
export const devices: Readonly<Record<string, Device>> = {
  mock: simulated,
  ovs: { needs: 'Open vSwitch', start: () => startOvs({ emptyPorts: 200 }) },
  brocade: { needs: null, start: () => startBrocade() },
  dellnos9: { needs: null, start: () => startDellOs9() },
  'arista-eapi': { needs: null, start: () => startArista() },
  'arista-eos': { needs: null, start: () => startAristaEos() },
  'cisco-ios': { needs: null, start: () => startCiscoIos() },
  'cisco-nxos': { needs: null, start: () => startCiscoNxos({ series: 9500 }) },
  nexus: { needs: null, start: () => startCiscoNxos({ series: 5000, asksFirst: true }) },
  'dell-os10': { needs: null, start: () => startDellOs10() },
  delln3000: { needs: null, start: () => startDellN3000() },
  powerconnect55xx: { needs: null, start: () => startPowerConnect55xx() },
  vde: { needs: 'vde_switch', start: () => startVde() },
  junos: { needs: null, start: () => startJunosSwitch() },
};

/** A driver, pointed at a device of its kind. */
export interface Trial {
  readonly driver: SwitchDriver;
  readonly device: LabSwitch;
  readonly stop: () => Promise<void>;
}

export const startTrial = async (type: string): Promise<Trial> => {
  const directory = await mkdtemp(join(tmpdir(), 'corral-switch-'));
  const driver = switchDrivers({ simulatedSwitches: directory })[type];
  const device = await devices[type]?.start(directory);
  if (!driver || !device) throw new Error(`no driver or no device for switches of type ${type}`);
  return {
    driver,
    device,
    stop: async () => {
      await device.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
};
