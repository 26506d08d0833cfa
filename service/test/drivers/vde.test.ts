import { hasPart, type LabFrame, type LabHost, type LabVde, startVde } from '@corral/lab';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cliSwitch } from '../../src/drivers/switches/cli/cli-driver.ts';
import { vde } from '../../src/drivers/switches/cli/vde-dialect.ts';
import type { PortConfig, SwitchSession } from '../../src/drivers/switches/switch-contract.ts';
import { checkOf, inBody } from '@corral/base/schema/schema-check';

const driver = cliSwitch(vde);
const amply = () => AbortSignal.timeout(30_000);
const nothing = { native: null, tagged: [] };
/** Untagged, tagged with everything that fits into a tag, and tagged twice. */
const everyFrame = 'untagged,0-4095,4095.4095,4095.100,100.200,0.100';

describe('what vde_switch prints', () => {
  const ports = [
    "0000 DATA END WITH '.'",
    'Port 0001 untagged_vlan=0100 ACTIVE - Unnamed Allocatable',
    '  Current User: root Access Control: (User: NONE - Group: NONE)',
    '  IN:  pkts          5          bytes                  210',
    '  -- endpoint ID 0011 module tuntap      : tap0',
    'Port 0012 untagged_vlan=4095 INACTIVE - NOT Unnamed Allocatable',
    '.',
    '1000 Success',
    '',
  ].join('\n');
  const vlans = [
    "0000 DATA END WITH '.'",
    'VLAN 0100',
    ' -- Port 0001 tagged=0 active=1 status=Forwarding',
    'VLAN 0300',
    ' -- Port 0001 tagged=1 active=1 status=Forwarding',
    ' -- Port 0012 tagged=1 active=0 status=Learning',
    'VLAN 0400',
    '.',
    '1000 Success',
    '',
  ].join('\n');

  it('is read port by port', () => {
    expect(vde.read.parse([ports, vlans], null)).toEqual([
      { port: '1', native: 100, tagged: [300] },
      { port: '12', native: null, tagged: [300] },
    ]);
  });

  it('is a fault if it is cut short', () => {
    expect(() => vde.read.parse([ports], null)).toThrow('does not show its ports');
  });
});

it('a port is a number, and a password or a key is needed', () => {
  expect(driver.portName('17')).toBe('17');
  for (const bad of ['0', '017', '1 2', 'eth0', '-1', '123456']) expect(driver.portName(bad)).toHaveProperty('refused');
  const check = checkOf(driver.config, inBody);
  expect(check({ hostname: 'h', username: 'u' })).toContain(
    'the body is invalid; expected "password" or "private_key"',
  );
  expect(check({ hostname: 'h', username: 'u', password: 'p' })).toEqual([]);
});

it('what goes is taken away before what comes is added', () => {
  const was = { port: '3', native: 100, tagged: [200, 300] };
  expect(vde.port({ was, wanted: { port: '3', native: 200, tagged: [100, 300] }, deadVlan: null })).toEqual([
    'vlan/delport 200 3',
    'port/setvlan 3 200',
    'vlan/addport 100 3',
  ]);
  expect(vde.port({ was, wanted: { port: '3', ...nothing }, deadVlan: null })).toEqual([
    'vlan/delport 200 3',
    'vlan/delport 300 3',
    'port/setvlan 3 4095',
  ]);
});

describe.runIf(hasPart('vde_switch'))('a real vde_switch', () => {
  let device: LabVde;
  let session: SwitchSession;

  beforeAll(async () => {
    device = await startVde({ hosts: 4, ports: 8 });
  });
  afterAll(() => device.stop());
  beforeEach(async () => {
    session = await driver.open({ label: 'sw', config: device.fields }, amply());
  });
  afterEach(() => session.close());

  const set = async (...states: PortConfig[]): Promise<void> => {
    const outcomes = await session.apply(states, amply());
    expect(outcomes).toEqual(states.map(({ port }) => ({ port, applied: true })));
  };
  const host = (port: number): LabHost => {
    const found = device.hosts[port - 1];
    if (!found) throw new Error(`nobody is plugged into port ${port}`);
    return found;
  };
  const tagsOf = (frames: readonly LabFrame[]): string[] =>
    frames.filter(({ marker }) => marker === 'probe').map(({ tags }) => tags.join('.') || '-');
  /** What the other hosts receive when one sends all this: each frame by its tags, `-` for none. */
  const received = async (from: number, tags: string, to?: string): Promise<Record<string, string[]>> => {
    const others = device.hosts.filter(({ port }) => port !== `${from}`);
    const captures = await Promise.all(others.map((other) => other.capture()));
    await host(from).send({ marker: 'probe', tags, ...(to !== undefined && { to }) });
    await new Promise((resolve) => setTimeout(resolve, 150));
    const frames = await Promise.all(captures.map((capture) => capture.stop()));
    return Object.fromEntries(others.map(({ port }, index) => [port, tagsOf(frames[index] ?? [])]));
  };
  const heardFrom = async (from: number): Promise<Record<string, string[]>> => received(from, everyFrame);

  it('a port that nobody touched reaches all others, and reads as VLAN 0', async () => {
    expect(await received(1, 'untagged')).toEqual({ 2: ['-'], 3: ['-'], 4: ['-'] });
    expect(await session.read(['1'], amply())).toEqual([{ port: '1', native: 0, tagged: [] }]);
  });

  it('nothing goes into or out of a port without networks, not even to another one', async () => {
    await set(
      { port: '1', ...nothing },
      { port: '2', ...nothing },
      { port: '3', native: 100, tagged: [200, 300] },
      { port: '4', native: null, tagged: [100, 200] },
    );
    for (const idle of [1, 2]) expect(Object.values(await heardFrom(idle)).flat()).toEqual([]);
    for (const busy of [3, 4]) expect(await heardFrom(busy)).toMatchObject({ 1: [], 2: [] });
  });

  it('ports on one VLAN reach each other, tagged and untagged, and nobody else', async () => {
    await set(
      { port: '1', native: 100, tagged: [] },
      { port: '2', native: 100, tagged: [200] },
      { port: '3', native: null, tagged: [100, 300] },
      { port: '4', native: 200, tagged: [] },
    );
    expect(await received(1, 'untagged')).toEqual({ 2: ['-'], 3: ['100'], 4: [] });
    expect(await received(3, '100,300')).toEqual({ 1: ['-'], 2: ['-'], 4: [] });
    expect(await received(2, '200,300')).toEqual({ 1: [], 3: [], 4: ['-'] });
    // A port that has no untagged VLAN takes nothing untagged.
    expect(await received(3, 'untagged')).toEqual({ 1: [], 2: [], 4: [] });
  });

  it('a port that was taken off its network is not reached by an address that the switch remembers', async () => {
    await set(
      { port: '1', native: 100, tagged: [] },
      { port: '2', native: 100, tagged: [] },
      { port: '3', ...nothing },
    );
    expect(await host(1).ping(host(2))).toBe(true);
    expect(await received(1, 'untagged', host(2).mac)).toMatchObject({ 2: ['-'] });
    await set({ port: '2', ...nothing });
    expect(await received(1, 'untagged', host(2).mac)).toMatchObject({ 2: [] });
    await set({ port: '2', native: 200, tagged: [] });
    expect(await received(1, 'untagged', host(2).mac)).toMatchObject({ 2: [] });
  });

  it('on its way from one network to another a port passes no third one', async () => {
    await set({ port: '1', native: 100, tagged: [200] }, { port: '3', native: 300, tagged: [100, 200, 400] });
    const capture = await host(1).capture();
    const stream = host(3).stream({ marker: 'probe', tags: 'untagged,400' });
    for (let round = 0; round < 10; round++) {
      await set({ port: '1', native: 200, tagged: [100] });
      await set({ port: '1', ...nothing });
      await set({ port: '1', native: null, tagged: [100, 200] });
    }
    await stream.stop();
    expect(tagsOf(await capture.stop())).toEqual([]);
  });

  it('tells what the switch says to a VLAN that it does not want', async () => {
    const outcomes = await session.apply([{ port: '5', native: null, tagged: [4094] }], amply());
    expect(outcomes).toEqual([
      { port: '5', applied: false, reason: 'the switch answers "vlan/create 4094" with: 1022 Invalid argument' },
    ]);
  });

  it('shows the host key that it does not expect', async () => {
    const config = { ...device.fields, host_key: `SHA256:${'A'.repeat(43)}` };
    await expect(driver.open({ label: 'sw', config }, amply())).rejects.toThrow(/shows the host key SHA256:/);
  });
});
