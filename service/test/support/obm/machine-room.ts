import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type LabIpmiSim,
  type LabOvs,
  type LabQemu,
  type LabQemuOptions,
  startIpmiSim,
  startMachine,
  startOvs,
} from '@corral/lab';
import { loadConfig } from '@corral/obmd/config/load-obmd-config';
import { startObmd } from '@corral/obmd/start';
import { pino } from 'pino';
import { expect } from 'vitest';
import { basic } from '../http/http-client.ts';

/** A machine with its BMC, an OBM daemon that knows the BMC, and the switch that the machine is plugged into. */
export interface MachineRoom {
  readonly ovs: LabOvs;
  readonly machine: LabQemu;
  readonly bmc: LabIpmiSim;
  /** How node_register names the machine. */
  readonly obmd: DaemonNode;
  stop(): Promise<void>;
}

type Undo = (() => Promise<unknown>)[];

/** Starts all of it; the switch has this many hosts beside. */
export const startMachineRoom = async (
  hosts: number,
  options: Pick<LabQemuOptions, 'platform' | 'disk'> = {},
): Promise<MachineRoom> => {
  const undo: Undo = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const ovs = await startOvs({ hosts });
    undo.push(() => ovs.stop());
    const machine = await startMachine({ ovs, ...options });
    undo.push(() => machine.stop());
    const bmc = await startIpmiSim({ chassis: machine.chassis, serialPort: machine.serialPort });
    undo.push(() => bmc.stop());
    return { ovs, machine, bmc, obmd: await registerIn(undo, bmc), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

interface DaemonNode {
  readonly uri: string;
  readonly admin_token: string;
}

/** Starts a real OBM daemon and registers the machine behind this BMC in it. */
const registerIn = async (undo: Undo, { addr, port, user, pass }: LabIpmiSim): Promise<DaemonNode> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'corral-obmd-'));
  undo.push(() => rm(dataDir, { recursive: true, force: true }));
  const token = 'b17d-admin-token';
  const env = { CORRAL_OBMD: '127.0.0.1:0', CORRAL_DATA_DIR: dataDir, CORRAL_OBMD_ADMIN_TOKEN: token };
  const daemon = await startObmd(loadConfig(env), pino({ level: 'silent' }));
  undo.push(() => daemon.stop());
  const uri = `${daemon.url}/node/n1`;
  const registered = await fetch(uri, {
    method: 'PUT',
    headers: { authorization: basic('admin', token) },
    body: JSON.stringify({ type: 'ipmi', info: { addr, port, user, pass } }),
  });
  expect(registered.status, await registered.text()).toBe(200);
  return { uri, admin_token: token };
};
