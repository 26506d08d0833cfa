import { rm } from 'node:fs/promises';
import { type Capture, hasPart, type LabFrame, type LabHost, type Part } from '@corral/lab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/http/http-client.ts';
import { type MachineRoom, startMachineRoom } from '../support/obm/machine-room.ts';
import { nodeOf, patient, plug, revertAll, wire } from '../support/switches/packet-switches.ts';
import { type Service, startService } from '../support/services/service.ts';
import { Watcher } from '../support/obm/console-watcher.ts';
import { connect, detach, done, makeNetwork, makeProject, makeUser, reserve } from '../support/services/world.ts';

const parts: readonly Part[] = ['Open vSwitch', 'QEMU', 'ipmi_sim'];
/** A machine without an accelerator boots slowly, on a busy computer above all. */
const boot = 60_000;
const soon = { timeout: 15_000 };

/*
 * The tests are chapters of one story of a whole machine: the service has its switch port and, through an OBM
 * daemon, its BMC. It boots from the network, so it asks for an address where its network is. The captures see every
 * frame of the machine, from the beginning of the story to its end.
 */
describe.skipIf(!parts.every(hasPart))('a machine that its project turns on', { timeout: 2 * boot }, () => {
  const undo: (() => Promise<void>)[] = [];
  let service: Service;
  let room: MachineRoom;
  let alice: Client;
  let bob: Client;
  /** What leaves the machine; what arrives at a node of project red, on its network; the same for project blue. */
  let captures: Readonly<Record<'machine' | 'red' | 'blue', Capture>>;

  beforeAll(async () => {
    room = await startMachineRoom(2);
    undo.push(() => room.stop());
    service = await startService('sqlite', { ...patient, CORRAL_OBM_TIMEOUT: '20' });
    undo.push(() => rm(service.dataDir, { recursive: true, force: true }));
    undo.push(() => service.stop());
    const { ovs, machine, obmd } = room;
    await wire(service.admin, 'ovs', ovs);
    await plug(service.admin, 'n1', machine, { daemon: obmd });
    await revertAll(service, [...ovs.hosts, machine]);
    const [red, blue] = ovs.hosts as readonly [LabHost, LabHost];
    for (const [project, host] of [['red', red] as const, ['blue', blue] as const]) {
      await makeProject(service, project);
      await makeNetwork(service, `${project}-net`, project);
      await reserve(service, project, nodeOf(host));
      await connect(service, nodeOf(host), 'eth0', `${project}-net`);
    }
    alice = await makeUser(service, 'alice', 'red');
    bob = await makeUser(service, 'bob', 'blue');
    await reserve(service, 'red', 'n1');
    await connect(service, 'n1', 'eth0', 'red-net');
    captures = {
      machine: await machine.capture(),
      red: await red.capture({ machine: machine.mac }),
      blue: await blue.capture({ machine: machine.mac }),
    };
  });
  afterAll(async () => {
    for (const step of undo.reverse()) await step();
  });

  const asksAfter =
    (moment: number) =>
    ({ marker, at }: LabFrame): boolean =>
      marker === 'dhcp discover' && at > moment;
  const powerOf = async (client: Client): Promise<unknown> => (await done(client.get('/node/n1/power_status'))).body;

  it('asks for an address on the network that it is on', async () => {
    await done(alice.put('/node/n1/obm', { enabled: true }));
    await expect.poll(() => powerOf(alice), soon).toEqual({ power_status: 'off' });
    await done(alice.put('/node/n1/boot_device', { bootdev: 'pxe' }));
    const watcher = new Watcher(service, alice);
    await expect.poll(() => watcher.status, soon).toBe(200);
    await done(alice.post('/node/n1/power_on'));
    await expect.poll(() => powerOf(alice), soon).toEqual({ power_status: 'on' });
    expect(await captures.red.until(asksAfter(0), boot)).toMatchObject({ source: room.machine.mac, tags: [] });
    // And the project sees it on the console.
    await expect.poll(() => watcher.text, { timeout: boot }).toContain('PXE');
  });

  it('is silent when it is turned off', async () => {
    await done(alice.post('/node/n1/power_off'));
    await expect.poll(() => powerOf(alice), soon).toEqual({ power_status: 'off' });
    expect(room.machine.pid).toBeNull();
  });

  it('gets no answer when its network is detached, and is heard again when it is back', async () => {
    await detach(service, 'n1', 'eth0', 'red-net');
    const detached = Date.now();
    await done(alice.post('/node/n1/power_on'));
    // It tries at least three times. A switch keeps the order of what one port sends.
    const first = await captures.machine.until(asksAfter(detached), boot);
    const second = await captures.machine.until(asksAfter(first.at), boot);
    await captures.machine.until(asksAfter(second.at), boot);
    const connected = Date.now();
    await connect(service, 'n1', 'eth0', 'red-net');
    await done(alice.post('/node/n1/power_cycle', { force: true }));
    const heard = await captures.red.until(asksAfter(detached), boot);
    expect(heard.at).toBeGreaterThan(connected);
    expect(captures.red.frames.filter(({ at }) => at > detached && at < connected)).toEqual([]);
  });

  it('asks on the network of the next project, and no longer on that of the last', async () => {
    await done(alice.post('/node/n1/power_off'));
    await detach(service, 'n1', 'eth0', 'red-net');
    await done(alice.put('/node/n1/obm', { enabled: false }));
    await done(alice.post('/project/red/detach_node', { node: 'n1' }));
    const released = Date.now();
    // Until now nothing of the machine was seen by the other project, not even by mistake.
    expect(captures.blue.frames).toEqual([]);

    await reserve(service, 'blue', 'n1');
    await connect(service, 'n1', 'eth0', 'blue-net');
    expect((await alice.post('/node/n1/power_on')).status).toBe(401);
    await done(bob.put('/node/n1/obm', { enabled: true }));
    await done(bob.post('/node/n1/power_on'));
    await captures.blue.until(asksAfter(released), boot);
    expect((await captures.red.stop()).filter(({ at }) => at > released)).toEqual([]);
  });
});
