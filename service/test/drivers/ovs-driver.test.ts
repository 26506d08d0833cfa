import { setTimeout as sleep } from 'node:timers/promises';
import { hasPart, type LabFrame, type LabOvs, startOvs } from '@corral/lab';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PortConfig, SwitchSession } from '../../src/drivers/switches/switch-contract.ts';
import { unclear } from '../../src/drivers/switches/vlan-lists.ts';
import { ovsSwitch } from '../../src/drivers/switches/ovs/ovs-driver.ts';

const all = Array.from({ length: 4094 }, (_, index) => index + 1);
const amply = () => AbortSignal.timeout(30_000);
const soon = () => AbortSignal.timeout(300);
const nothing = { native: null, tagged: [] };
/** Untagged, tagged with everything that fits into a tag, and tagged twice. */
const everyFrame = 'untagged,0-4095,4095.4095,4095.100,300.4095';

describe.runIf(hasPart('Open vSwitch'))('a real Open vSwitch', () => {
  let ovs: LabOvs;
  let session: SwitchSession;
  const sessions: SwitchSession[] = [];

  const open = async (fields: Record<string, unknown> = {}): Promise<SwitchSession> => {
    const config = { ovs_bridge: ovs.bridge, ovsdb: `unix:${ovs.socket}`, ...fields };
    const opened = await ovsSwitch.open({ label: 'sw', config }, amply());
    sessions.push(opened);
    return opened;
  };
  const set = async (...states: PortConfig[]): Promise<void> => {
    const outcomes = await session.apply(states, amply());
    expect(outcomes).toEqual(states.map(({ port }) => ({ port, applied: true })));
  };
  const unconfigure = (...ports: string[]) =>
    ovs.vsctl(
      ...ports.flatMap((port) => [
        ...['--', 'clear', 'Port', port, 'vlan_mode', 'tag', 'trunks', 'cvlans', 'other_config'],
        ...['--', 'set', 'Port', port, 'protected=false'],
      ]),
    );
  const host = (index: number) => {
    const found = ovs.hosts[index];
    if (!found) throw new Error(`there is no host ${index}`);
    return found;
  };
  /** What the other hosts receive when one sends all this: each frame by its tags, `-` for none. */
  const received = async (from: number, tags: string, tpid = '8100'): Promise<Record<string, string[]>> => {
    const others = ovs.hosts.filter((_, index) => index !== from);
    const captures = await Promise.all(others.map((other) => other.capture()));
    await host(from).send({ marker: 'probe', tags, tpid });
    // What never comes cannot be waited for: this is many times what a frame takes.
    await sleep(150);
    const frames = await Promise.all(captures.map((capture) => capture.stop()));
    return Object.fromEntries(others.map(({ port }, index) => [port, tagsOf(frames[index] ?? [])]));
  };
  const tagsOf = (frames: readonly LabFrame[]): string[] => frames.map(({ tags }) => tags.join('.') || '-');

  beforeAll(async () => {
    ovs = await startOvs({ hosts: 4, emptyPorts: 2, tls: true });
  });
  beforeEach(async () => {
    session = await open();
  });
  afterEach(async () => {
    await Promise.all(sessions.splice(0).map((one) => one.close()));
  });
  afterAll(() => ovs.stop());

  it('lets no frame of any kind out of or into a port without networks', async () => {
    await unconfigure('p0', 'p1', 'p3');
    await set({ port: 'p0', ...nothing }, { port: 'p1', ...nothing }, { port: 'p2', native: 100, tagged: [] });
    for (const tpid of ['8100', '88a8']) {
      const fromParked = await received(0, everyFrame, tpid);
      expect(fromParked).toMatchObject({ p1: [], p2: [] });
      // The one way out that Open vSwitch leaves: to a port that was never configured, in a VLAN that cannot be.
      expect(fromParked['p3']?.every((tags) => tags.startsWith('4095.4095'))).toBe(true);
      const fromUnconfigured = await received(3, everyFrame, tpid);
      expect(fromUnconfigured).toMatchObject({ p0: [], p1: [], p2: ['-'] });
    }
    expect(await received(2, everyFrame)).toMatchObject({ p0: [], p1: [] });
  });

  it('carries the networks of a port and no others', async () => {
    await set(
      { port: 'p0', native: 100, tagged: [101] },
      { port: 'p1', native: 100, tagged: [] },
      { port: 'p2', native: null, tagged: [100, 101] },
      { port: 'p3', native: 200, tagged: [101] },
    );
    expect(await received(0, 'untagged,1-4094')).toEqual({ p1: ['-', '-'], p2: ['100', '100', '101'], p3: ['101'] });
    expect(await received(1, 'untagged,1-4094')).toEqual({ p0: ['-'], p2: ['100'], p3: [] });
    expect(await received(2, 'untagged,1-4094')).toEqual({ p0: ['-', '101'], p1: ['-'], p3: ['101'] });
    expect(await host(0).ping(host(1))).toBe(true);
    expect(await host(0).ping(host(3), 300)).toBe(false);
  });

  it.each<[string, Omit<PortConfig, 'port'>]>([
    ['moved to another network', { native: 200, tagged: [] }],
    ['without networks', nothing],
    ['with other networks, tagged', { native: null, tagged: [200, 300] }],
  ])('a port %s sends nothing more to the old one once that is done', async (_, next) => {
    await set({ port: 'p2', native: 200, tagged: [] }, { port: 'p3', ...nothing });
    await set({ port: 'p0', native: 100, tagged: [] }, { port: 'p1', native: 100, tagged: [] });
    expect(await host(0).ping(host(1))).toBe(true);
    const captures = await Promise.all([host(0).capture(), host(1).capture()]);
    // To a known address and to everybody, both ways: learned addresses and cached flows are on their side.
    const streams = [
      host(0).stream({ marker: 'probe', to: host(1).mac }),
      host(0).stream({ marker: 'probe' }),
      host(1).stream({ marker: 'probe', to: host(0).mac }),
    ];
    // A slow machine takes its time to begin: what is taken away has to be in use.
    const inUse = (): ((frame: { readonly marker: string | null }) => boolean) => {
      let seen = 0;
      return ({ marker }) => marker === 'probe' && (seen += 1) > 10;
    };
    await Promise.all(captures.map((capture) => capture.until(inUse())));
    await set({ port: 'p0', ...next });
    const done = Date.now();
    await sleep(400);
    await Promise.all(streams.map((stream) => stream.stop()));
    const frames = (await Promise.all(captures.map((capture) => capture.stop()))).flat();
    expect(frames.length).toBeGreaterThan(10);
    expect(frames.filter(({ at }) => at > done)).toEqual([]);
  });

  it.each<[string, string[], Omit<PortConfig, 'port'>]>([
    ['nothing at all', [], { native: 0, tagged: all }],
    ['a tag', ['tag=7'], { native: 7, tagged: [] }],
    ['access without a tag', ['vlan_mode=access'], { native: 0, tagged: [] }],
    ['access with trunks beside', ['tag=7', 'trunks=8'], { native: 7, tagged: [] }],
    ['trunks', ['trunks=[9,8]'], { native: null, tagged: [8, 9] }],
    ['trunks with VLAN 0', ['trunks=[0,8]'], { native: 0, tagged: [8] }],
    ['a trunk of all', ['vlan_mode=trunk'], { native: 0, tagged: all }],
    [
      'a trunk with a tag, which does not count',
      ['vlan_mode=trunk', 'tag=7', 'trunks=8'],
      { native: null, tagged: [8] },
    ],
    ['native-untagged', ['vlan_mode=native-untagged', 'tag=7', 'trunks=[7,8]'], { native: 7, tagged: [8] }],
    [
      'native-untagged with all',
      ['vlan_mode=native-untagged', 'tag=7'],
      { native: 7, tagged: all.filter((vlan) => vlan !== 7) },
    ],
    ['native-untagged without a tag', ['vlan_mode=native-untagged', 'trunks=8'], { native: 0, tagged: [8] }],
    ['native-tagged', ['vlan_mode=native-tagged', 'tag=7', 'trunks=8'], { native: 7, tagged: [7, 8] }],
    ['a tunnel', ['vlan_mode=dot1q-tunnel', 'tag=7', 'cvlans=8'], unclear('vlan_mode=dot1q-tunnel tag=7 cvlans=8')],
    ['a tunnel for all', ['vlan_mode=dot1q-tunnel', 'tag=7'], unclear('vlan_mode=dot1q-tunnel tag=7 cvlans=')],
    ['tag 4095, which others share', ['tag=4095', 'protected=true'], { native: 4095, tagged: [] }],
    ['trunk 4095, which others share', ['trunks=4095', 'protected=true'], { native: null, tagged: [4095] }],
    [
      'a parked port that is no longer protected',
      ['vlan_mode=dot1q-tunnel', 'tag=4095', 'cvlans=4095'],
      unclear('vlan_mode=dot1q-tunnel tag=4095 cvlans=4095'),
    ],
  ])('tells what a port passes that somebody gave %s', async (_, settings, state) => {
    await unconfigure('p0');
    if (settings.length > 0) await ovs.vsctl('set', 'Port', 'p0', ...settings);
    expect(await session.read(['p0'], amply())).toEqual([{ port: 'p0', ...state }]);
  });

  it('shows every port of its bridge and none of another, its own port too', async () => {
    await ovs.vsctl('add-br', 'sw1', '--', 'set', 'Bridge', 'sw1', 'datapath_type=netdev');
    const states = await session.readAll?.(amply());
    expect(states?.map(({ port }) => port).sort()).toEqual(['d0', 'd1', 'p0', 'p1', 'p2', 'p3', 'sw0']);
    expect(states).toContainEqual({ port: 'sw0', native: 0, tagged: all });
    const reason = 'bridge sw0 has no port sw1; add it there first';
    expect(await session.apply([{ port: 'sw1', native: 5, tagged: [] }], amply())).toEqual([
      { port: 'sw1', applied: false, reason },
    ]);
    expect(await session.read(['sw1'], amply())).toEqual([]);
    await ovs.vsctl('del-br', 'sw1');
  });

  it('says which ports were refused and why, and does the others at once', async () => {
    await set({ port: 'd0', ...nothing });
    const before = Number(await ovs.vsctl('get', 'Open_vSwitch', '.', 'next_cfg'));
    const outcomes = await session.apply(
      [
        { port: 'p0', native: 4096, tagged: [] },
        { port: 'p1', native: null, tagged: [5, 9999] },
        { port: 'p2', native: 4095, tagged: [] },
        { port: 'p3', native: 5, tagged: [0] },
        { port: 'd0', native: 55, tagged: [] },
        { port: 'd1', native: 56, tagged: [] },
      ],
      amply(),
    );
    expect(outcomes.map(({ port, applied }) => [port, applied])).toEqual([
      ...['p0', 'p1', 'p2', 'p3'].map((port) => [port, false]),
      ...['d0', 'd1'].map((port) => [port, true]),
    ]);
    expect(outcomes[0]).toHaveProperty('reason', expect.stringMatching(/port p0: constraint violation: .*4096/));
    expect(outcomes[2]).toHaveProperty('reason', 'VLAN 4095 is reserved: a network has one from 1 to 4094');
    expect(await session.read(['d0'], amply())).toEqual([{ port: 'd0', native: 55, tagged: [] }]);
    expect(Number(await ovs.vsctl('get', 'Open_vSwitch', '.', 'next_cfg'))).toBe(before + 1);
  });

  it('does not trust a port that a mirror copies to', async () => {
    await set({ port: 'd1', ...nothing });
    const mirror = ['--', '--id=@m', 'create', 'Mirror', 'name=tap', 'select_all=true', 'output_port=@p'];
    await ovs.vsctl('--id=@p', 'get', 'Port', 'd1', ...mirror, '--', 'set', 'Bridge', 'sw0', 'mirrors=@m');
    expect(await session.read(['d1'], amply())).toEqual([{ port: 'd1', ...unclear('output_port of mirror tap') }]);
    const reason = 'port d1 is the output of mirror tap: remove the mirror first';
    expect(await session.apply([{ port: 'd1', ...nothing }], amply())).toEqual([
      { port: 'd1', applied: false, reason },
    ]);
    await ovs.vsctl('clear', 'Bridge', 'sw0', 'mirrors');
  });

  it('does not trust a port in a VLAN that a mirror copies into', async () => {
    await set({ port: 'd0', native: 300, tagged: [] }, { port: 'd1', native: 100, tagged: [666] });
    const mirror = ['--id=@m', 'create', 'Mirror', 'name=tap', 'output_vlan=666'];
    await ovs.vsctl(...mirror, '--', 'set', 'Bridge', 'sw0', 'mirrors=@m');
    expect(await session.read(['d0', 'd1'], amply())).toEqual([
      { port: 'd0', native: 300, tagged: [] },
      { port: 'd1', ...unclear('output_vlan=666 of mirror tap') },
    ]);
    expect(await session.apply([{ port: 'd0', native: 666, tagged: [] }], amply())).toEqual([
      { port: 'd0', applied: false, reason: expect.stringContaining('output_vlan=666 of mirror tap') as string },
    ]);
    await set({ port: 'd1', ...nothing });
    expect(await session.read(['d1'], amply())).toEqual([{ port: 'd1', ...nothing }]);
    await ovs.vsctl('clear', 'Bridge', 'sw0', 'mirrors');
  });

  it('does not trust a bridge whose flows somebody else has to add', async () => {
    await ovs.vsctl('set-fail-mode', 'sw0', 'secure');
    await expect(session.read(['p0'], amply())).rejects.toThrow('bridge sw0 has fail_mode=secure');
    await ovs.vsctl('del-fail-mode', 'sw0');
  });

  it('does not trust a bridge that an OpenFlow controller rules', async () => {
    await ovs.vsctl('set-controller', 'sw0', 'tcp:127.0.0.1:1');
    await expect(session.read(['p0'], amply())).rejects.toThrow('bridge sw0 has an OpenFlow controller');
    await expect(session.apply([{ port: 'p0', ...nothing }], amply())).rejects.toThrow('OpenFlow controller');
    await ovs.vsctl('del-controller', 'sw0');
  });

  it('a bridge that does not exist is a fault that names it', async () => {
    await expect(open({ ovs_bridge: 'sw9' })).rejects.toThrow('the Open vSwitch has no bridge sw9');
  });

  it('a database that was killed and came back is used again by the next session', async () => {
    await set({ port: 'p0', native: 100, tagged: [] }, { port: 'p1', native: 100, tagged: [] });
    await ovs.kill('ovsdb-server');
    await expect(session.read(['p0'], amply())).rejects.toThrow('the database closed the connection');
    await expect(open()).rejects.toThrow('ECONNREFUSED');
    await ovs.start('ovsdb-server');
    session = await open();
    expect(await session.read(['p0'], amply())).toEqual([{ port: 'p0', native: 100, tagged: [] }]);
    await set({ port: 'p0', ...nothing });
    expect(await host(0).ping(host(1), 300)).toBe(false);
  });

  it('a change that is stored but that no switch applies is not done', async () => {
    await set({ port: 'p0', native: 100, tagged: [] }, { port: 'p1', native: 100, tagged: [] });
    await ovs.kill('ovs-vswitchd');
    await expect(session.apply([{ port: 'p0', ...nothing }], soon())).rejects.toThrow('gave up waiting');
    session = await open();
    await expect(session.read(['p0'], soon())).rejects.toThrow('gave up waiting');
    await ovs.start('ovs-vswitchd');
    session = await open();
    expect(await session.read(['p0'], amply())).toEqual([{ port: 'p0', ...nothing }]);
    await set({ port: 'p0', native: 100, tagged: [] });
    expect(await host(0).ping(host(1), 3_000)).toBe(true);
  });

  describe('over TLS', () => {
    const tls = () => {
      if (!ovs.tls) throw new Error('the switch does not listen for TLS');
      const { port, papers } = ovs.tls;
      return {
        ovsdb: `ssl:127.0.0.1:${port}`,
        server_name: 'lab switch',
        ca_certificate: papers.ca,
        certificate: papers.certificate,
        private_key: papers.privateKey,
      };
    };

    const without = (...names: string[]) =>
      Object.fromEntries(Object.entries(tls()).filter(([name]) => !names.includes(name)));

    it('is used as any other line', async () => {
      session = await open(tls());
      await set({ port: 'p0', native: 300, tagged: [301] });
      expect(await session.read(['p0'], amply())).toEqual([{ port: 'p0', native: 300, tagged: [301] }]);
    });

    it('does not talk to a switch whose certificate is not trusted', async () => {
      await expect(open(without('ca_certificate'))).rejects.toThrow('certificate');
    });

    it('does not talk to a switch of another name', async () => {
      await expect(open(without('server_name'))).rejects.toThrow(/does not match certificate/);
      await expect(open({ ...tls(), server_name: 'other switch' })).rejects.toThrow(/does not match certificate/);
    });

    it('is refused without a certificate of its own', async () => {
      await expect(open(without('certificate', 'private_key'))).rejects.toThrow(
        'the connection to the database was lost',
      );
    });
  });
});
