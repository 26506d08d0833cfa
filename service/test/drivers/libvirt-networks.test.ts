import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { hasPart, type LabOvs, startOvs } from '@corral/lab';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Hypervisor, MachineSpec } from '../../src/drivers/hypervisors/hypervisor-contract.ts';
import { checkBridge, makeBridge } from '../../src/drivers/hypervisors/libvirt/linux-bridges.ts';
import { libvirtHypervisor } from '../../src/drivers/hypervisors/libvirt-hypervisor.ts';
import {
  imageDomain,
  type LibvirtFixture,
  someMachine,
  startLibvirtFixture,
} from '../support/headnodes/libvirt-fixture.ts';

const execute = promisify(execFile);

describe.skipIf(!hasPart('libvirt') || !hasPart('Open vSwitch'))('a card of a headnode', () => {
  let ovs: LabOvs;
  let installation: LibvirtFixture;
  const made: string[] = [];
  const hypervisors: Record<'ovs' | 'bridges', () => Hypervisor> = {
    ovs: () => libvirtHypervisor({ ...installation.options, network: { kind: 'ovs', bridge: ovs.bridge } }),
    bridges: () => libvirtHypervisor({ ...installation.options, network: { kind: 'bridges', uplink: null } }),
  };
  const machineWith = (hnics: MachineSpec['hnics'], image = 'base'): MachineSpec => {
    const machine = someMachine({ hnics, image });
    made.push(machine.uuid);
    return machine;
  };
  const inNamespace = async (...args: readonly string[]): Promise<string> =>
    (await execute('ip', ['-n', ovs.namespace, ...args])).stdout;
  /** The interface that is the other end of a card. */
  const endOf = async ({ uuid }: MachineSpec, mac: string): Promise<string> => {
    const lines = (await installation.libvirt.virsh('domiflist', `headnode-${uuid}`)).split('\n');
    return (
      lines
        .find((line) => line.includes(mac))
        ?.trim()
        .split(/\s+/)[0] ?? ''
    );
  };
  /** How many frames came out of a card. */
  const sentBy = async (machine: MachineSpec, mac: string): Promise<number> => {
    const said = await inNamespace('-s', '-j', 'link', 'show', 'dev', await endOf(machine, mac));
    const [device] = JSON.parse(said) as readonly { readonly stats64: { readonly rx: { readonly packets: number } } }[];
    return device?.stats64.rx.packets ?? Number.NaN;
  };

  beforeAll(async () => {
    ovs = await startOvs({ hosts: 2 });
    installation = await startLibvirtFixture({ beside: ovs });
    await ovs.vsctl('set', 'Port', 'p0', 'tag=100');
    await ovs.vsctl('set', 'Port', 'p1', 'tag=200');
  });
  afterEach(async () => {
    for (const uuid of made.splice(0)) await hypervisors.ovs().remove(uuid);
  });
  afterAll(async () => {
    await installation.libvirt.stop();
    await ovs.stop();
  });

  it('is a port of the switch in its VLAN and no other, until the machine is gone', async () => {
    const [a, b] = ['02:00:00:00:01:0a', '02:00:00:00:01:0b'];
    const machine = machineWith([
      { label: 'a', macaddr: a, vlan: 100 },
      { label: 'b', macaddr: b, vlan: 200 },
    ]);
    await hypervisors.ovs().start(machine);
    for (const [mac, vlan] of [
      [a, '100'],
      [b, '200'],
    ] as const) {
      const port = await endOf(machine, mac);
      const columns = ['tag', 'trunks', 'vlan_mode'].flatMap((column) => ['--', 'get', 'Port', port, column]);
      expect((await ovs.vsctl(...columns)).trim().split('\n')).toEqual([vlan, '[]', '[]']);
    }
    await hypervisors.ovs().stop(machine.uuid);
    expect((await ovs.vsctl('list-ports', ovs.bridge)).trim().split('\n').sort()).toEqual(['p0', 'p1']);
  });

  it('reaches who is in its VLAN and nobody else; on no network it passes nothing', async () => {
    const [idle, busy] = ['02:00:00:00:02:0a', '02:00:00:00:02:0b'];
    // It boots from its cards, one after the other.
    const card = (order: number): string =>
      `<interface type='user'><model type='virtio'/><boot order='${order}'/></interface>`;
    await installation.libvirt.define(imageDomain('netboot', '', `${card(1)}${card(2)}`));
    const machine = machineWith(
      [
        { label: 'a', macaddr: idle, vlan: null },
        { label: 'b', macaddr: busy, vlan: 100 },
      ],
      'netboot',
    );
    const [inside, outside] = ovs.hosts;
    if (!inside || !outside) throw new Error('there are no hosts');
    const heard = await inside.capture({ machine: busy });
    const overheard = await outside.capture({ machine: busy });
    await hypervisors.ovs().start(machine);
    await heard.until(({ marker }) => marker === 'dhcp discover', 50_000);
    expect(await overheard.stop()).toEqual([]);
    expect(await sentBy(machine, busy)).toBeGreaterThan(0);
    expect(await sentBy(machine, idle)).toBe(0);
    const isDown = await installation.libvirt.virsh('domif-getlink', `headnode-${machine.uuid}`, idle);
    expect(isDown).toContain('down');
  });

  it('is in the Linux bridge of its VLAN', async () => {
    await inNamespace('link', 'add', 'name', 'br-vlan300', 'type', 'bridge');
    const machine = machineWith([{ label: 'a', macaddr: '02:00:00:00:03:0a', vlan: 300 }]);
    await hypervisors.bridges().start(machine);
    const port = await endOf(machine, '02:00:00:00:03:0a');
    expect(await inNamespace('link', 'show', 'master', 'br-vlan300')).toContain(`${port}:`);
  });
});

describe('a bridge that is made on demand', () => {
  /** Devices as `ip` would make them; `failing` is the number of the command that does not come back. */
  const host = (there: Readonly<Record<string, readonly string[]>>, failing = Number.POSITIVE_INFINITY) => {
    const devices = new Map<string, readonly string[]>(Object.entries(there));
    let count = 0;
    const run = (args: readonly string[]): Promise<string> => {
      count += 1;
      if (count === failing) return Promise.reject(new Error('killed'));
      if (args[0] === '-details') return Promise.resolve(JSON.stringify(shown(args.at(-2) ?? '', args.at(-1) ?? '')));
      const [, verb] = args;
      const name = args[args.indexOf(verb === 'add' ? 'name' : 'dev') + 1] ?? '';
      if ((verb === 'add') === devices.has(name)) return Promise.reject(new Error(`ip: ${name}: no`));
      if (verb === 'add') devices.set(name, [args.slice(2).join(' ')]);
      if (verb === 'set') devices.set(name, [...(devices.get(name) ?? []), args.slice(4).join(' ')]);
      return Promise.resolve('');
    };
    /** As `ip -details -json` shows it: what was told last counts. */
    const shown = (by: string, name: string) =>
      [...devices]
        .map(([ifname, told]) => {
          const last = (pattern: RegExp) => told.flatMap((one) => pattern.exec(one)?.slice(1) ?? []).at(-1);
          const [kind, id] = [last(/type (\w+)/), last(/ id (\d+)/)];
          const linkinfo =
            kind === undefined ? {} : { linkinfo: { info_kind: kind, info_data: { id: Number(id ?? 0) } } };
          return { ifname, link: last(/link (\S+)/), master: last(/master (\S+)/), ...linkinfo };
        })
        .filter(({ ifname, master }) => (by === 'dev' ? ifname : master) === name);
    return { run, devices };
  };
  const made = ['name br-vlan100 type bridge forward_delay 0'];
  const part = (vlan: number, uplink = 'eno1') => [`link ${uplink} name up-vlan100 type vlan id ${vlan}`];

  it('has the VLAN of the uplink in it, and no address of this host', async () => {
    const { run, devices } = host({ eno1: [] });
    await makeBridge(run, 'eno1', 100);
    expect(Object.fromEntries(devices)).toEqual({
      eno1: [],
      'br-vlan100': ['name br-vlan100 type bridge forward_delay 0', 'addrgenmode none', 'up'],
      'up-vlan100': ['link eno1 name up-vlan100 type vlan id 100', 'addrgenmode none', 'master br-vlan100', 'up'],
    });
  });

  it('is finished by the next start, wherever the last one died', async () => {
    for (let failing = 1; failing <= 12; failing += 1) {
      const { run, devices } = host({ eno1: [] }, failing);
      // A look that fails is as good as one that found nothing.
      await makeBridge(run, 'eno1', 100).catch((error: unknown) => {
        expect((error as Error).message).toMatch(/^the bridge for one of the networks could not be created/);
        expect((error as Error).message).not.toMatch(/eno1|killed/);
      });
      await makeBridge(run, 'eno1', 100);
      expect(devices.get('br-vlan100')?.at(-1)).toBe('up');
      expect(devices.get('up-vlan100')).toEqual(expect.arrayContaining(['master br-vlan100', 'up']));
    }
  });

  it('may be there already', async () => {
    const { run, devices } = host({
      eno1: [],
      'br-vlan100': made,
      'up-vlan100': part(100),
      vnet0: ['master br-vlan100'],
    });
    await makeBridge(run, 'eno1', 100);
    expect(devices.get('up-vlan100')?.slice(1)).toEqual(['addrgenmode none', 'master br-vlan100', 'up']);
  });

  it.each([
    ['the VLAN in it is another', { 'br-vlan100': made, 'up-vlan100': part(200) }, 'VLAN 200 of eno1'],
    ['the VLAN in it is of another uplink', { 'br-vlan100': made, 'up-vlan100': part(100, 'eno2') }, 'of eno2'],
    ['another VLAN is in it too', { 'br-vlan100': made, x: [...part(200), 'master br-vlan100'] }, 'has x in it'],
    ['the whole uplink is in it', { 'br-vlan100': made, eno1: ['master br-vlan100'] }, 'has eno1 in it'],
    ['its VLAN is in another bridge', { 'up-vlan100': [...part(100), 'master br0'] }, 'is in br0'],
    ['it is none', { 'br-vlan100': ['type dummy'] }, 'is not a bridge'],
  ])('is refused if %s, and left as it is', async (_, there, cause) => {
    const { run, devices } = host({ eno1: [], ...there });
    const error = await makeBridge(run, 'eno1', 100).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ cause: { message: expect.stringContaining(cause) as string } });
    expect((error as Error).message).toMatch(/^the bridge for one of the networks is used for something else/);
    expect((error as Error).message).not.toMatch(/eno|vlan\d/);
    for (const [name, told] of Object.entries(there)) expect(devices.get(name)).toEqual(told);
  });

  it('that an operator made is refused with another VLAN in it, and may be on another host', async () => {
    await checkBridge(host({}).run, 100);
    await checkBridge(host({ 'br-vlan100': made, 'eno1.100': [...part(100), 'master br-vlan100'] }).run, 100);
    const wrong = host({ 'br-vlan100': made, 'eno1.200': [...part(200), 'master br-vlan100'] });
    await expect(checkBridge(wrong.run, 100)).rejects.toThrow(/used for something else/);
  });
});
