import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { replicaOf } from '../support/services/obm-rack.ts';
import { serviceForTest } from '../support/services/service.ts';
import { message, refusal, sharedService } from '../support/services/shared-service.ts';
import { done, makeNetwork, makeProject } from '../support/services/world.ts';

describe.each(engines)('hnics on %s', (engine) => {
  const service = sharedService(engine);

  /** A project, a headnode of that project with one hnic, and a network of that project, all called alike. */
  const makeWorld = async (label: string): Promise<void> => {
    await makeProject(service(), label);
    await done(service().admin.put(`/headnode/${label}`, { project: label, base_img: 'base' }));
    await done(service().admin.put(`/headnode/${label}/hnic/eth0`));
    await makeNetwork(service(), label, label);
  };
  const connectHnic = (headnode: string, network: string, hnic = 'eth0') =>
    service().admin.post(`/headnode/${headnode}/hnic/${hnic}/connect_network`, { network });
  const hnicsOf = async (headnode: string) => {
    const { hnics, nics } = (await service().admin.get(`/headnode/${headnode}`)).body as Record<string, string[]>;
    expect(nics).toEqual(hnics);
    return hnics;
  };

  it('headnode_create_hnic adds an hnic, and says nothing; they are shown sorted, under both names', async () => {
    await makeWorld('adding');
    const answer = await service().admin.put('/headnode/adding/hnic/a-first');
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await hnicsOf('adding')).toEqual(['a-first', 'eth0']);
  });

  it('two headnodes may have hnics of one label, one headnode may not', async () => {
    await makeWorld('one');
    await makeWorld('other');
    const answer = service().admin.put('/headnode/one/hnic/eth0');
    expect(await refusal(answer)).toBe('409 DuplicateError');
    expect(await message(answer)).toMatch(/headnode one .* hnic eth0/);
  });

  it('headnode_delete_hnic removes the hnic, and says nothing', async () => {
    await makeWorld('removing');
    const answer = await service().admin.del('/headnode/removing/hnic/eth0');
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await hnicsOf('removing')).toEqual([]);
    expect(await refusal(service().admin.del('/headnode/removing/hnic/eth0'))).toBe('404 NotFoundError');
  });

  it('an hnic that goes leaves its network', async () => {
    await makeWorld('leaving');
    await done(connectHnic('leaving', 'leaving'));
    await done(service().admin.del('/headnode/leaving/hnic/eth0'));
    await done(service().admin.del('/network/leaving'));
  });

  describe('headnode_connect_network', () => {
    it('attaches a network of the project, and says nothing; the network cannot go until it is detached', async () => {
      await makeWorld('attaching');
      const answer = await connectHnic('attaching', 'attaching');
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect(await refusal(service().admin.del('/network/attaching'))).toBe('409 BlockedError');
      const detached = await service().admin.post('/headnode/attaching/hnic/eth0/detach_network');
      expect([detached.status, detached.text]).toEqual([200, '']);
      await done(service().admin.del('/network/attaching'));
    });

    it('attaches a public network, and one that the project was given access to', async () => {
      await makeWorld('guest');
      await makeWorld('host');
      await done(service().admin.put('/network/open', { owner: 'admin', access: '', net_id: '' }));
      await done(service().admin.put('/network/host/access/guest'));
      await done(service().admin.put('/headnode/guest/hnic/eth1'));
      await done(connectHnic('guest', 'open'));
      await done(connectHnic('guest', 'host', 'eth1'));
    });

    it('refuses a network that the project has no access to', async () => {
      await makeWorld('outside');
      await makeWorld('inside');
      expect(await refusal(connectHnic('outside', 'inside'))).toBe('409 ProjectMismatchError');
    });

    it('refuses a network whose id an administrator assigned', async () => {
      await makeWorld('assigned');
      await done(service().admin.put('/network/fixed', { owner: 'assigned', access: 'assigned', net_id: '2000' }));
      expect(await refusal(connectHnic('assigned', 'fixed'))).toBe('409 BlockedError');
    });

    it('refuses an hnic that is on a network already, be it the same', async () => {
      await makeWorld('full');
      await makeNetwork(service(), 'full-2', 'full');
      await done(connectHnic('full', 'full'));
      for (const network of ['full', 'full-2'])
        expect(await refusal(connectHnic('full', network))).toBe('409 BlockedError');
    });

    it('knows no channel: it is implicit', async () => {
      await makeWorld('channels');
      const answer = service().admin.post('/headnode/channels/hnic/eth0/connect_network', {
        network: 'channels',
        channel: 'vlan/native',
      });
      expect(await refusal(answer)).toBe('400 ValidationError');
      expect(await message(answer)).toContain('"channel"');
    });

    it('needs an hnic and a network that exist', async () => {
      await makeWorld('needy');
      expect(await refusal(connectHnic('needy', 'nothing'))).toBe('404 NotFoundError');
      expect(await refusal(connectHnic('needy', 'needy', 'eth9'))).toBe('404 NotFoundError');
      expect(await refusal(service().admin.post('/headnode/needy/hnic/eth0/connect_network'))).toBe(
        '400 ValidationError',
      );
    });
  });

  it('detaching an hnic that is on no network changes nothing', async () => {
    await makeWorld('loose');
    const answer = await service().admin.post('/headnode/loose/hnic/eth0/detach_network');
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await refusal(service().admin.post('/headnode/loose/hnic/eth9/detach_network'))).toBe('404 NotFoundError');
  });

  it.each<[string, readonly string[]]>([
    ['started', ['start']],
    ['stopped', ['start', 'stop']],
  ])('a %s headnode is frozen: no hnic comes or goes, no network changes', async (label, calls) => {
    const { admin } = service();
    await makeWorld(label);
    await done(admin.put(`/headnode/${label}/hnic/eth1`));
    await done(connectHnic(label, label));
    for (const call of calls) await done(admin.post(`/headnode/${label}/${call}`));
    const attempts = [
      admin.put(`/headnode/${label}/hnic/eth2`),
      admin.del(`/headnode/${label}/hnic/eth0`),
      connectHnic(label, label, 'eth1'),
      admin.post(`/headnode/${label}/hnic/eth0/detach_network`),
      admin.post(`/headnode/${label}/hnic/eth1/detach_network`),
    ];
    for (const attempt of attempts) expect(await refusal(attempt)).toBe('409 IllegalStateError');
    expect(await hnicsOf(label)).toEqual(['eth0', 'eth1']);
    expect(await refusal(admin.del(`/network/${label}`))).toBe('409 BlockedError');
  });

  it('the machine that is started has the hnics of its headnode, each on the VLAN of its network', async () => {
    const { admin, dataDir } = service();
    await makeWorld('machine');
    await done(admin.put('/headnode/machine/hnic/bare'));
    await done(connectHnic('machine', 'machine'));
    await done(admin.post('/headnode/machine/start'));
    const { uuid } = (await admin.get('/headnode/machine')).body as { uuid: string };
    const networks = (await admin.get('/networks')).body as Record<string, { network_id: string }>;
    const machines = JSON.parse(await readFile(join(dataDir, 'mock-hypervisor.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    expect(machines[uuid]).toMatchObject({
      image: 'base',
      hnics: [
        { label: 'bare', vlan: null },
        { label: 'eth0', vlan: Number(networks['machine']?.network_id) },
      ],
    });
  });

  it('all of it outlives a restart of the service', async () => {
    const before = await serviceForTest(engine);
    await makeProject(before, 'red');
    for (const headnode of ['created', 'started', 'stopped']) {
      await done(before.admin.put(`/headnode/${headnode}`, { project: 'red', base_img: 'base' }));
      await done(before.admin.put(`/headnode/${headnode}/hnic/eth0`));
    }
    for (const headnode of ['started', 'stopped']) await done(before.admin.post(`/headnode/${headnode}/start`));
    await done(before.admin.post('/headnode/stopped/stop'));
    const labels = ['created', 'started', 'stopped'];
    const shown = await Promise.all(labels.map(async (label) => (await before.admin.get(`/headnode/${label}`)).body));
    await before.stop();

    const { admin } = await replicaOf(before);
    const again = await Promise.all(labels.map(async (label) => (await admin.get(`/headnode/${label}`)).body));
    expect(again).toEqual(shown);
    expect(again).toMatchObject([{ vncport: null }, { vncport: expect.any(Number) as number }, { vncport: null }]);
    expect(await refusal(admin.put('/headnode/started/hnic/eth1'))).toBe('409 IllegalStateError');
    expect(await refusal(admin.put('/headnode/stopped/hnic/eth1'))).toBe('409 IllegalStateError');
    expect(await refusal(admin.post('/headnode/stopped/start'))).toBe('409 IllegalStateError');
    await done(admin.put('/headnode/created/hnic/eth1'));
    await done(admin.post('/headnode/created/start'));
    await done(admin.post('/headnode/started/stop'));
    for (const label of labels) await done(admin.del(`/headnode/${label}`));
  });
});
