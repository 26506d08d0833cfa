import { expect } from 'vitest';
import { type Listener, startListener } from '../http/http-listener.ts';
import { carried } from '../switches/drift-helpers.ts';
import type { EngineName } from './engines.ts';
import { expectSound } from './expect-invariants.ts';
import { cleaningThat, type GatedSite, makeGatedSite, stepOf } from './gated-node.ts';
import { runSql } from './run-sql.ts';
import { done, eventually, makeProject } from './world.ts';

/** What the site's service is sent. */
export interface Order {
  readonly cleaning: string;
  readonly node: string;
  readonly step: string;
  readonly token: string;
  readonly url: string;
  readonly nics: readonly { readonly nic: string; readonly macaddr: string }[];
}

/** One whose nodes boot from network `cleaning`, and what is asked to prepare that. */
export interface BootSite extends GatedSite {
  readonly prepare: Listener;
}

export const emptyCarried = { native: null, tagged: [] };
export const cleaningVlan = 777;

/** With nothing but one boot, which is called wipe. */
export const makeBootSite = async (
  engine: EngineName,
  env: Readonly<Record<string, string>> = {},
): Promise<BootSite> => {
  const prepare = await startListener();
  const site = await makeGatedSite(engine, {
    CORRAL_PUBLIC_URL: 'https://corral.example.org',
    CORRAL_CLEANING_STEPS: `wipe boot ${prepare.url}`,
    CORRAL_CLEANING_BOOT_NETWORK: 'cleaning',
    ...env,
  });
  const { service } = site;
  await makeProject(service, 'servers');
  const fields = { owner: 'admin', access: 'servers', net_id: String(cleaningVlan) };
  await done(service.admin.put('/network/cleaning', fields));
  return { ...site, prepare };
};

/** What the port of the node carries. */
export const portOf = ({ service }: GatedSite) => carried(service, 'sw0', 'n1/eth0');

/** Waits until the node boots from the cleaning network: the nth order, and what it has to report with. */
export const booted = async ({ prepare, machine, service }: BootSite, times = 1): Promise<Order> => {
  const order = await eventually(() => prepare.heard[times - 1]?.body as Order | undefined);
  await cleaningThat(service, (cleaning) => stepOf(cleaning, 'wipe')?.sentence?.includes('turned on') === true);
  expect(machine.power).toBe('on');
  return order;
};

/** What booted reports its result. */
export const report = ({ service }: GatedSite, { cleaning, step, token }: Order, outcome = 'clean') =>
  service.anonymous.post(`/cleaning/${cleaning}/result`, { step, token, outcome, evidence: 'two disks' });

/** The deadline of a step passes. */
export const expire = async ({ service }: Pick<GatedSite, 'service'>, step: string): Promise<void> => {
  const over = `update cleaning_steps set deadline_at = 0 where name = '${step}'`;
  await runSql(service, { sqlite: over, postgres: over });
  const due = 'update cleanings set due_at = 0';
  await runSql(service, { sqlite: due, postgres: due });
};

/** The node is off, on no network, with its boot device as it was. */
export const expectPutBack = async (site: BootSite): Promise<void> => {
  expect(portOf(site)).toEqual(emptyCarried);
  expect([site.machine.power, site.machine.bootDevice, site.machine.token]).toEqual(['off', 'none', null]);
  await expectSound(site.service.env);
};
