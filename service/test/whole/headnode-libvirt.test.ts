import { once } from 'node:events';
import { connect } from 'node:net';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasPart } from '@corral/lab';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { type HeadnodeHost, sleepers, startHeadnodeHost } from '../support/headnodes/headnode-host.ts';
import { leftoversOf, makeHeadnode, nothingLeft, showHeadnode } from '../support/headnodes/headnode-helpers.ts';
import { Screen } from '../support/headnodes/screen-client.ts';
import type { Answer } from '../support/http/http-client.ts';
import { type Service, startService } from '../support/services/service.ts';
import { message, refusal } from '../support/services/shared-service.ts';
import { done, eventually, makeProject, makeUser } from '../support/services/world.ts';

const banner = /^RFB 003\.\d{3}\n/;
const timeout = 120_000;

/** What answers on a port of this computer, at once. */
const greetingOf = async (port: number): Promise<string> => {
  const socket = connect(port, '127.0.0.1');
  const [data] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return data.toString('latin1');
};

/** What would be shared by the headnodes of all projects, by the element that it stands in. */
const sharing = {
  filesystem: { devices: `<filesystem type='mount'><source dir='/tmp'/><target dir='shared'/></filesystem>` },
  shmem: { devices: `<shmem name='shared'><model type='ivshmem-plain'/><size unit='M'>1</size></shmem>` },
  hostdev: {
    devices: `<hostdev mode='subsystem' type='pci'><source><address domain='0' bus='0' slot='1' function='0'/></source></hostdev>`,
  },
  disk: {
    devices: `<disk type='file' device='disk'><driver name='qemu' type='raw'/><source file='/tmp/shared.img'/><target dev='vdb' bus='virtio'/><shareable/></disk>`,
  },
  'qemu:commandline': { top: `<qemu:commandline><qemu:arg value='-S'/></qemu:commandline>` },
} as const;

const oddTemplate = ({ devices = '', top = '' }): string => `
<domain type='qemu' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>
  <name>odd</name>
  <uuid>3e0f1d4e-36a7-4b5c-8f3a-0d5b7a1c9e22</uuid>
  <memory unit='MiB'>32</memory>
  <os><type arch='aarch64' machine='virt'>hvm</type></os>
  <features><gic version='2'/></features>
  <cpu mode='custom'><model>cortex-a57</model></cpu>
  <devices><controller type='usb' model='none'/><memballoon model='none'/>${devices}</devices>${top}
</domain>`;

/** Twenty machines at once keep two processors busy for longer than a lease lasts. */
const busy = { timeout: 150_000 };

/** Tries again what lost its lease, as the answer says. */
const patiently = (call: () => Promise<Answer>): Promise<Answer> =>
  eventually(async () => {
    const answer = await call();
    const isLost = answer.status === 409 && answer.text.includes('the lease expired');
    return isLost ? undefined : done(Promise.resolve(answer));
  }, 60_000);

describe.skipIf(!hasPart('libvirt'))('headnodes on libvirt', { timeout }, () => {
  let host: HeadnodeHost;
  beforeAll(async () => {
    host = await startHeadnodeHost();
  });
  afterAll(() => host.libvirt.stop());

  /** With an image more, which is not there yet. */
  const oddEnv = () => ({ ...host.env, CORRAL_IMAGES: `${host.env['CORRAL_IMAGES'] ?? ''}, odd` });

  describe.each(engines)('and %s', (engine) => {
    let service: Service;
    beforeAll(async () => {
      service = await startService(engine, oddEnv());
      await makeProject(service, 'red');
    });
    afterAll(async () => {
      await service.stop();
      await rm(service.dataDir, { recursive: true, force: true });
    });
    // Whatever a test did: when its headnodes are gone, nothing of them is left.
    afterEach(async () => {
      const { body } = await done(service.admin.get('/project/red/headnodes'));
      for (const headnode of body as string[]) await done(service.admin.del(`/headnode/${headnode}`));
      expect([await host.domains(), await host.volumes(), await leftoversOf(service)]).toEqual([[], [], nothingLeft]);
    });

    it.each(['base', 'disk'])('have their whole life over REST, made from %s', async (image) => {
      const alice = await makeUser(service, `alice-${image}`, 'red');
      expect((await alice.get('/headnode_images')).body).toEqual(['base', 'disk']);
      await done(alice.put('/headnode/h', { project: 'red', base_img: image }));
      for (const hnic of ['eth0', 'eth1']) await done(alice.put(`/headnode/h/hnic/${hnic}`));
      const { uuid, vncport } = await showHeadnode(service, 'h');
      expect(vncport).toBeNull();
      expect(await host.domains()).toEqual([]);

      await done(alice.post('/headnode/h/start'));
      const name = `headnode-${uuid}`;
      expect(await host.domains('--state-running')).toEqual([name]);
      expect(await host.domains('--autostart')).toEqual([name]);
      expect(await host.volumes()).toEqual([`${name}-0.qcow2`]);
      const xml = await host.libvirt.virsh('dumpxml', name);
      expect(xml).toContain(`<uuid>${uuid}</uuid>`);
      expect(xml.match(/<interface /g)).toHaveLength(2);
      const { vncport: port } = await showHeadnode(service, 'h');
      if (port === null) throw new Error('a headnode that runs has a VNC port');
      expect(await greetingOf(port)).toMatch(banner);
      expect(await refusal(alice.put('/headnode/h/hnic/eth2'))).toBe('409 IllegalStateError');

      // A no-op, and the same machine.
      await done(alice.post('/headnode/h/start'));
      expect(await host.libvirt.virsh('dumpxml', name)).toBe(xml);

      await done(alice.post('/headnode/h/stop'));
      expect(await host.domains('--state-running')).toEqual([]);
      expect(await host.domains('--autostart')).toEqual([]);
      expect((await showHeadnode(service, 'h')).vncport).toBeNull();
      await done(alice.post('/headnode/h/stop'));
      expect(await refusal(alice.post('/headnode/h/start'))).toBe('409 IllegalStateError');
      expect(await host.volumes()).toEqual([`${name}-0.qcow2`]);

      await done(alice.del('/headnode/h'));
      expect(await refusal(alice.get('/headnode/h'))).toBe('404 NotFoundError');
      expect([await host.domains(), await host.volumes()]).toEqual([[], []]);
    });

    it.each(Object.entries(sharing))(
      'are not made from a template with %s in it, by which two would share it',
      async (name, parts) => {
        await makeProject(service, `blue-${name.length}`);
        await host.libvirt.define(oddTemplate(parts));
        try {
          // As a running service sees it: the template was changed under it.
          for (const project of ['red', `blue-${name.length}`]) {
            const answer = service.admin.put('/headnode/odd-one', { project, base_img: 'odd' });
            expect(await refusal(answer)).toBe('502 HypervisorError');
            expect(await message(answer)).toContain(`<${name}`);
            expect(await message(answer)).not.toContain(host.libvirt.directory);
          }
          expect(await refusal(service.admin.get('/headnode/odd-one'))).toBe('404 NotFoundError');
          // And at its next start.
          if (engine !== 'sqlite') return;
          await expect(startService(engine, oddEnv())).rejects.toThrow(
            new RegExp(`images: the template odd .*<${name}[^]*virsh edit odd`),
          );
        } finally {
          await host.libvirt.virsh('undefine', 'odd');
          await done(service.admin.del(`/project/blue-${name.length}`));
        }
      },
    );

    it('that were created are not started when their template has changed since', async () => {
      await host.libvirt.define(oddTemplate({}));
      try {
        await done(service.admin.put('/headnode/h', { project: 'red', base_img: 'odd' }));
        await host.libvirt.define(oddTemplate({ devices: sharing.filesystem.devices }));
        const answer = service.admin.post('/headnode/h/start');
        expect(await refusal(answer)).toBe('502 HypervisorError');
        expect(await message(answer)).toContain('<filesystem');
        expect([await host.domains(), await host.volumes()]).toEqual([['odd'], []]);
        await host.libvirt.define(oddTemplate({}));
        await done(service.admin.post('/headnode/h/start'));
      } finally {
        await host.libvirt.virsh('undefine', 'odd');
      }
    });

    it('show their screens through the service', async () => {
      await makeHeadnode(service, 'h', 'red');
      await done(service.admin.post('/headnode/h/start'));
      const screen = await Screen.open(service, service.admin, 'h');
      if (!(screen instanceof Screen)) throw new Error(screen.msg);
      await expect.poll(() => screen.bytes.toString('latin1')).toMatch(banner);
      // The client's side of the greeting is understood: the kinds of security follow.
      screen.socket.send(screen.bytes);
      await expect.poll(() => screen.bytes.length).toBeGreaterThan(12);
      await done(service.admin.post('/headnode/h/stop'));
      expect((await screen.ended).code).toBe(1000);
    });

    it('are deleted while they run', async () => {
      await makeHeadnode(service, 'h', 'red', ['eth0']);
      await done(service.admin.post('/headnode/h/start'));
      await done(service.admin.del('/headnode/h'));
      expect([await host.domains(), await host.volumes()]).toEqual([[], []]);
    });

    it('that libvirt cannot start leave nothing there, and can be started once it can', async () => {
      const { admin } = service;
      await makeHeadnode(service, 'h', 'red', ['eth0']);
      const before = await showHeadnode(service, 'h');
      const path = join(host.libvirt.directory, sleepers);
      await rename(path, `${path}.away`);
      try {
        const answer = admin.post('/headnode/h/start');
        expect(await refusal(answer)).toBe('502 HypervisorError');
        expect(await message(answer)).not.toContain(host.libvirt.directory);
      } finally {
        await rename(`${path}.away`, path);
      }
      expect([await host.domains(), await host.volumes()]).toEqual([[], []]);
      expect(await showHeadnode(service, 'h')).toEqual(before);
      await done(admin.del('/headnode/h/hnic/eth0'));
      await done(admin.post('/headnode/h/start'));
    });

    it('what was left over is listed, machine or volume, and removed by an administrator', async () => {
      const { admin } = service;
      const uuids = ['8c1b2f8e-0f6e-4d55-9c55-6f1c9f1f0001', '8c1b2f8e-0f6e-4d55-9c55-6f1c9f1f0002'] as const;
      await makeHeadnode(service, 'h', 'red');
      await done(admin.post('/headnode/h/start'));
      const { libvirt } = host;
      await libvirt.define(
        `<domain type='qemu'><name>headnode-${uuids[0]}</name><memory>16384</memory><os><type arch='aarch64' machine='virt'>hvm</type></os></domain>`,
      );
      await libvirt.virsh('vol-create-as', 'headnodes', `headnode-${uuids[1]}-0.qcow2`, '1M', '--format', 'qcow2');
      expect(await leftoversOf(service)).toEqual({ leftovers: [...uuids], fault: null });
      for (const uuid of uuids) await done(admin.del(`/headnode_leftover/${uuid}`));
      expect(await leftoversOf(service)).toEqual(nothingLeft);
      expect(await host.domains()).toHaveLength(1);
      expect((await showHeadnode(service, 'h')).vncport).toEqual(expect.any(Number));
    });

    it('twenty at once: names, addresses and ports are unique; deleted at once, nothing is left', busy, async () => {
      const { admin } = service;
      const labels = Array.from({ length: 20 }, (_, number) => `many-${number}`);
      await Promise.all(labels.map((label) => makeHeadnode(service, label, 'red', ['eth0', 'eth1'])));
      await Promise.all(labels.map((label) => patiently(() => admin.post(`/headnode/${label}/start`))));
      const shown = await Promise.all(labels.map((label) => showHeadnode(service, label)));
      const distinct = (values: readonly unknown[]): number => new Set(values).size;
      expect(distinct(shown.map(({ uuid }) => uuid))).toBe(20);
      expect(distinct(shown.map(({ vncport }) => vncport))).toBe(20);
      expect(shown.map(({ vncport }) => vncport)).not.toContain(null);
      expect(await host.domains('--state-running')).toEqual(shown.map(({ uuid }) => `headnode-${uuid}`).sort());
      const definitions = await Promise.all(shown.map(({ uuid }) => host.libvirt.virsh('dumpxml', `headnode-${uuid}`)));
      const found = (pattern: RegExp): string[] => definitions.flatMap((xml) => [...xml.matchAll(pattern)].map(String));
      const addresses = found(/<mac address='[^']+'/g);
      expect([addresses.length, distinct(addresses)]).toEqual([40, 40]);
      const disks = found(/<source file='[^']*headnode-[^']+'/g);
      expect([disks.length, distinct(disks)]).toEqual([20, 20]);
      for (const { vncport } of shown) expect(await greetingOf(vncport ?? 0)).toMatch(banner);
      await Promise.all(labels.map((label) => patiently(() => admin.del(`/headnode/${label}`))));
      expect([await host.domains(), await host.volumes()]).toEqual([[], []]);
    });

    it('a libvirt that hangs is a clear 502, with nothing half made, and works again when it answers', async () => {
      const { admin } = service;
      for (const headnode of ['off', 'on']) await makeHeadnode(service, headnode, 'red', ['eth0']);
      await done(admin.post('/headnode/on/start'));
      const before = await showHeadnode(service, 'off');
      await host.libvirt.hang();
      try {
        const calls = [
          admin.put('/headnode/new', { project: 'red', base_img: 'base' }),
          admin.post('/headnode/off/start'),
          admin.post('/headnode/on/stop'),
          admin.get('/headnode/on'),
        ];
        for (const call of calls) {
          expect(await refusal(call)).toBe('502 HypervisorError');
          expect(await message(call)).toMatch(/libvirt .*; try again$/);
        }
        // What needs no hypervisor works.
        expect(await showHeadnode(service, 'off')).toEqual(before);
      } finally {
        await host.libvirt.recover();
      }
      expect(await refusal(admin.get('/headnode/new'))).toBe('404 NotFoundError');
      expect(await host.domains()).toHaveLength(1);
      expect((await showHeadnode(service, 'on')).vncport).toEqual(expect.any(Number));
      await done(admin.post('/headnode/off/start'));
      await done(admin.post('/headnode/on/stop'));
      expect(await host.domains('--state-running')).toEqual([`headnode-${before.uuid}`]);
    });
  });

  it('a libvirt that is down is a clear 502 at once, and nothing is half made', async () => {
    const gone = await startHeadnodeHost();
    const service = await startService('sqlite', gone.env);
    try {
      await makeProject(service, 'red');
      await makeHeadnode(service, 'h', 'red', ['eth0']);
      const before = await showHeadnode(service, 'h');
      await gone.libvirt.stop();
      const answer = service.admin.post('/headnode/h/start');
      expect(await refusal(answer)).toBe('502 HypervisorError');
      expect(await message(answer)).toContain('libvirt does not answer');
      expect((await leftoversOf(service)).fault).toContain('libvirt does not answer');
      expect(await showHeadnode(service, 'h')).toEqual(before);
      await done(service.admin.put('/headnode/h/hnic/eth1'));
      expect(await refusal(service.admin.put('/headnode/new', { project: 'red', base_img: 'base' }))).toBe(
        '502 HypervisorError',
      );
    } finally {
      await service.stop();
      await gone.libvirt.stop();
      await rm(service.dataDir, { recursive: true, force: true });
    }
  });
});
