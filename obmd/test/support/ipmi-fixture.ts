import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type IpmiSimOptions, type LabIpmiSim, startIpmiSim } from '@corral/lab';
import { onTestFinished } from 'vitest';
import type { Bmc } from '../../src/drivers/bmc-contract.ts';
import { ipmiBmc } from '../../src/drivers/ipmi-driver.ts';
import { type IpmiTarget, ipmiTargetFrom } from '../../src/drivers/ipmi/ipmi-target.ts';
import { type Terminal, terminalOn } from './console.ts';
import { anywhere } from './obmd-outbound.ts';

export const amply = (): AbortSignal => AbortSignal.timeout(30_000);

/** An ipmi_sim for the running test. */
export const simWith = async (options: IpmiSimOptions = {}): Promise<LabIpmiSim> => {
  const sim = await startIpmiSim(options);
  onTestFinished(() => sim.stop());
  return sim;
};

const infoOf = ({ addr, port, user, pass }: LabIpmiSim, more: object = {}) => ({ addr, port, user, pass, ...more });

export const targetOf = (sim: LabIpmiSim): IpmiTarget => ipmiTargetFrom(infoOf(sim));

/** Its BMC, with other fields than it should have if they are given. */
export const bmcOf = (sim: LabIpmiSim, fields?: object): Bmc => ipmiBmc.bmcOf(infoOf(sim, fields), anywhere);

/** Opens its console for the running test. */
export const openConsoleOf = async (sim: LabIpmiSim): Promise<Terminal> => {
  const stream = await bmcOf(sim).openConsole?.(amply());
  if (!stream) throw new Error('it has no console');
  const terminal = terminalOn(stream);
  onTestFinished(() => terminal.close());
  return terminal;
};

/** A directory for the running test. */
export const scratch = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'corral-ipmi-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
};

/** What a call failed with. */
export const failureOf = (call: Promise<unknown> | undefined): Promise<unknown> =>
  Promise.resolve(call).then(
    () => 'it did not fail',
    (error: unknown) => error,
  );
