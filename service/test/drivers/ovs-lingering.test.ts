import { setTimeout as sleep } from 'node:timers/promises';
import { hasPart, type LabOvs, startOvs } from '@corral/lab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SwitchSession } from '../../src/drivers/switches/switch-contract.ts';
import { ovsSwitch } from '../../src/drivers/switches/ovs/ovs-driver.ts';
import { takesAway } from '../../src/drivers/switches/ovs/ovs-vlans.ts';

const amply = () => AbortSignal.timeout(30_000);
const manyVlans = Array.from({ length: 1_500 }, (_, index) => index + 101);
const rounds = 5;
/** The settings of a port without networks. */
const parked = ['vlan_mode=dot1q-tunnel', 'tag=4095', 'trunks=[]', 'cvlans=4095', 'protected=true'];

describe('what a change may leave behind in the cache of an Open vSwitch', () => {
  const some = { native: 100, tagged: [200] };
  it.each([
    ['a port that loses its native network', some, { native: null, tagged: [200] }, true],
    ['a port that loses a tagged network', some, { native: 100, tagged: [] }, true],
    ['a port that gets one network for another', some, { native: 101, tagged: [200] }, true],
    ['a port that is as it should be already', some, some, true],
    ['a port that only gains', some, { native: 100, tagged: [200, 300] }, false],
    ['a port that had nothing', { native: null, tagged: [] }, some, false],
  ])('%s', (_, before, after, isWaitedFor) => {
    expect(takesAway(before, after)).toBe(isWaitedFor);
  });
});

describe.runIf(hasPart('Open vSwitch'))('a real Open vSwitch with many flows', () => {
  let ovs: LabOvs;

  beforeAll(async () => {
    ovs = await startOvs({ hosts: 4 });
  });
  afterAll(() => ovs.stop());

  it.each<[string, (session: SwitchSession, port: string) => Promise<unknown>]>([
    ['applied again', (session, port) => session.apply([{ port, native: null, tagged: [] }], amply())],
    [
      'read, and the port drained',
      async (session, port) => {
        expect(await session.read([port], amply())).toEqual([{ port, native: null, tagged: [] }]);
        await session.drained?.(amply());
      },
    ],
  ])('passes nothing once settings that an attempt wrote before it died were %s', async (_, finish) => {
    const config = { ovs_bridge: ovs.bridge, ovsdb: `unix:${ovs.socket}` };
    const session = await ovsSwitch.open({ label: 'sw', config }, amply());
    const [watched, ...others] = ovs.hosts;
    if (!watched) throw new Error('there is no host');
    const busy = { native: 100, tagged: manyVlans };
    await session.apply(
      ovs.hosts.map(({ port }) => ({ port, ...busy })),
      amply(),
    );
    const capture = await watched.capture();
    const tags = `untagged,${manyVlans[0]}-${manyVlans.at(-1)}`;
    const streams = others.map((host) => host.stream({ marker: 'old network', tags }));
    let late = 0;
    for (let round = 0; round < rounds; round += 1) {
      await session.apply([{ port: watched.port, ...busy }], amply());
      const since = Date.now();
      await capture.until(({ at }) => at > since);
      // What the attempt wrote before it died.
      await ovs.vsctl('set', 'Port', watched.port, ...parked);
      await finish(session, watched.port);
      const done = Date.now();
      // What never comes cannot be waited for: this is longer than any flow was ever seen to linger.
      await sleep(500);
      late += capture.frames.filter(({ at }) => at > done).length;
    }
    await Promise.all(streams.map((stream) => stream.stop()));
    await session.close();
    expect(late).toBe(0);
  });

  it('is drained only when it has applied what others stored without waiting for that', async () => {
    const config = { ovs_bridge: ovs.bridge, ovsdb: `unix:${ovs.socket}`, settle_ms: 0 };
    const session = await ovsSwitch.open({ label: 'sw', config }, amply());
    const [{ port } = { port: '' }] = ovs.hosts;
    await session.apply([{ port, native: 100, tagged: [] }], amply());
    await ovs.kill('ovs-vswitchd');
    await ovs.vsctl('--no-wait', 'set', 'Port', port, ...parked);
    expect(await session.read([port], amply())).toEqual([{ port, native: null, tagged: [] }]);
    let isDrained = false;
    const draining = session.drained?.(amply()).then(() => (isDrained = true));
    // What must not come cannot be waited for.
    await sleep(300);
    expect(isDrained).toBe(false);
    await ovs.start('ovs-vswitchd');
    await draining;
    await session.close();
    expect(isDrained).toBe(true);
  });
});
