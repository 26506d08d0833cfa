import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { enc, message, oddLabels, refusal, sharedService } from '../support/services/shared-service.ts';
import { done, makeNetwork, makeProject, makeUser } from '../support/services/world.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe.each(engines)('headnodes on %s', (engine) => {
  const service = sharedService(engine, { CORRAL_IMAGES: 'ubuntu, base' });
  const makeHeadnode = (headnode: string, project: string) =>
    done(service().admin.put(`/headnode/${headnode}`, { project, base_img: 'base' }));
  const show = async (headnode: string) => (await done(service().admin.get(`/headnode/${headnode}`))).body;

  it('images are listed, sorted, to any authenticated caller', async () => {
    const user = await makeUser(service(), 'image-lister');
    for (const path of ['/headnode_images/', '/headnode_images']) {
      expect((await user.get(path)).body).toEqual(['base', 'ubuntu']);
      expect(await refusal(service().anonymous.get(path))).toBe('401 AuthorizationError');
    }
  });

  describe('headnode_create', () => {
    it('makes a headnode that is off, for a member, and says nothing', async () => {
      await makeProject(service(), 'makers');
      const member = await makeUser(service(), 'maker', 'makers');
      const answer = await member.put('/headnode/made', { project: 'makers', base_img: 'ubuntu' });
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect((await member.get('/headnode/made')).body).toEqual({
        name: 'made',
        project: 'makers',
        hnics: [],
        nics: [],
        vncport: null,
        uuid: expect.stringMatching(uuid) as string,
        base_img: 'ubuntu',
      });
      expect((await member.get('/project/makers/headnodes')).body).toEqual(['made']);
    });

    it('gives every headnode a uuid of its own', async () => {
      await makeProject(service(), 'unique');
      for (const headnode of ['unique-1', 'unique-2']) await makeHeadnode(headnode, 'unique');
      const uuids = [await show('unique-1'), await show('unique-2')].map((shown) => (shown as { uuid: string }).uuid);
      expect(new Set(uuids).size).toBe(2);
    });

    it('refuses a label that is taken, in whichever project', async () => {
      for (const project of ['taken-1', 'taken-2']) await makeProject(service(), project);
      await makeHeadnode('taken', 'taken-1');
      const answer = service().admin.put('/headnode/taken', { project: 'taken-2', base_img: 'base' });
      expect(await refusal(answer)).toBe('409 DuplicateError');
      expect(await message(answer)).toContain('headnode taken');
    });

    it('refuses an image that is not installed, and says which are', async () => {
      await makeProject(service(), 'imageless');
      const answer = service().admin.put('/headnode/imageless', { project: 'imageless', base_img: 'windows' });
      expect(await refusal(answer)).toBe('400 BadArgumentError');
      expect(await message(answer)).toMatch(/"base_img".*"windows".*base, ubuntu/);
    });

    it('needs a project that exists', async () => {
      const answer = service().admin.put('/headnode/homeless', { project: 'nowhere', base_img: 'base' });
      expect(await refusal(answer)).toBe('404 NotFoundError');
    });

    it('checks the permission first, which depends on the request alone', async () => {
      const user = await makeUser(service(), 'no-maker');
      for (const headnode of ['made', 'unmade']) {
        for (const project of ['makers', 'nowhere']) {
          for (const base_img of ['base', 'windows']) {
            const answer = user.put(`/headnode/${headnode}`, { project, base_img });
            expect(await refusal(answer)).toBe('401 AuthorizationError');
          }
        }
      }
      expect(await refusal(service().anonymous.put('/headnode/unmade', {}))).toBe('401 AuthorizationError');
    });

    it.each([{ project: 'makers' }, { base_img: 'base' }, { project: 'makers', base_img: 1 }])(
      'needs a project and an image: not %j',
      async (body) => {
        const answer = service().admin.put('/headnode/partial', body);
        expect(await refusal(answer)).toBe('400 ValidationError');
        expect(await message(answer)).toMatch(/"(project|base_img)".*expected/);
      },
    );

    it.each(oddLabels)('takes $what for a label', async ({ label }) => {
      await makeProject(service(), enc(label));
      await done(service().admin.put(`/headnode/${enc(label)}`, { project: label, base_img: 'base' }));
      await done(service().admin.put(`/headnode/${enc(label)}/hnic/${enc(label)}`));
      expect(await show(enc(label))).toMatchObject({ name: label, project: label, hnics: [label], nics: [label] });
      expect((await service().admin.get(`/project/${enc(label)}/headnodes`)).body).toEqual([label]);
      await done(service().admin.del(`/headnode/${enc(label)}`));
    });
  });

  it('labels are unique per kind: a headnode, a project and a network may share one', async () => {
    await makeProject(service(), 'one-label');
    await makeNetwork(service(), 'one-label', 'one-label');
    await makeHeadnode('one-label', 'one-label');
  });

  describe('headnode_start and headnode_stop', () => {
    it('power on and off, for a member, and say nothing', async () => {
      await makeProject(service(), 'drivers');
      const member = await makeUser(service(), 'driver', 'drivers');
      await makeHeadnode('engine', 'drivers');
      const started = await member.post('/headnode/engine/start');
      expect([started.status, started.text]).toEqual([200, '']);
      expect((await member.get('/headnode/engine')).body).toMatchObject({ vncport: expect.any(Number) as number });
      const stopped = await member.post('/headnode/engine/stop');
      expect([stopped.status, stopped.text]).toEqual([200, '']);
      expect((await member.get('/headnode/engine')).body).toMatchObject({ vncport: null });
    });

    it('starting a running headnode changes nothing', async () => {
      await makeProject(service(), 'again');
      await makeHeadnode('running', 'again');
      await done(service().admin.post('/headnode/running/start'));
      const before = await show('running');
      await done(service().admin.post('/headnode/running/start'));
      expect(await show('running')).toEqual(before);
    });

    it('stopping a stopped headnode changes nothing', async () => {
      await makeProject(service(), 'off');
      await makeHeadnode('stopped', 'off');
      await done(service().admin.post('/headnode/stopped/start'));
      await done(service().admin.post('/headnode/stopped/stop'));
      await done(service().admin.post('/headnode/stopped/stop'));
      expect(await show('stopped')).toMatchObject({ vncport: null });
    });

    it('a headnode that never started cannot be stopped', async () => {
      await makeProject(service(), 'early');
      await makeHeadnode('unstarted', 'early');
      expect(await refusal(service().admin.post('/headnode/unstarted/stop'))).toBe('409 IllegalStateError');
    });

    it('a stopped headnode stays as it is: it can only be deleted', async () => {
      const { admin } = service();
      await makeProject(service(), 'over');
      await makeHeadnode('frozen', 'over');
      await done(admin.post('/headnode/frozen/start'));
      await done(admin.post('/headnode/frozen/stop'));
      expect(await refusal(admin.post('/headnode/frozen/start'))).toBe('409 IllegalStateError');
      expect(await refusal(admin.put('/headnode/frozen/hnic/eth0'))).toBe('409 IllegalStateError');
      await done(admin.del('/headnode/frozen'));
    });

    it('running headnodes have different VNC ports', async () => {
      await makeProject(service(), 'ports');
      for (const headnode of ['vnc-1', 'vnc-2']) {
        await makeHeadnode(headnode, 'ports');
        await done(service().admin.post(`/headnode/${headnode}/start`));
      }
      const ports = [await show('vnc-1'), await show('vnc-2')].map((shown) => (shown as { vncport: number }).vncport);
      expect(new Set(ports).size).toBe(2);
    });

    it('many starts at once are one start', async () => {
      await makeProject(service(), 'crowd');
      await makeHeadnode('crowded', 'crowd');
      await Promise.all(Array.from({ length: 4 }, () => done(service().admin.post('/headnode/crowded/start'))));
      const { body } = await service().admin.get('/events?headnode=crowded&type=headnode_start');
      expect((body as { events: unknown[] }).events).toHaveLength(1);
    });
  });

  describe('headnode_delete', () => {
    it.each<[string, readonly string[]]>([
      ['was never started', []],
      ['runs', ['start']],
      ['was stopped', ['start', 'stop']],
    ])('deletes a headnode that %s, with its hnics, and frees its networks', async (what, calls) => {
      const { admin } = service();
      const label = enc(what);
      await makeProject(service(), label);
      await makeHeadnode(label, what);
      await makeNetwork(service(), label, what);
      await done(admin.put(`/headnode/${label}/hnic/eth0`));
      await done(admin.post(`/headnode/${label}/hnic/eth0/connect_network`, { network: what }));
      for (const call of calls) await done(admin.post(`/headnode/${label}/${call}`));
      const answer = await admin.del(`/headnode/${label}`);
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect(await refusal(admin.get(`/headnode/${label}`))).toBe('404 NotFoundError');
      await done(admin.del(`/network/${label}`));
      await makeHeadnode(label, what);
      expect(await show(label)).toMatchObject({ hnics: [], vncport: null });
    });
  });

  it('a headnode whose deletion failed half-way can only be deleted, and that succeeds once the hypervisor lets it', async () => {
    const { admin, dataDir } = service();
    await makeProject(service(), 'halfway');
    await makeHeadnode('halfway', 'halfway');
    await done(admin.post('/headnode/halfway/start'));
    // Where the mock hypervisor would write there is a directory in its way.
    const obstacle = join(dataDir, 'mock-hypervisor.json.new');
    await mkdir(obstacle);
    expect(await refusal(admin.del('/headnode/halfway'))).toBe('502 HypervisorError');
    await rmdir(obstacle);
    expect(await show('halfway')).toMatchObject({ vncport: null });
    expect(await refusal(admin.post('/headnode/halfway/start'))).toBe('409 BlockedError');
    expect(await refusal(admin.post('/headnode/halfway/stop'))).toBe('409 BlockedError');
    expect(await refusal(admin.put('/headnode/halfway/hnic/eth0'))).toBe('409 IllegalStateError');
    await done(admin.del('/headnode/halfway'));
    expect(await refusal(admin.get('/headnode/halfway'))).toBe('404 NotFoundError');
  });

  it('a start that the hypervisor refuses is reported, and leaves the headnode as it was: it may be tried again', async () => {
    const { admin, dataDir } = service();
    await makeProject(service(), 'stubborn');
    await makeHeadnode('stubborn', 'stubborn');
    const before = await show('stubborn');
    const obstacle = join(dataDir, 'mock-hypervisor.json.new');
    await mkdir(obstacle);
    const answer = admin.post('/headnode/stubborn/start');
    expect(await refusal(answer)).toBe('502 HypervisorError');
    expect(await message(answer)).toContain('try again');
    await rmdir(obstacle);
    expect(await show('stubborn')).toEqual(before);
    expect(await refusal(admin.post('/headnode/stubborn/stop'))).toBe('409 IllegalStateError');
    await done(admin.put('/headnode/stubborn/hnic/eth0'));
    await done(admin.post('/headnode/stubborn/start'));
    expect(await show('stubborn')).toMatchObject({ hnics: ['eth0'], vncport: expect.any(Number) as number });
    expect(await refusal(admin.put('/headnode/stubborn/hnic/eth1'))).toBe('409 IllegalStateError');
  });

  it('every call about a headnode is for members of its project and administrators', async () => {
    await makeProject(service(), 'guarded');
    await makeHeadnode('vault', 'guarded');
    await done(service().admin.put('/headnode/vault/hnic/eth0'));
    const stranger = await makeUser(service(), 'intruder');
    for (const [client, ofMissing] of [
      [stranger, '404 NotFoundError'],
      [service().anonymous, '401 AuthorizationError'],
    ] as const) {
      for (const headnode of ['vault', 'missing']) {
        const calls = [
          client.get(`/headnode/${headnode}`),
          client.post(`/headnode/${headnode}/start`),
          client.post(`/headnode/${headnode}/stop`),
          client.get(`/headnode/${headnode}/vnc`),
          client.put(`/headnode/${headnode}/hnic/eth1`),
          client.del(`/headnode/${headnode}/hnic/eth0`),
          client.post(`/headnode/${headnode}/hnic/eth0/connect_network`, { network: 'net' }),
          client.post(`/headnode/${headnode}/hnic/eth0/detach_network`),
          client.del(`/headnode/${headnode}`),
        ];
        for (const call of calls) {
          expect(await refusal(call)).toBe(headnode === 'vault' ? '401 AuthorizationError' : ofMissing);
        }
      }
    }
    expect(await show('vault')).toMatchObject({ hnics: ['eth0'], vncport: null });
  });
});
