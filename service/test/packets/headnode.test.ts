import { rm } from 'node:fs/promises';
import {
  type Capture,
  captureFrames,
  type DhcpServer,
  hasPart,
  type LabFrame,
  type LabHost,
  type LabOvs,
  type Part,
  serveDhcp,
  startOvs,
} from '@corral/lab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HeadnodeHost, startHeadnodeHost } from '../support/headnodes/headnode-host.ts';
import { makeHeadnode, showHeadnode } from '../support/headnodes/headnode-helpers.ts';
import { nodeOf, patient, revertAll, vlansOf, wire } from '../support/switches/packet-switches.ts';
import { Screen } from '../support/headnodes/screen-client.ts';
import { type Service, startService } from '../support/services/service.ts';
import { type Undo, undoAll } from '../support/services/undo.ts';
import { connect, done, makeNetwork, makeProject, reserve } from '../support/services/world.ts';

const parts: readonly Part[] = ['Open vSwitch', 'QEMU', 'libvirt'];
/** A machine without an accelerator boots slowly, on a busy computer above all. */
const boot = 90_000;
/** What everybody on red's network gets. */
const leased = '10.77.0.77';

interface Card {
  readonly mac: string;
  /** Its other end, in the namespace of the switch. */
  readonly tap: string;
}

/*
 * The tests are chapters of one story. Headnodes and nodes meet on one Open vSwitch. A headnode's firmware boots from
 * the network: each of its cards asks for an address, if it has a cable. The captures at the nodes see every frame
 * that arrives there, from the beginning of the story to its end.
 */
describe.skipIf(!parts.every(hasPart))('a headnode on its networks', { timeout: 3 * boot }, () => {
  const undo: Undo = [];
  let service: Service;
  let ovs: LabOvs;
  let host: HeadnodeHost;
  let dhcp: DhcpServer;
  let captures: Readonly<Record<'red' | 'blue', Capture>>;

  beforeAll(async () => {
    ovs = await startOvs({ hosts: 2 });
    undo.push(() => ovs.stop());
    host = await startHeadnodeHost({ beside: ovs });
    undo.push(() => host.libvirt.stop());
    service = await startService('sqlite', {
      ...patient,
      ...host.env,
      CORRAL_LIBVIRT_NETWORK: `ovs:${ovs.bridge}`,
    });
    undo.push(() => rm(service.dataDir, { recursive: true, force: true }));
    undo.push(() => service.stop());
    await wire(service.admin, 'ovs', ovs);
    await revertAll(service, ovs.hosts);
    const [red, blue] = ovs.hosts as readonly [LabHost, LabHost];
    for (const [project, node] of [['red', red] as const, ['blue', blue] as const]) {
      await makeProject(service, project);
      await makeNetwork(service, `${project}-net`, project);
      await reserve(service, project, nodeOf(node));
      await connect(service, nodeOf(node), 'eth0', `${project}-net`);
    }
    captures = { red: await red.capture({ machine: 'any' }), blue: await blue.capture({ machine: 'any' }) };
    dhcp = await serveDhcp(red, leased);
    undo.push(() => dhcp.stop());
  });
  afterAll(() => undoAll(undo));

  const plugIn = (headnode: string, hnic: string, network: string) =>
    done(service.admin.post(`/headnode/${headnode}/hnic/${hnic}/connect_network`, { network }));
  const domainOf = async (headnode: string): Promise<string> =>
    `headnode-${(await showHeadnode(service, headnode)).uuid}`;
  /** In the order of their hnics' labels. */
  const cardsOf = async (headnode: string): Promise<readonly Card[]> => {
    const said = await host.libvirt.virsh('domiflist', await domainOf(headnode));
    return [...said.matchAll(/^\s*(\S+)\s.*\s([0-9a-f:]{17})\s*$/gm)].map(([, tap = '', mac = '']) => ({ tap, mac }));
  };
  const asks =
    (mac: string, what: 'discover' | 'request') =>
    ({ marker, source }: LabFrame): boolean =>
      marker === `dhcp ${what}` && source === mac;

  /** What came from these cards. There are others: the switch's own computer looks for routers at times. */
  const heardOf = (frames: readonly LabFrame[], from: readonly Card[]): readonly LabFrame[] =>
    frames.filter(({ source }) => from.some(({ mac }) => mac === source));

  let silent: Capture;
  let cards: readonly Card[];

  it('is plugged into the VLANs of its networks', async () => {
    await makeHeadnode(service, 'head', 'red', ['a-cold', 'b-red'], 'pxe');
    await plugIn('head', 'b-red', 'red-net');
    await done(service.admin.post('/headnode/head/start'));
    cards = await cardsOf('head');
    expect(cards).toHaveLength(2);
    const [cold, red] = cards as readonly [Card, Card];
    silent = await captureFrames(ovs.namespace, { machine: 'any', device: cold.tap });
    const vlan = (await vlansOf(service.admin)).get('red-net');
    expect((await ovs.vsctl('get', 'Port', red.tap, 'tag')).trim()).toBe(String(vlan));
    expect((await ovs.vsctl('list-ports', ovs.bridge)).split('\n')).not.toContain(cold.tap);
  });

  it('is heard by a node on its network, and hears it', async () => {
    const [, red] = cards as readonly [Card, Card];
    expect(await captures.red.until(asks(red.mac, 'discover'), boot)).toMatchObject({ tags: [] });
    // It asks for what it was offered: the offer has arrived.
    await captures.red.until(asks(red.mac, 'request'), boot);
    await expect
      .poll(() => dhcp.answers.map(({ answered, to }) => `${answered} ${to}`), { timeout: boot })
      .toEqual(expect.arrayContaining([`offer ${red.mac}`, `acknowledgement ${red.mac}`]));
  });

  it('is heard by nobody else, and a card without a network by nobody at all', async () => {
    const [cold] = cards as readonly [Card, Card];
    expect(heardOf(captures.blue.frames, cards)).toEqual([]);
    expect(heardOf(captures.red.frames, [cold])).toEqual([]);
    expect(heardOf(await silent.stop(), cards)).toEqual([]);
  });

  it('shows its screen through the service, though nobody else reaches it', async () => {
    const screen = await Screen.open(service, service.admin, 'head');
    if (!(screen instanceof Screen)) throw new Error(screen.msg);
    await expect.poll(() => screen.bytes.toString('latin1')).toMatch(/^RFB /);
  });

  it('is unplugged when it is stopped, and another project is heard on its own network only', async () => {
    await done(service.admin.post('/headnode/head/stop'));
    const ports = (await ovs.vsctl('list-ports', ovs.bridge)).trim().split('\n');
    expect(ports.toSorted()).toEqual(ovs.hosts.map(({ port }) => port).toSorted());
    expect(heardOf(captures.blue.frames, cards)).toEqual([]);

    await makeHeadnode(service, 'other', 'blue', ['eth0'], 'pxe');
    await plugIn('other', 'eth0', 'blue-net');
    await done(service.admin.post('/headnode/other/start'));
    const [card] = (await cardsOf('other')) as readonly [Card];
    await captures.blue.until(asks(card.mac, 'discover'), boot);
    // Whoever hands out addresses on red's network was not asked.
    expect(heardOf(captures.red.frames, [card])).toEqual([]);
    expect(dhcp.answers.filter(({ to }) => to === card.mac)).toEqual([]);

    for (const headnode of ['head', 'other']) await done(service.admin.del(`/headnode/${headnode}`));
    expect([await host.domains(), await host.volumes()]).toEqual([[], []]);
    expect((await ovs.vsctl('list-ports', ovs.bridge)).trim().split('\n')).toHaveLength(ovs.hosts.length);
  });
});
