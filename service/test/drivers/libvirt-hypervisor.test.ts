import { execFile } from 'node:child_process';
import { access, appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasPart } from '@corral/lab';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Hypervisor, MachineSpec } from '../../src/drivers/hypervisors/hypervisor-contract.ts';
import { LibvirtHost } from '../../src/drivers/hypervisors/libvirt/libvirt-host.ts';
import type { LibvirtOptions } from '../../src/drivers/hypervisors/libvirt/libvirt-options.ts';
import { type MachineStep, machineSteps } from '../../src/drivers/hypervisors/libvirt/machine-steps.ts';
import { Storage } from '../../src/drivers/hypervisors/libvirt/storage-pool.ts';
import { libvirtHypervisor } from '../../src/drivers/hypervisors/libvirt-hypervisor.ts';
import {
  bannerAt,
  hasFirmware,
  imageDomain,
  type LibvirtFixture,
  someMachine,
  startLibvirtFixture,
} from '../support/headnodes/libvirt-fixture.ts';

const execute = promisify(execFile);

interface Layer {
  readonly filename: string;
  readonly format: string;
  readonly 'actual-size': number;
}

/** A disk, and what it stands on. */
const layersOf = async (path: string): Promise<readonly Layer[]> => {
  // Shared: the machine may be running on it.
  const { stdout } = await execute('qemu-img', ['info', '-U', '--backing-chain', '--output=json', path]);
  return JSON.parse(stdout) as Layer[];
};

describe.skipIf(!hasPart('libvirt'))('a headnode on libvirt', () => {
  let installation: LibvirtFixture;
  let hypervisor: Hypervisor;
  const made = new Set<string>();
  const virsh = (...args: readonly string[]): Promise<string> => installation.libvirt.virsh(...args);
  const with_ = (given: Partial<LibvirtOptions>, step?: (step: MachineStep) => void): Hypervisor =>
    libvirtHypervisor({ ...installation.options, ...given }, step);
  const newMachine = (given: Partial<MachineSpec> = {}): MachineSpec => {
    const machine = someMachine(given);
    made.add(machine.uuid);
    return machine;
  };
  const definitionOf = ({ uuid }: MachineSpec): Promise<string> =>
    virsh('dumpxml', '--inactive', '--security-info', `headnode-${uuid}`);
  const volumes = async (): Promise<readonly string[]> =>
    [...(await virsh('vol-list', 'default')).matchAll(/^\s*(\S+)/gm)].map(([, name = '']) => name);

  beforeAll(async () => {
    installation = await startLibvirtFixture();
    hypervisor = with_({});
  });
  afterEach(async () => {
    for (const uuid of made) await hypervisor.remove(uuid);
    made.clear();
  });
  afterAll(() => installation.libvirt.stop());

  it.each<MachineStep>(['volume made', 'machine defined', 'autostart set'])(
    'is not gone on with when the right to make it is lost: %s',
    async (last) => {
      const steps: MachineStep[] = [];
      const machine = newMachine();
      const check = (): void => {
        if (steps.includes(last)) throw new Error('it is somebody else’s');
      };
      const starting = with_({}, (step) => steps.push(step)).start(machine, { check });
      await expect(starting).rejects.toThrow('somebody else’s');
      expect(steps.at(-1)).toBe(last);
      expect(await virsh('list', '--name')).not.toContain(machine.uuid);
      expect((await virsh('list', '--all', '--name')).includes(machine.uuid)).toBe(last !== 'volume made');
    },
  );

  describe('from a volume', () => {
    it('is named after its uuid, starts with the hypervisor until it is stopped, and shows a screen', async () => {
      const machine = newMachine();
      await hypervisor.start(machine);
      const name = `headnode-${machine.uuid}`;
      expect((await virsh('domuuid', name)).trim()).toBe(machine.uuid);
      expect(await virsh('dominfo', name)).toMatch(/^Autostart:\s+enable$/m);
      const screen = await hypervisor.vnc(machine.uuid);
      expect(screen?.host).toBe('127.0.0.1');
      expect(await bannerAt(screen ?? { host: '', port: 0 })).toMatch(/^RFB 003\.\d{3}\n$/);
      await hypervisor.stop(machine.uuid);
      expect(await virsh('dominfo', name)).toMatch(/^Autostart:\s+disable$/m);
      expect((await virsh('domstate', name)).trim()).toBe('shut off');
    });

    it('has the memory and the processors that are configured, and a serial console', async () => {
      const machine = newMachine();
      await with_({ memoryMib: 96, cpus: 2 }).start(machine);
      const definition = await definitionOf(machine);
      expect(definition).toContain(`<memory unit='KiB'>${96 * 1024}</memory>`);
      expect(definition).toMatch(/<vcpu[^>]*>2<\/vcpu>/);
      expect(definition).toContain("<serial type='pty'>");
    });

    it('writes into a layer of its own above the image', async () => {
      const machine = newMachine();
      await hypervisor.start(machine);
      const [top, below, ...more] = await layersOf(join(installation.pool, `headnode-${machine.uuid}-0.qcow2`));
      expect(top).toMatchObject({ format: 'qcow2' });
      expect(below).toMatchObject({ filename: join(installation.pool, 'base.qcow2'), format: 'qcow2' });
      expect(more).toEqual([]);
      expect(top?.['actual-size']).toBeLessThan(1024 * 1024);
    });

    it('may be from any kind of disk, with its whole name or without its ending', async () => {
      await installation.disk('other.qcow2');
      await installation.disk('plain.img', 'raw');
      const images = ['other', 'other.qcow2', 'plain.img', 'plain', 'nowhere'];
      const some = with_({ images });
      expect(await some.images()).toEqual(['other', 'other.qcow2', 'plain.img']);
      const machine = newMachine({ image: 'plain.img' });
      await some.start(machine);
      const layers = await layersOf(join(installation.pool, `headnode-${machine.uuid}-0.qcow2`));
      expect(layers.map(({ format }) => format)).toEqual(['qcow2', 'raw']);
    });

    it('that is gone is reported, and nothing is left', async () => {
      const machine = newMachine({ image: 'gone' });
      await expect(with_({ images: ['gone'] }).start(machine)).rejects.toThrow(/image gone no longer exists/);
      expect(await hypervisor.machines()).toEqual([]);
    });
  });

  describe('from a domain', () => {
    const define = (name: string, devices: string): Promise<void> =>
      installation.libvirt.define(imageDomain(name, `<boot dev='network'/>`, devices));
    const disk = (file: string, target: string): string =>
      `<disk type='file' device='disk'><driver name='qemu' type='qcow2' cache='none'/><source file='${file}'/>
       <target dev='${target}' bus='virtio'/><serial>d-${target}</serial></disk>`;

    afterEach(async () => {
      const names = (await virsh('list', '--all', '--name')).split('\n').filter((name) => name.startsWith('image'));
      for (const name of names) await virsh('undefine', '--nvram', name);
    });

    it('is like it, but for what there can be only one of', async () => {
      const first = await installation.disk("first & 'best'.qcow2");
      const second = await installation.disk('second.qcow2');
      await define(
        'image-1',
        `${disk(first.replace('&', '&amp;').replaceAll("'", '&apos;'), 'vda')}${disk(second, 'vdb')}
        <disk type='file' device='cdrom'><source file='${await installation.disk('cd.iso', 'raw')}'/><target dev='sda' bus='scsi'/><readonly/></disk>
        <interface type='user'><mac address='52:54:00:00:00:01'/><model type='e1000'/></interface>
        <serial type='tcp'><source mode='bind' host='127.0.0.1' service='4555'/><protocol type='raw'/></serial>
        <graphics type='vnc' port='5999' autoport='no' passwd='s3cret'/>`,
      );
      const before = await virsh('dumpxml', '--inactive', 'image-1');
      const machine = newMachine({
        image: 'image-1',
        hnics: [
          { label: 'b', macaddr: '02:00:00:00:00:0b', vlan: null },
          { label: 'a', macaddr: '02:00:00:00:00:0a', vlan: null },
        ],
      });
      await with_({ images: ['image-1'] }).start(machine);

      const definition = await definitionOf(machine);
      expect(definition).toContain(`<name>headnode-${machine.uuid}</name>`);
      expect(definition).toContain(`<uuid>${machine.uuid}</uuid>`);
      expect(definition).toContain('<title>A &amp; B</title>');
      expect(definition).toContain("<boot dev='network'/>");
      if (hasFirmware) expect(definition).toContain(`/nvram/headnode-${machine.uuid}_VARS.fd</nvram>`);
      expect([...definition.matchAll(/<mac address='(\S+)'\/>/g)].map(([, mac]) => mac)).toEqual([
        '02:00:00:00:00:0a',
        '02:00:00:00:00:0b',
      ]);
      expect([...definition.matchAll(/<model type='e1000'\/>/g)]).toHaveLength(2);
      expect(definition).toMatch(/<graphics type='vnc' port='-1' autoport='yes' listen='127.0.0.1'>/);
      expect(definition).not.toMatch(/s3cret|5999|4555|52:54:00|mine\.fd/);
      expect(definition).toContain("<serial type='pty'>");
      expect(definition).toContain("cache='none'");
      expect(definition).toContain('<serial>d-vdb</serial>');
      expect(definition).toContain('cd.iso');
      for (const [number, original] of [first, second].entries()) {
        const layers = await layersOf(join(installation.pool, `headnode-${machine.uuid}-${number}.qcow2`));
        expect(layers.map(({ filename }) => filename).slice(1)).toEqual([original]);
      }
      expect(await virsh('dumpxml', '--inactive', 'image-1')).toBe(before);
      expect(await bannerAt((await hypervisor.vnc(machine.uuid)) ?? { host: '', port: 0 })).toMatch(/^RFB/);

      await hypervisor.remove(machine.uuid);
      for (const original of [first, second]) await access(original);
      expect((await readdir(installation.pool)).filter((name) => name.startsWith('headnode-'))).toEqual([]);
    });

    it('goes before a volume of the same name, and may have no disk at all', async () => {
      await installation.disk('image-2.qcow2');
      await define('image-2', '');
      const machine = newMachine({ image: 'image-2' });
      const some = with_({ images: ['image-2'] });
      expect(await some.images()).toEqual(['image-2']);
      await some.start(machine);
      expect(await definitionOf(machine)).toContain("<boot dev='network'/>");
      expect((await volumes()).filter((name) => name.startsWith('headnode-'))).toEqual([]);
    });

    it('is refused while that runs, or has a disk that cannot be copied', async () => {
      await define('image-3', '');
      await virsh('start', 'image-3');
      await expect(hypervisor.start(newMachine({ image: 'image-3' }))).rejects.toThrow(/image image-3 .* is on/);
      await virsh('destroy', 'image-3');
      await define(
        'image-4',
        `<disk type='network'><source protocol='nbd' name='x'><host name='127.0.0.1' port='1'/></source><target dev='vda'/></disk>`,
      );
      await expect(hypervisor.start(newMachine({ image: 'image-4' }))).rejects.toThrow(
        /<disk type='network'.*is allowed/,
      );
    });
  });

  describe('that was left half made', () => {
    it('has its disks created again if it was not defined yet', async () => {
      const machine = newMachine();
      const file = join(installation.pool, `headnode-${machine.uuid}-0.qcow2`);
      await writeFile(file, 'half of it');
      await writeFile(join(installation.pool, `headnode-${machine.uuid}-7.qcow2`), '');
      await virsh('pool-refresh', 'default');
      expect(await hypervisor.machines()).toEqual([machine.uuid]);
      await hypervisor.start(machine);
      expect(await layersOf(file)).toHaveLength(2);
      expect((await volumes()).filter((name) => name.startsWith('headnode-'))).toEqual([
        `headnode-${machine.uuid}-0.qcow2`,
      ]);
    });

    const starting = machineSteps.slice(1, machineSteps.indexOf('machine started') + 1);
    it.each(starting.filter((step) => step !== 'bridge made'))(
      'and nobody came back after "%s": it is finished by a start, or removed',
      async (last) => {
        const dying = with_({}, (step) => {
          if (step === last) throw new Error('killed');
        });
        const machine = newMachine();
        const other = newMachine();
        for (const one of [machine, other]) await expect(dying.start(one)).rejects.toThrow('killed');
        expect([...(await hypervisor.machines())].sort()).toEqual([machine.uuid, other.uuid].sort());
        await hypervisor.remove(other.uuid);
        expect(await hypervisor.machines()).toEqual([machine.uuid]);
        await hypervisor.start(machine);
        expect(await hypervisor.vnc(machine.uuid)).not.toBeNull();
        expect(await virsh('dominfo', `headnode-${machine.uuid}`)).toMatch(/^Autostart:\s+enable$/m);
      },
    );

    it.each(['machine stopped', 'machine undefined', 'volume deleted'] as const)(
      'or half removed, up to "%s": it is removed by doing it again',
      async (last) => {
        const machine = newMachine();
        await hypervisor.start(machine);
        const dying = with_({}, (step) => {
          if (step === last) throw new Error('killed');
        });
        await expect(dying.remove(machine.uuid)).rejects.toThrow('killed');
        await hypervisor.remove(machine.uuid);
        expect(await hypervisor.machines()).toEqual([]);
        expect(await volumes()).not.toContain(`headnode-${machine.uuid}-0.qcow2`);
      },
    );

    it('or half stopped: it is stopped by doing it again', async () => {
      const machine = newMachine();
      await hypervisor.start(machine);
      const dying = with_({}, (step) => {
        if (step === 'autostart unset') throw new Error('killed');
      });
      await expect(dying.stop(machine.uuid)).rejects.toThrow('killed');
      await hypervisor.stop(machine.uuid);
      expect(await hypervisor.vnc(machine.uuid)).toBeNull();
    });

    it('is removed with all that hangs on it: saved memory, snapshots, what its firmware remembers', async () => {
      const machine = newMachine();
      const name = `headnode-${machine.uuid}`;
      await hypervisor.start(machine);
      const snapshot = join(installation.libvirt.directory, 'snapshot.xml');
      const about = `<name>one</name><state>shutoff</state><creationTime>1</creationTime>${await definitionOf(machine)}`;
      await writeFile(snapshot, `<domainsnapshot>${about}</domainsnapshot>`);
      await virsh('snapshot-create', name, snapshot, '--redefine');
      await virsh('managedsave', name);
      await hypervisor.remove(machine.uuid);
      expect(await hypervisor.machines()).toEqual([]);
      const { stdout } = await execute('find', [
        installation.libvirt.directory,
        '-name',
        `*${machine.uuid}*`,
        '-not',
        '-name',
        '*.log',
      ]);
      expect(stdout).toBe('');
    });
  });

  it('may be anywhere, but only what is named like one is taken for one', async () => {
    await installation.disk('headnode-1.qcow2');
    await installation.disk('headnode-3e0f1d4e-36a7-4b5c-8f3a-0d5b7a1c9e11-0.qcow2.bak');
    await virsh('pool-refresh', 'default');
    expect(await hypervisor.machines()).toEqual([]);
    for (const uuid of ['', '1', '--all', 'base', '3E0F1D4E-36A7-4B5C-8F3A-0D5B7A1C9E11']) {
      await expect(hypervisor.remove(uuid)).rejects.toThrow('not a UUID');
    }
  });

  it('has its disks copied whole where a disk cannot stand on another', async () => {
    /** A pool of files that says it is none. */
    class Blocks extends LibvirtHost {
      override async run(args: readonly string[], timeoutMs?: number): Promise<string> {
        const said = await super.run(args, timeoutMs);
        return args[0] === 'pool-dumpxml' ? said.replace("<pool type='dir'>", "<pool type='logical'>") : said;
      }
    }
    const { uuid } = newMachine();
    await virsh('pool-refresh', 'default');
    const storage = new Storage(new Blocks(installation.libvirt.uri, 30_000), 'default');
    const copy = await storage.copy(await storage.original('base.qcow2'), uuid, 0);
    expect(copy).toEqual({ path: join(installation.pool, `headnode-${uuid}-0.raw`), format: 'raw', kind: 'block' });
    expect((await layersOf(copy.path)).map(({ format }) => format)).toEqual(['raw']);
    expect(await hypervisor.machines()).toEqual([uuid]);
  });

  it('has nothing behind the copy of a disk that was on the disk before', async () => {
    /** A pool of files that behaves as one of extents, on a disk that somebody has written to before. */
    class Extents extends LibvirtHost {
      override async run(args: readonly string[], timeoutMs?: number): Promise<string> {
        const said = await super.run(args, timeoutMs);
        if (args[0] === 'vol-create-from') {
          await appendFile(join(installation.pool, `headnode-${uuid}-0.raw`), Buffer.alloc(4 * 1024 * 1024, 'secret'));
          await super.run(['pool-refresh', '--pool', 'default']);
        }
        return args[0] === 'pool-dumpxml' ? said.replace("<pool type='dir'>", "<pool type='logical'>") : said;
      }
    }
    const { uuid } = newMachine();
    await virsh('pool-refresh', 'default');
    const storage = new Storage(new Extents(installation.libvirt.uri, 30_000), 'default');
    const { path } = await storage.copy(await storage.original('base.qcow2'), uuid, 0);
    const written = await readFile(path);
    expect(written.length).toBe(68 * 1024 * 1024);
    expect(written.includes('secret')).toBe(false);
  });

  describe('is reported in a sentence without addresses', () => {
    const faultOf = async (work: Promise<unknown>): Promise<Error> => {
      const error = await work.then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (!(error instanceof Error)) throw new Error('it did not fail');
      expect(error.message).not.toMatch(/\/|qemu|socket|error:/);
      expect(error.cause).toBeInstanceOf(Error);
      return error;
    };

    it('when libvirt is not there', async () => {
      const lost = with_({ uri: 'qemu+unix:///system?socket=/nonexistent/libvirt-sock' });
      const { uuid } = someMachine();
      const works = [
        () => lost.images(),
        () => lost.start(someMachine()),
        () => lost.stop(uuid),
        () => lost.remove(uuid),
        () => lost.machines(),
        () => lost.vnc(uuid),
      ];
      for (const work of works) {
        expect((await faultOf(work())).message).toContain('libvirt does not answer');
      }
    });

    it('when libvirt hangs, in time', async () => {
      const impatient = with_({ timeoutMs: 300 });
      await installation.libvirt.hang();
      try {
        expect((await faultOf(impatient.images())).message).toContain('did not answer in time');
        expect((await faultOf(impatient.start(newMachine()))).message).toContain('did not answer in time');
      } finally {
        await installation.libvirt.recover();
      }
      expect(await hypervisor.images()).toEqual(['base']);
    });

    it('when there is no pool, or it is not active', async () => {
      expect((await faultOf(with_({ pool: 'none' }).images())).message).toContain(
        'storage pool for headnodes is missing',
      );
      await virsh('pool-define-as', 'idle', 'dir', '--target', join(installation.libvirt.directory, 'idle'));
      expect((await faultOf(with_({ pool: 'idle' }).images())).message).toContain('is not active');
    });

    it('when its network has no bridge', async () => {
      const hnics = [{ label: 'a', macaddr: '02:00:00:00:00:0a', vlan: 4093 }];
      expect((await faultOf(hypervisor.start(newMachine({ hnics })))).message).toContain(
        'no bridge for one of the networks',
      );
      expect(
        (await faultOf(with_({ network: { kind: 'ovs', bridge: 'sw0' } }).start(newMachine({ hnics })))).message,
      ).toMatch(/could not start|no bridge/);
    });
  });
});
