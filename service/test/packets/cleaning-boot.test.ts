import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  bootSectorThatSays,
  type Capture,
  hasPart,
  type LabHost,
  type LabMachine,
  type Part,
  sectorBytes,
  startLabObmd,
} from '@corral/lab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/http/http-client.ts';
import { type BootService, startBootService } from '../support/obm/boot-service.ts';
import { type MachineRoom, startMachineRoom } from '../support/obm/machine-room.ts';
import { cleaningVlan, emptyCarried, expire, type Order } from '../support/services/boot-site.ts';
import { expectSound } from '../support/services/expect-invariants.ts';
import { type CleaningShown, cleaningOf, ended, freeNodes, stepOf } from '../support/services/gated-node.ts';
import { release, releaseEnded } from '../support/services/releases.ts';
import { type Service, startService } from '../support/services/service.ts';
import { connect, done, eventually, makeNetwork, makeProject, makeUser, reserve } from '../support/services/world.ts';
import { nodeOf, patient, plug, revertAll, wire } from '../support/switches/packet-switches.ts';

const parts: readonly Part[] = ['Open vSwitch', 'QEMU for x86', 'ipmi_sim'];
/** A machine without an accelerator boots slowly, on a busy computer above all: in 8 seconds, or in 2 minutes. */
const boot = 300_000;
const webhookSecret = `whsec_${Buffer.alloc(32, 'a secret of the site').toString('base64')}`;
const diskBytes = 2 ** 20;

const only = <One>(list: readonly One[]): One => {
  expect(list).toHaveLength(1);
  return list[0] as One;
};

interface Claim {
  readonly claim: string;
  readonly state: string;
  readonly nodes: readonly string[];
}

/*
 * The tests are chapters of one story: a whole machine with a disk goes from project to project. What cleans it is a
 * program that it boots through its switch port, and that reports from inside. A host on the cleaning network has what
 * the site needs for that.
 */
describe.skipIf(!parts.every(hasPart))('a machine that is cleaned by what it boots', { timeout: 2 * boot }, () => {
  const undo: (() => Promise<unknown>)[] = [];
  let service: Service;
  let room: MachineRoom;
  let site: BootService;
  let disk: string;
  let alice: Client;
  let bob: Client;
  /** A node of project red with a machine that only has power. */
  let other: { readonly node: string; readonly machine: LabMachine };
  /** What arrives from the machine at a node of project red, on its network; the same for project blue. */
  let captures: Readonly<Record<'red' | 'blue', Capture>>;

  const machineNow = async () => {
    const { power, bootDevice, port } = room.machine;
    return { power, bootDevice, port: await room.ovs.carried(port) };
  };
  const fillDisk = (text: string): Promise<void> => {
    const secret = Buffer.alloc(diskBytes - sectorBytes, `secrets: ${text} `);
    return writeFile(disk, Buffer.concat([bootSectorThatSays(text), secret]));
  };
  const isDiskEmpty = async (): Promise<boolean> => (await readFile(disk)).equals(Buffer.alloc(diskBytes));
  const claimOf = async (client: Client, project: string): Promise<string> =>
    ((await done(client.post(`/project/${project}/claim`, { count: 1, wait: true }))).body as Claim).claim;
  const showClaim = async (client: Client, claim: string): Promise<Claim> =>
    (await done(client.get(`/claim/${claim}`))).body as Claim;
  const servedClaim = (client: Client, claim: string): Promise<Claim> =>
    eventually(async () => {
      const shown = await showClaim(client, claim);
      return shown.state === 'served' ? shown : undefined;
    }, boot);
  const cleanedUntil = (isSo: (cleaning: CleaningShown) => boolean): Promise<CleaningShown> =>
    eventually(async () => {
      const cleaning = await cleaningOf(service);
      return isSo(cleaning) ? cleaning : undefined;
    }, boot);
  const statesOf = ({ steps }: CleaningShown): string[] => steps.map(({ name, state }) => `${name} ${state}`);

  beforeAll(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'corral-disk-'));
    undo.push(() => rm(directory, { recursive: true, force: true }));
    disk = join(directory, 'disk');
    await fillDisk('red was here');
    room = await startMachineRoom(4, { platform: 'x86', disk });
    undo.push(() => room.stop());
    const { ovs, machine } = room;
    const [red, blue, server, third] = ovs.hosts as readonly [LabHost, LabHost, LabHost, LabHost];
    site = await startBootService({
      ...{ host: server, leased: '10.77.0.200', webhookSecret },
      corral: () => service.anonymous,
      look: machineNow,
    });
    undo.push(() => site.stop());
    const obmd = await startLabObmd({ adminToken: 'lab-admin-token' });
    undo.push(() => obmd.close());
    service = await startService('sqlite', {
      ...patient,
      CORRAL_OBM_TIMEOUT: '20',
      CORRAL_PUBLIC_URL: site.publicUrl,
      CORRAL_CLEANING_ENABLED: 'true',
      CORRAL_CLEANING_STEPS: `wipe boot ${site.url}`,
      CORRAL_CLEANING_BOOT_NETWORK: 'cleaning',
      CORRAL_CLEANING_WEBHOOK_SECRET: webhookSecret,
    });
    undo.push(() => rm(service.dataDir, { recursive: true, force: true }));
    undo.push(() => service.stop());

    await wire(service.admin, 'ovs', ovs, { settle_ms: 200 });
    await plug(service.admin, 'n1', machine, { daemon: room.obmd });
    await revertAll(service, [...ovs.hosts, machine]);
    other = { node: nodeOf(third), machine: obmd.add('other') };
    const daemon = { uri: obmd.uri('other'), admin_token: 'lab-admin-token' };
    await done(service.admin.put(`/node/${other.node}/obmd`, daemon));
    for (const project of ['red', 'blue', 'servers']) await makeProject(service, project);
    const fields = { owner: 'admin', access: 'servers', net_id: String(cleaningVlan) };
    await done(service.admin.put('/network/cleaning', fields));
    await makeNetwork(service, 'red-net', 'red');
    await makeNetwork(service, 'blue-net', 'blue');
    for (const [project, host, network] of [
      ['red', red, 'red-net'],
      ['blue', blue, 'blue-net'],
      ['servers', server, 'cleaning'],
    ] as const) {
      await reserve(service, project, nodeOf(host));
      await connect(service, nodeOf(host), 'eth0', network);
    }
    alice = await makeUser(service, 'alice', 'red');
    bob = await makeUser(service, 'bob', 'blue');
    await reserve(service, 'red', other.node);
    await reserve(service, 'red', 'n1');
    await connect(service, 'n1', 'eth0', 'red-net');
    captures = {
      red: await red.capture({ machine: machine.mac }),
      blue: await blue.capture({ machine: machine.mac }),
    };
  }, boot);
  afterAll(async () => {
    for (const step of undo.reverse()) await step();
  }, boot);

  it('runs what its project has on its disk', async () => {
    await done(alice.put('/node/n1/obm', { enabled: true }));
    await done(alice.post('/node/n1/power_on'));
    await expect.poll(() => room.machine.said, { timeout: boot }).toContain('red was here');
  });

  it('is turned off, boots on the cleaning network, reports clean, and goes to the project that waits', async () => {
    const claim = await claimOf(bob, 'blue');
    expect(await freeNodes(service)).toEqual([]);
    const { pid } = room.machine;
    const [released] = await release(alice, 'red', 'n1');
    await releaseEnded(alice, released);
    const left = Date.now();
    expect(await servedClaim(bob, claim)).toMatchObject({ nodes: ['n1'] });

    expect(() => process.kill(pid ?? 0, 0)).toThrow('ESRCH');
    const onNetwork = { native: cleaningVlan, tagged: [] };
    const { told: order, machine: before } = only(site.orders);
    const { told: report, machine: during } = only(site.reports);
    expect(order).toMatchObject({ node: 'n1', nics: [{ nic: 'eth0', macaddr: room.machine.mac }] });
    expect(before).toEqual({ power: 'off', bootDevice: 'pxe', port: onNetwork });
    expect(during).toEqual({ power: 'on', bootDevice: 'pxe', port: onNetwork });
    const { url, step, token } = order;
    expect(report).toEqual({ url, step, token, outcome: 'clean', status: 200 });
    expect(url).toContain(`${site.publicUrl}/`);
    expect(await machineNow()).toEqual({ power: 'off', bootDevice: 'none', port: emptyCarried });
    const cleaned = await cleaningOf(service);
    expect([cleaned.state, cleaned.project]).toEqual(['passed', 'red']);
    expect(statesOf(cleaned)).toEqual([
      ...['power passed', 'networks passed', 'ports passed', 'bootdev passed', 'bmc passed'],
      ...['wipe-network passed', 'wipe passed', 'wipe-off passed', 'wipe-detach passed', 'wipe-bootdev passed'],
      'ports-again passed',
    ]);
    expect(await isDiskEmpty()).toBe(true);
    expect(captures.red.frames.filter(({ at }) => at > left)).toEqual([]);
    expect(captures.blue.frames).toEqual([]);
    expect((await alice.post('/node/n1/power_on')).status).toBe(401);
    await expectSound(service.env);
  });

  it('has nothing of its last project when the next one turns it on', async () => {
    await connect(service, 'n1', 'eth0', 'blue-net');
    await done(bob.put('/node/n1/obm', { enabled: true }));
    await done(bob.post('/node/n1/power_on'));
    // Its disk boots no more, so it asks the network.
    await captures.blue.until(({ marker }) => marker === 'dhcp discover', boot);
    expect(room.machine.said).toContain('not a bootable disk');
    expect(room.machine.said).not.toContain('red was here');
  });

  it('and never reports is turned off, taken off the network and quarantined; nobody gets it', async () => {
    const claim = await claimOf(alice, 'red');
    await fillDisk('blue was here');
    site.handOver = () => null;
    const [released] = await release(bob, 'blue', 'n1');
    await releaseEnded(bob, released);
    await eventually(() => (site.unserved > 0 ? true : undefined), boot);
    await cleanedUntil((cleaning) => stepOf(cleaning, 'wipe')?.sentence?.includes('turned on') === true);
    expect(await machineNow()).toMatchObject({ power: 'on', port: { native: cleaningVlan } });
    await expire({ service }, 'wipe');
    const failed = await cleanedUntil(ended('failed'));
    expect(failed.reason).toMatch(/^step wipe: not done at its deadline/);
    expect(await machineNow()).toEqual({ power: 'off', bootDevice: 'none', port: emptyCarried });
    expect(site.reports).toHaveLength(1);
    expect((await readFile(disk)).includes('blue was here')).toBe(true);
    expect(await freeNodes(service)).toEqual([]);
    expect((await showClaim(alice, claim)).state).toBe('waiting');
    await expectSound(service.env);
  });

  it('is not believed with the token of another node; with its own, it is free and claimed', async () => {
    const [claim] = (await done(alice.get('/project/red/claims'))).body as [Claim];
    other.machine.powerOn();
    await release(alice, 'red', other.node);
    const foreign = await eventually(() => site.orders.find(({ told }) => told.node === other.node)?.told, boot);
    let resolve: (order: Order) => void = () => undefined;
    const second = new Promise<Order>((resolved) => (resolve = resolved));
    const given: Order[] = [];
    site.handOver = (order) => {
      given.push(order);
      return given.length === 1 ? { ...order, token: foreign.token } : second;
    };
    const { cleaning } = await cleaningOf(service);
    await done(service.admin.post(`/cleaning/${cleaning}/retry`));

    const refused = await eventually(() => site.reports[1]?.told, boot);
    expect(refused).toMatchObject({ token: foreign.token, outcome: 'clean', status: 401 });
    // It has been refused and asks what to do.
    const own = await eventually(() => given[1], boot);
    for (const node of ['n1', other.node]) {
      const shown = await cleaningOf(service, node);
      expect([shown.state, stepOf(shown, 'wipe')?.state]).toEqual(['running', 'running']);
    }
    expect(await machineNow()).toMatchObject({ power: 'on', port: { native: cleaningVlan } });
    expect(await freeNodes(service)).toEqual([]);
    expect((await showClaim(alice, claim.claim)).state).toBe('waiting');

    resolve(own);
    expect(await servedClaim(alice, claim.claim)).toMatchObject({ nodes: ['n1'] });
    expect(site.reports.map(({ told }) => told.status)).toEqual([200, 401, 200]);
    expect(await machineNow()).toEqual({ power: 'off', bootDevice: 'none', port: emptyCarried });
    expect(await isDiskEmpty()).toBe(true);
    expect((await cleaningOf(service, other.node)).state).toBe('running');
    await expectSound(service.env);
  });
});
