import { describe, expect, it } from 'vitest';
import { startListener } from '../support/http/http-listener.ts';
import {
  booted,
  cleaningVlan,
  emptyCarried,
  expectPutBack,
  expire,
  makeBootSite,
  type Order,
  portOf,
  report,
} from '../support/services/boot-site.ts';
import { engines } from '../support/services/engines.ts';
import { expectSound } from '../support/services/expect-invariants.ts';
import { cleaningThat, ended, freeNodes, isStuckAt, leave, stepOf } from '../support/services/gated-node.ts';
import { message } from '../support/services/shared-service.ts';
import { done, eventually, makeNetwork, reserve, settled } from '../support/services/world.ts';

describe.each(engines)('a node that boots to be cleaned, on %s', (engine) => {
  it('is put on the cleaning network, turned on, and off it again after its result', async () => {
    const site = await makeBootSite(engine);
    const { service, alice, machine, prepare } = site;
    await leave(alice);
    const order = await booted(site);
    expect(order).toMatchObject({
      node: 'n1',
      step: 'wipe',
      url: `https://corral.example.org/v0/cleaning/${order.cleaning}/result`,
      nics: [{ nic: 'eth0', macaddr: '52:54:00:00:00:01' }],
    });
    expect(machine.bootDevice).toBe('pxe');
    expect(portOf(site)).toEqual({ native: cleaningVlan, tagged: [] });
    await expectSound(service.env);
    expect(await freeNodes(service)).toEqual([]);
    expect(await message(alice.post('/project/red/connect_node', { node: 'n1' }))).toContain('is being cleaned');
    expect((await report(site, order)).status).toBe(200);
    const { steps } = await cleaningThat(service, ended('passed'));
    expect(steps.map(({ name, state }) => `${name} ${state}`)).toEqual([
      ...['power passed', 'networks passed', 'ports passed', 'bootdev passed', 'bmc passed'],
      ...['wipe-network passed', 'wipe passed', 'wipe-off passed', 'wipe-detach passed', 'wipe-bootdev passed'],
      'ports-again passed',
    ]);
    await expectPutBack(site);
    expect(prepare.heard).toHaveLength(1);
    expect((await report(site, order)).status).toBe(409);
    await reserve(service, 'blue', 'n1');
  });

  it.each(['reports a failure', 'reports nothing'])(
    'and %s is taken off the network and turned off before it is quarantined; a retry cleans it',
    async (how) => {
      const site = await makeBootSite(engine);
      const { service, alice } = site;
      await leave(alice);
      const order = await booted(site);
      if (how === 'reports a failure') expect((await report(site, order, 'failed')).status).toBe(200);
      else await expire(site, 'wipe');
      const failed = await cleaningThat(service, ended('failed'));
      expect(failed.reason).toMatch(/^step wipe: (reported as failed|not done at its deadline)/);
      expect(failed.steps.map(({ name, state }) => `${name} ${state}`).slice(5)).toEqual([
        ...['wipe-network passed', 'wipe failed', 'wipe-off passed', 'wipe-detach passed', 'wipe-bootdev passed'],
        'ports-again pending',
      ]);
      await expectPutBack(site);
      expect(await freeNodes(service)).toEqual([]);
      await done(service.admin.post(`/cleaning/${failed.cleaning}/retry`));
      expect((await report(site, await booted(site, 2))).status).toBe(200);
      await cleaningThat(service, ended('passed'));
      await expectPutBack(site);
    },
  );

  it('that wakes by itself is turned off before its token is given out, and booted from the network in any case', async () => {
    const site = await makeBootSite(engine);
    const { service, alice, machine, prepare } = site;
    /** An alarm of its clock that the last tenant set: it starts what they left on its disk. */
    const wake = () => {
      machine.bootDevice = 'disk';
      machine.powerOn();
    };
    const power: string[] = [];
    prepare.react = () => {
      power.push(machine.power);
      wake();
      return power.length === 1 ? 503 : 200;
    };
    await leave(alice);
    const order = await booted(site, 2);
    expect(power).toEqual(['off', 'off']);
    expect(machine.bootedFrom.slice(-3)).toEqual(['disk', 'disk', 'pxe']);
    expect((await report(site, order)).status).toBe(200);
    await cleaningThat(service, ended('passed'));
    await expectPutBack(site);
  });

  it('that wakes by itself is not put on the cleaning network before it is off', async () => {
    const look = await startListener();
    const wipe = await startListener();
    const steps = `look webhook ${look.url}, wipe boot ${wipe.url}`;
    const site = { ...(await makeBootSite(engine, { CORRAL_CLEANING_STEPS: steps })), prepare: wipe };
    const { service, alice, machine } = site;
    await leave(alice);
    const looked = await eventually(() => look.heard[0]?.body as Order | undefined);
    machine.powerOn();
    machine.fault = { kind: 'status', status: 500, on: ['power_off'] };
    expect((await report(site, looked)).status).toBe(200);
    const stuck = await cleaningThat(service, isStuckAt('wipe-network'));
    expect(stepOf(stuck, 'wipe-network')?.sentence).toContain('OBM');
    expect(portOf(site)).toEqual(emptyCarried);
    machine.fault = null;
    expect((await report(site, await booted(site))).status).toBe(200);
    await cleaningThat(service, ended('passed'));
    await expectPutBack(site);
  });

  it('is not turned on while its port is not on the cleaning network, and quarantined with its port empty', async () => {
    const site = await makeBootSite(engine);
    const { service, alice, prepare } = site;
    service.simulated('sw0').faults = { refuseVlans: [cleaningVlan] };
    await leave(alice);
    const stuck = await cleaningThat(service, isStuckAt('wipe-network'));
    expect(stepOf(stuck, 'wipe-network')?.sentence).toContain('refused');
    await expire(site, 'wipe-network');
    const failed = await cleaningThat(service, ended('failed'));
    expect(failed.reason).toMatch(/^step wipe-network: not done at its deadline: /);
    expect(stepOf(failed, 'wipe')?.state).toBe('pending');
    expect(prepare.heard).toEqual([]);
    await expectPutBack(site);
  });

  it.each(['clean', 'failed'])(
    'is taken off the network, and no other boot is undone, if its BMC fails after it reported %s',
    async (outcome) => {
      const again = await startListener();
      const wipe = await startListener();
      const steps = `wipe boot ${wipe.url}, again boot ${again.url}`;
      const site = { ...(await makeBootSite(engine, { CORRAL_CLEANING_STEPS: steps })), prepare: wipe };
      const { service, alice, machine } = site;
      await leave(alice);
      const order = await booted(site);
      machine.fault = { kind: 'status', status: 500, on: ['power_off'] };
      expect((await report(site, order, outcome)).status).toBe(200);
      await cleaningThat(service, isStuckAt('wipe-off'));
      await expire(site, 'wipe-off');
      const failed = await cleaningThat(service, ended('failed'));
      const step = outcome === 'clean' ? 'wipe-off: not done at its deadline' : 'wipe: reported as failed';
      expect(failed.reason).toContain(`step ${step}`);
      expect(failed.steps.map(({ name, state }) => `${name} ${state}`).slice(7)).toEqual([
        ...['wipe-off failed', 'wipe-detach passed', 'wipe-bootdev passed', 'again-network pending', 'again pending'],
        ...['again-off pending', 'again-detach pending', 'again-bootdev pending', 'ports-again pending'],
      ]);
      expect([portOf(site), machine.power, machine.bootDevice]).toEqual([emptyCarried, 'on', 'none']);
      expect(await freeNodes(service)).toEqual([]);
      await expectSound(service.env);
      expect(again.heard).toEqual([]);
    },
  );

  it('goes on to be put back if an operator skips the boot', async () => {
    const site = await makeBootSite(engine);
    const { service, alice } = site;
    await leave(alice);
    const { cleaning } = await booted(site);
    await done(service.admin.post(`/cleaning/${cleaning}/skip`, { step: 'wipe', reason: 'no disks' }));
    await cleaningThat(service, ended('passed'));
    await expectPutBack(site);
    const refused = await message(service.admin.post(`/cleaning/${cleaning}/skip`, { step: 'wipe', reason: 'x' }));
    expect(refused).toContain('has passed');
  });

  it('that is quarantined meanwhile stays as it is, and is turned off and taken off the network by a retry', async () => {
    const site = await makeBootSite(engine);
    const { service, alice, machine } = site;
    await leave(alice);
    const { cleaning } = await booted(site);
    await done(service.admin.post('/node/n1/quarantine', { reason: 'let me look at its console' }));
    expect([machine.power, portOf(site)]).toEqual(['on', { native: cleaningVlan, tagged: [] }]);
    await expectSound(service.env);
    expect(await message(service.admin.post('/switch/sw0/port/n1/eth0/detach_nic'))).toBe(
      'nic eth0 of node n1 is on network cleaning; revert the port first',
    );
    await done(service.admin.post(`/cleaning/${cleaning}/retry`));
    expect((await report(site, await booted(site, 2))).status).toBe(200);
    await cleaningThat(service, ended('passed'));
    await expectPutBack(site);
    await done(service.admin.post('/switch/sw0/port/n1/eth0/detach_nic'));
  });

  it('that is quarantined meanwhile can be taken off the network by an operator, and deleted', async () => {
    const site = await makeBootSite(engine);
    const { service, alice } = site;
    await leave(alice);
    await booted(site);
    await done(service.admin.post('/node/n1/quarantine', { reason: 'scrapped' }));
    const revert = await service.admin.post('/switch/sw0/port/n1/eth0/revert');
    expect((await settled(service, revert)).status).toBe('DONE');
    expect(portOf(site)).toEqual(emptyCarried);
    await done(service.admin.post('/switch/sw0/port/n1/eth0/detach_nic'));
    await done(service.admin.del('/node/n1/nic/eth0'));
    await done(service.admin.del('/node/n1'));
    await expectSound(service.env);
  });

  it.each([
    ['a project owns', { owner: 'red', access: 'red', net_id: '' }],
    ['is public', { owner: 'admin', access: '', net_id: '' }],
  ])('does not boot on a network that %s', async (_, fields) => {
    const site = await makeBootSite(engine, { CORRAL_CLEANING_BOOT_NETWORK: 'unfit' });
    const { service, alice, prepare } = site;
    await done(service.admin.put('/network/unfit', fields));
    await leave(alice);
    const stuck = await cleaningThat(service, isStuckAt('wipe-network'));
    expect(stepOf(stuck, 'wipe-network')?.sentence).toContain('network unfit cannot be used for cleaning');
    expect([prepare.heard, portOf(site)]).toEqual([[], emptyCarried]);
  });

  it('does not boot by other nics than those that the site names', async () => {
    const site = await makeBootSite(engine, { CORRAL_CLEANING_BOOT_NICS: 'ipmi, eth1' });
    const { service, alice } = site;
    await makeNetwork(service, 'red-net', 'red');
    await leave(alice);
    const stuck = await cleaningThat(service, isStuckAt('wipe-network'));
    expect(stepOf(stuck, 'wipe-network')?.sentence).toBe('node n1 has no nic to boot from');
    expect(portOf(site)).toEqual(emptyCarried);
  });
});
