import { describe, expect, it } from 'vitest';
import { type BootSite, booted, expectPutBack, expire, makeBootSite, report } from '../support/services/boot-site.ts';
import { type EngineName, engines } from '../support/services/engines.ts';
import { addNode, cleaningThat, ended, freeNodes, isStuckAt, leave, stepOf } from '../support/services/gated-node.ts';
import { done } from '../support/services/world.ts';

const mac = '52:54:00:00:00:01';

/** A node that has reported clean, and is still on: the switch sees it where the test says. */
const reported = async (engine: EngineName, ...ports: readonly string[]): Promise<BootSite> => {
  const site = await makeBootSite(engine, { CORRAL_CLEANING_CHECK_WIRING: 'true' });
  seenAt(site, ...ports);
  await leave(site.alice);
  expect((await report(site, await booted(site))).status).toBe(200);
  return site;
};

const seenAt = ({ service }: BootSite, ...ports: readonly string[]): void => {
  service.simulated('sw0').learned = ports.map((port) => ({ port, mac, vlan: 777 }));
};

describe.each(engines)('the wiring of a node that booted to be cleaned, on %s', (engine) => {
  it('lets the node pass if its switch sees it at its port', async () => {
    const site = await reported(engine, 'n1/eth0');
    const { steps } = await cleaningThat(site.service, ended('passed'));
    expect(steps.map(({ name, state }) => `${name} ${state}`).slice(5)).toEqual([
      ...['wipe-network passed', 'wipe passed', 'wipe-wiring passed', 'wipe-off passed', 'wipe-detach passed'],
      ...['wipe-bootdev passed', 'ports-again passed'],
    ]);
    const checked = steps.find(({ name }) => name === 'wipe-wiring');
    expect(checked?.sentence).toBe('the switches see every nic at the port that it is recorded on');
    expect(checked?.evidence).toBe(
      `nic eth0 (${mac}) is recorded on port n1/eth0 of switch sw0, and was seen at port n1/eth0 of switch sw0 (nic eth0 of node n1)`,
    );
    await expectPutBack(site);
  });

  it('quarantines a node that is plugged in where another is recorded, off and off the network', async () => {
    const site = await makeBootSite(engine, { CORRAL_CLEANING_CHECK_WIRING: 'true' });
    await addNode(site, 'n2');
    seenAt(site, 'n2/eth0');
    await leave(site.alice);
    expect((await report(site, await booted(site))).status).toBe(200);
    const failed = await cleaningThat(site.service, ended('failed'));
    expect(failed.reason).toBe(
      `step wipe-wiring: nic eth0 (${mac}) is recorded on port n1/eth0 of switch sw0, and was seen at port n2/eth0 of switch sw0 (nic eth0 of node n2)`,
    );
    await expectPutBack(site);
    expect(await freeNodes(site.service)).toEqual(['n2']);
    // Somebody plugs it in right.
    seenAt(site, 'n1/eth0');
    await done(site.service.admin.post(`/cleaning/${failed.cleaning}/retry`));
    expect((await report(site, await booted(site, 2))).status).toBe(200);
    await cleaningThat(site.service, ended('passed'));
  });

  it('is checked again while the node is seen nowhere, and counts as wrong at the deadline', async () => {
    const site = await reported(engine);
    const stuck = await cleaningThat(site.service, isStuckAt('wipe-wiring'));
    const nowhere = `nic eth0 (${mac}) is recorded on port n1/eth0 of switch sw0, and was seen nowhere`;
    expect(stepOf(stuck, 'wipe-wiring')?.sentence).toBe(nowhere);
    expect(site.machine.power).toBe('on');
    await expire(site, 'wipe-wiring');
    const failed = await cleaningThat(site.service, ended('failed'));
    expect(failed.reason).toBe(`step wipe-wiring: not done at its deadline: ${nowhere}`);
    await expectPutBack(site);
  });

  it('of a node that is heard late is right as soon as it is heard; an operator can skip it, with a reason', async () => {
    const late = await reported(engine);
    await cleaningThat(late.service, isStuckAt('wipe-wiring'));
    seenAt(late, 'n1/eth0');
    await cleaningThat(late.service, ended('passed'));
    await expectPutBack(late);

    const silent = await reported(engine);
    const { cleaning } = await cleaningThat(silent.service, isStuckAt('wipe-wiring'));
    const skipped = { step: 'wipe-wiring', reason: 'seen by eye' };
    await done(silent.service.admin.post(`/cleaning/${cleaning}/skip`, skipped));
    await cleaningThat(silent.service, ended('passed'));
    await expectPutBack(silent);
  });
});
