import { hasPart, type LabOvs, startOvs } from '@corral/lab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ovsSwitch } from '../../src/drivers/switches/ovs/ovs-driver.ts';

const amply = () => AbortSignal.timeout(30_000);
const hosts = 4;
const changes = 40;

describe.runIf(hasPart('Open vSwitch'))('hosts of which no two ever share a VLAN', () => {
  let ovs: LabOvs;

  beforeAll(async () => {
    ovs = await startOvs({ hosts });
  });
  afterAll(() => ovs.stop());

  it('hear nothing of each other while their VLANs are changed, from whatever addresses they send', async () => {
    const config = { ovs_bridge: ovs.bridge, ovsdb: `unix:${ovs.socket}`, settle_ms: 0 };
    const session = await ovsSwitch.open({ label: 'sw', config }, amply());
    const statesOf = (index: number) => {
      const [one, other] = [100 + 2 * index, 101 + 2 * index];
      return [
        { native: null, tagged: [] },
        { native: one, tagged: [] },
        { native: one, tagged: [other] },
        { native: null, tagged: [other] },
      ];
    };
    const inState = (round: number) =>
      ovs.hosts.map(({ port }, index) => ({
        port,
        ...(statesOf(index)[(round * (index + 1) + index) % 4] ?? { native: null, tagged: [] }),
      }));
    await session.apply(
      ovs.hosts.map(({ port }) => ({ port, native: null, tagged: [] })),
      amply(),
    );
    const captures = await Promise.all(ovs.hosts.map((host) => host.capture()));
    const tags = `untagged,100-${101 + 2 * hosts}`;
    const streams = ovs.hosts.map((host) => host.stream({ marker: host.port, tags, sources: 'new' }, 1));
    for (let round = 0; round < changes; round += 1) await session.apply(inState(round), amply());
    await Promise.all(streams.map((stream) => stream.stop()));
    const heard = (await Promise.all(captures.map((capture) => capture.stop()))).flat();
    await session.close();
    expect({ count: heard.length, first: heard.slice(0, 3) }).toEqual({ count: 0, first: [] });
  }, 60_000);
});
