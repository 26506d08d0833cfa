import { hasPart, type LabOvs, startOvs } from '@corral/lab';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { OldSession, type SwitchSession } from '../../src/drivers/switches/switch-contract.ts';
import { ovsSwitch } from '../../src/drivers/switches/ovs/ovs-driver.ts';

const amply = () => AbortSignal.timeout(30_000);

describe.runIf(hasPart('Open vSwitch'))('sessions with an Open vSwitch', () => {
  let ovs: LabOvs;
  const sessions: SwitchSession[] = [];
  beforeAll(async () => {
    ovs = await startOvs({ emptyPorts: 1 });
  });
  afterEach(async () => {
    await Promise.all(sessions.splice(0).map((one) => one.close()));
  });
  afterAll(() => ovs.stop());

  const open = async (number: number, installation = 'ours'): Promise<SwitchSession> => {
    const permit = { number, installation, check: () => undefined };
    const config = { ovs_bridge: ovs.bridge, ovsdb: `unix:${ovs.socket}`, settle_ms: 0 };
    const session = await ovsSwitch.open({ label: 'sw', config, permit }, amply());
    sessions.push(session);
    return session;
  };
  const put = (session: SwitchSession, native: number) => session.apply([{ port: 'd0', native, tagged: [] }], amply());
  const applied = [{ port: 'd0', applied: true }];

  it('an earlier one cannot write any more once a later one is open', async () => {
    const earlier = await open(1);
    expect(await put(earlier, 100)).toEqual(applied);
    const later = await open(2);
    await expect(put(earlier, 200)).rejects.toThrow('a later session controls the switch');
    expect(await ovs.carried('d0')).toEqual({ native: 100, tagged: [] });
    expect(await put(later, 300)).toEqual(applied);
  });

  it('one that is older than the newest is refused', async () => {
    await open(10);
    const refused = await open(10).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OldSession);
    expect(refused).toMatchObject({ seen: 10 });
    await open(11);
  });

  it('another installation is counted separately', async () => {
    const ours = await open(20);
    const theirs = await open(1, 'theirs');
    expect(await put(ours, 400)).toEqual(applied);
    expect(await put(theirs, 500)).toEqual(applied);
  });

  it('what others have in the same column stays', async () => {
    await ovs.vsctl('set', 'Bridge', ovs.bridge, 'external_ids:rack=7');
    await open(30);
    expect((await ovs.vsctl('get', 'Bridge', ovs.bridge, 'external_ids:rack')).trim()).toBe('"7"');
  });

  it('a port that others change all the time is written all the same', async () => {
    const session = await open(40);
    const stop = new AbortController();
    const busy = (async () => {
      for (let tag = 1; !stop.signal.aborted; tag = (tag % 4000) + 1)
        await ovs.vsctl('set', 'Port', 'd0', `tag=${tag}`);
    })();
    for (let turn = 0; turn < 10; turn += 1) expect(await put(session, 600)).toEqual(applied);
    stop.abort();
    await busy;
  });

  it('one that is open neither reads nor writes once the switch is called something else', async () => {
    const session = await open(50);
    const before = await session.identity?.(amply());
    await put(session, 700);
    await ovs.vsctl('set', 'Open_vSwitch', '.', 'external_ids:system-id=another');
    const changed = `the switch was ${String(before)} and is now ovs another bridge ${ovs.bridge}`;
    await expect(put(session, 800)).rejects.toThrow(changed);
    await expect(session.read(['d0'], amply())).rejects.toThrow(changed);
    await expect(session.readAll?.(amply())).rejects.toThrow(changed);
    expect(await ovs.carried('d0')).toEqual({ native: 700, tagged: [] });
    const next = await open(51);
    expect(await next.identity?.(amply())).toBe(`ovs another bridge ${ovs.bridge}`);
    expect(await put(next, 800)).toEqual(applied);
  });
});
