import { beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import {
  leftoversOf,
  makeHeadnode,
  nothingLeft,
  redService,
  showHeadnode,
  startsOf,
} from '../support/headnodes/headnode-helpers.ts';
import { backstage, oddHypervisor } from '../support/headnodes/faulty-hypervisor.ts';
import { gate, replicaOf } from '../support/services/obm-rack.ts';
import type { Service } from '../support/services/service.ts';
import { message, refusal } from '../support/services/shared-service.ts';
import { done, eventually, makeNetwork } from '../support/services/world.ts';

const noSuch = '404 NotFoundError';

describe.each(engines)('a hypervisor with faults, on %s', (engine) => {
  beforeEach(() => backstage.reset());
  const failing = (): never => {
    throw new Error('it is out of disk space');
  };

  it('that fails after the machine was made: nothing is left of it, and the headnode is as before', async () => {
    const service = await redService(engine, oddHypervisor);
    const { admin } = service;
    await makeHeadnode(service, 'h', 'red', ['eth0']);
    const before = await showHeadnode(service, 'h');
    backstage.after = (verb) => (verb === 'start' ? failing() : undefined);
    const answer = admin.post('/headnode/h/start');
    expect(await refusal(answer)).toBe('502 HypervisorError');
    expect(await message(answer)).toContain('out of disk space');
    expect(backstage.machines.size).toBe(0);
    expect(await showHeadnode(service, 'h')).toEqual(before);
    expect(await startsOf(service)).toBe(0);
    await done(admin.del('/headnode/h/hnic/eth0'));
    backstage.reset();
    await done(admin.post('/headnode/h/start'));
    expect([...backstage.machines.values()]).toMatchObject([{ hnics: [], isOn: true }]);
  });

  it('that can neither make the machine nor take it back: it is reported, and the next start makes it', async () => {
    const service = await redService(engine, oddHypervisor);
    await makeHeadnode(service, 'h', 'red');
    backstage.after = (verb) => (verb === 'start' ? failing() : undefined);
    backstage.before = (verb) => (verb === 'remove' ? failing() : undefined);
    expect(await refusal(service.admin.post('/headnode/h/start'))).toBe('502 HypervisorError');
    expect(await leftoversOf(service)).toEqual(nothingLeft);
    backstage.before = backstage.after = () => undefined;
    await done(service.admin.post('/headnode/h/start'));
    expect(await startsOf(service)).toBe(1);
    await done(service.admin.del('/headnode/h'));
    expect(backstage.machines.size).toBe(0);
  });

  it('that is down: every call that needs it is a 502 which says so, and nothing changes', async () => {
    const service = await redService(engine, oddHypervisor);
    const { admin } = service;
    for (const headnode of ['off', 'on']) await makeHeadnode(service, headnode, 'red');
    await done(admin.post('/headnode/on/start'));
    backstage.before = () => {
      throw new Error('it cannot be reached');
    };
    const calls = [
      admin.get('/headnode_images'),
      admin.put('/headnode/new', { project: 'red', base_img: 'base' }),
      admin.post('/headnode/off/start'),
      admin.post('/headnode/on/stop'),
      admin.get('/headnode/on'),
      admin.get('/headnode/on/vnc'),
      admin.del('/headnode_leftover/none'),
    ];
    for (const call of calls) {
      expect(await refusal(call)).toBe('502 HypervisorError');
      expect(await message(call)).toContain('it cannot be reached');
    }
    expect(await leftoversOf(service)).toEqual({
      leftovers: [],
      fault: expect.stringContaining('it cannot be reached') as string,
    });
    backstage.before = () => undefined;
    expect(await refusal(admin.get('/headnode/new'))).toBe(noSuch);
    expect((await showHeadnode(service, 'on')).vncport).toEqual(expect.any(Number));
    await done(admin.put('/headnode/off/hnic/eth0'));
    await done(admin.post('/headnode/off/start'));
    expect(backstage.machines.size).toBe(2);
  });

  it('that has lost the image: the start is refused, and the headnode as before', async () => {
    const service = await redService(engine, oddHypervisor);
    await makeHeadnode(service, 'h', 'red');
    backstage.installed = ['other'];
    const answer = service.admin.post('/headnode/h/start');
    expect(await refusal(answer)).toBe('400 BadArgumentError');
    expect(await message(answer)).toMatch(/image base .*headnode h /);
    expect(backstage.calls.filter((call) => call.startsWith('start'))).toEqual([]);
    await done(service.admin.put('/headnode/h/hnic/eth0'));
  });

  it('that is slow: another process does not take the start for one that was left half done', async () => {
    const service = await redService(engine, oddHypervisor);
    const uuid = await makeHeadnode(service, 'h', 'red');
    const { opened, open } = gate();
    backstage.before = (verb) => (verb === 'start' ? opened : undefined);
    const started = service.admin.post('/headnode/h/start');
    await eventually(() => (backstage.calls.includes(`start ${uuid}`) ? true : undefined));
    const replica = await replicaOf(service);
    const said = (words: string) =>
      eventually(() => (replica.log.some((line) => line.includes(words)) ? true : undefined));
    // Not before the keeper has seen it half done: it has nothing to look at afterwards.
    await said('recovering unfinished headnode');
    open();
    await done(started);
    await said('unfinished headnode recovered');
    expect(backstage.calls).not.toContain(`remove ${uuid}`);
    expect((await showHeadnode(replica, 'h')).vncport).toEqual(expect.any(Number));
    expect(await refusal(replica.admin.put('/headnode/h/hnic/eth0'))).toBe('409 IllegalStateError');
  });

  it('that is slow to delete: what is going is not a leftover', async () => {
    const service = await redService(engine, oddHypervisor);
    await makeHeadnode(service, 'h', 'red');
    await done(service.admin.post('/headnode/h/start'));
    // It is asked for its machines, then the headnode goes, then what is recorded is looked up.
    backstage.after = async (verb) => {
      if (verb !== 'machines') return;
      backstage.after = () => undefined;
      await done(service.admin.del('/headnode/h'));
    };
    expect(await leftoversOf(service)).toEqual(nothingLeft);
  });
});

describe.each(engines)('changes to one headnode at once, on %s', (engine) => {
  beforeEach(() => backstage.reset());
  const polite = ['200', '404 NotFoundError', '409 BlockedError', '409 DuplicateError', '409 IllegalStateError'];
  const outcome = async (answer: ReturnType<Service['admin']['get']>): Promise<string> =>
    (await answer).status === 200 ? '200' : refusal(answer);

  it('come one after the other, whatever they are, and leave nothing behind', { timeout: 120_000 }, async () => {
    const service = await redService(engine, oddHypervisor);
    const replica = await replicaOf(service);
    // The hypervisor takes a moment for everything, so that the calls do meet.
    backstage.before = backstage.after = () => new Promise((resolve) => setTimeout(resolve, 3));
    for (let round = 0; round < 6; round += 1) {
      await makeHeadnode(service, 'h', 'red', ['eth0']);
      const outcomes = await Promise.all(
        [service, replica].flatMap(({ admin }) => [
          outcome(admin.post('/headnode/h/start')),
          outcome(admin.post('/headnode/h/stop')),
          outcome(admin.put('/headnode/h/hnic/eth1')),
          outcome(admin.post('/headnode/h/start')),
          outcome(admin.post('/headnode/h/stop')),
          outcome(admin.del('/headnode/h')),
          outcome(admin.put('/headnode/h', { project: 'red', base_img: 'base' })),
        ]),
      );
      expect(polite).toEqual(expect.arrayContaining([...new Set(outcomes)]));
      const left = await service.admin.get('/headnode/h');
      if (left.status === 200) await done(service.admin.del('/headnode/h'));
      expect(backstage.machines.size).toBe(0);
      expect(await leftoversOf(service)).toEqual(nothingLeft);
    }
  });

  it('a start that waited for a deletion does not start the next headnode of that name', async () => {
    const service = await redService(engine, oddHypervisor);
    const { admin } = service;
    const uuid = await makeHeadnode(service, 'h', 'red');
    const { opened, open } = gate();
    backstage.before = (verb) => (verb === 'remove' ? opened : undefined);
    const deleted = admin.del('/headnode/h');
    await eventually(() => (backstage.calls.includes(`remove ${uuid}`) ? true : undefined));
    const started = admin.post('/headnode/h/start');
    // What came later has been answered: by now it waits.
    for (let later = 0; later < 5; later += 1) await showHeadnode(service, 'h');
    open();
    await done(deleted);
    await makeHeadnode(service, 'h', 'red');
    expect(await refusal(started)).toBe(noSuch);
    expect(backstage.machines.size).toBe(0);
    expect((await showHeadnode(service, 'h')).vncport).toBeNull();
  });

  it('a start and changes of hnics: the machine has the cards that are recorded', { timeout: 120_000 }, async () => {
    const service = await redService(engine, oddHypervisor);
    const { admin } = service;
    await makeNetwork(service, 'net', 'red');
    const { body } = await done(admin.get('/network/net'));
    const vlan = Number((body as { channels: string[] }).channels.join().replaceAll(/\D/g, ''));
    for (let round = 0; round < 10; round += 1) {
      const headnode = `h${round}`;
      const uuid = await makeHeadnode(service, headnode, 'red', ['kept', 'gone']);
      const at = `/headnode/${headnode}`;
      const outcomes = await Promise.all([
        outcome(admin.put(`${at}/hnic/new`)),
        outcome(admin.del(`${at}/hnic/gone`)),
        outcome(admin.post(`${at}/start`)),
        outcome(admin.post(`${at}/hnic/kept/connect_network`, { network: 'net' })),
        outcome(admin.put(`${at}/hnic/late`)),
      ]);
      expect(polite).toEqual(expect.arrayContaining(outcomes));
      const machine = backstage.machines.get(uuid);
      expect(machine?.hnics.map(({ label }) => label)).toEqual((await showHeadnode(service, headnode)).hnics);
      const isOnNet = (await admin.get('/network/net')).text.includes(headnode) || outcomes[3] === '200';
      expect(machine?.hnics.find(({ label }) => label === 'kept')?.vlan).toBe(isOnNet ? vlan : null);
      const addresses = machine?.hnics.map(({ macaddr }) => macaddr) ?? [];
      expect(new Set(addresses).size).toBe(addresses.length);
      for (const address of addresses) expect(address).toMatch(/^02(:[0-9a-f]{2}){5}$/);
    }
  });
});
