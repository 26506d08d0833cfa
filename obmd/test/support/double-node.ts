import { expect } from 'vitest';
import { type Daemon, daemonForTest, done } from './daemon.ts';
import { DoubleBmc, doubleDriver } from './double.ts';
import type { EngineName } from './engines.ts';
import { newTenant, shown, type Tenant } from './tenant.ts';

/** A node whose BMC does what the test says, and whoever holds its token. */
export interface DoubleNode {
  readonly daemon: Daemon;
  readonly bmc: DoubleBmc;
  readonly tenant: Tenant;
}

interface Setup {
  readonly engine?: EngineName;
  readonly env?: Readonly<Record<string, string>>;
  readonly bootDevices?: readonly string[];
}

/** A daemon of its own with the node n1, until the test is over. */
export const makeDoubleNode = async ({ engine = 'sqlite', env = {}, bootDevices }: Setup = {}): Promise<DoubleNode> => {
  const bmc = new DoubleBmc();
  const daemon = await daemonForTest(engine, { env, drivers: { double: doubleDriver(bmc, bootDevices) } });
  await done(daemon.admin('PUT', '/node/n1', { type: 'double', info: {} }));
  return { daemon, bmc, tenant: await newTenant(daemon, 'n1') };
};

/** Waits for what the console of the node n1 is said to be. */
export const consoleOf = (daemon: Daemon) =>
  expect.poll(async () => (await shown(daemon, 'n1'))['console'], { timeout: 10_000, interval: 20 });
