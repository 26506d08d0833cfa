import { rm } from 'node:fs/promises';
import { hasPart, type LabHost, startOvs } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WiringView } from '../../src/core/wiring.ts';
import { engines } from '../support/services/engines.ts';
import { startService } from '../support/services/service.ts';
import { nodeOf, patient, revertAll, wire } from '../support/switches/packet-switches.ts';
import { connect, done, eventually, makeNetwork, makeProject, reserve } from '../support/services/world.ts';

describe.runIf(hasPart('Open vSwitch')).each(engines)('the wiring of an Open vSwitch on %s', (engine) => {
  it('is right where frames come in at the recorded port, and elsewhere where cables are swapped', async () => {
    const [service, ovs] = await Promise.all([startService(engine, patient), startOvs({ hosts: 4 })]);
    onTestFinished(async () => {
      await ovs.stop();
      await service.stop();
      await rm(service.dataDir, { recursive: true, force: true });
    });
    const [right, one, other, silent] = ovs.hosts;
    if (!right || !one || !other || !silent) throw new Error('there are not four hosts');
    // The records have two hosts the other way round.
    const hosts = [right, { ...one, mac: other.mac }, { ...other, mac: one.mac }, silent];
    await wire(service.admin, 'ovs', { ...ovs, hosts }, { settle_ms: 200, unixctl: ovs.control });
    await revertAll(service, hosts);
    await makeProject(service, 'lab');
    await makeNetwork(service, 'lab', 'lab');
    for (const host of hosts) {
      await reserve(service, 'lab', nodeOf(host));
      await connect(service, nodeOf(host), 'eth0', 'lab');
    }
    const wiring = async (path: string): Promise<WiringView> =>
      (await done(service.admin.get(path))).body as WiringView;
    const speaking: readonly LabHost[] = [right, one, other];
    const view = await eventually(async () => {
      await Promise.all(speaking.map((host) => host.send({ marker: 'here', tags: 'untagged' })));
      const found = await wiring('/switch/sw0/wiring');
      return found.nics.filter(({ verdict }) => verdict !== 'unseen').length < speaking.length ? undefined : found;
    });
    expect(view.switches).toEqual([{ switch: 'sw0', fault: null }]);
    expect(view.nics.map(({ node, verdict, seen }) => [node, verdict, seen.map(({ port }) => port)])).toEqual([
      [nodeOf(right), 'right', [right.port]],
      [nodeOf(one), 'elsewhere', [other.port]],
      [nodeOf(other), 'elsewhere', [one.port]],
      [nodeOf(silent), 'unseen', []],
    ]);
    expect(await wiring(`/node/${nodeOf(one)}/wiring`)).toEqual({
      nics: view.nics.filter(({ node }) => node === nodeOf(one)),
      switches: view.switches,
    });
  });
});
