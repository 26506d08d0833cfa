import { expect } from 'vitest';
import { type Daemon, daemonForTest, done } from './daemon.ts';
import { ScriptedBmc, scriptedDriver } from './scripted-bmc.ts';
import type { EngineName } from './obmd-engines.ts';
import { newTenant, shown, type Tenant } from './token-holder.ts';

/** A node whose BMC does what the test says, and whoever holds its token. */
export interface ScriptedNode {
  readonly daemon: Daemon;
  readonly bmc: ScriptedBmc;
  readonly tenant: Tenant;
}

interface Setup {
  readonly engine?: EngineName;
  readonly env?: Readonly<Record<string, string>>;
  readonly bootDevices?: readonly string[];
}

/** A daemon of its own with the node n1, until the test is over. */
export const makeScriptedNode = async ({
  engine = 'sqlite',
  env = {},
  bootDevices,
}: Setup = {}): Promise<ScriptedNode> => {
  const bmc = new ScriptedBmc();
  const daemon = await daemonForTest(engine, { env, drivers: { double: scriptedDriver(bmc, bootDevices) } });
  await done(daemon.admin('PUT', '/node/n1', { type: 'double', info: {} }));
  return { daemon, bmc, tenant: await newTenant(daemon, 'n1') };
};

/** Waits for what the console of the node n1 is said to be. */
export const consoleOf = (daemon: Daemon) =>
  expect.poll(async () => (await shown(daemon, 'n1'))['console'], { timeout: 10_000, interval: 20 });
