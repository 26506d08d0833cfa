import { rm } from 'node:fs/promises';
import { type Capture, hasPart, type LabHost, type LabOvs, startLabObmd, startOvs } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Listener, startListener } from '../support/http/http-listener.ts';
import { cleaningThat, ended, freeNodes, isStuckAt, stepOf } from '../support/services/gated-node.ts';
import { released } from '../support/services/releases.ts';
import { runSql } from '../support/services/run-sql.ts';
import { type Service, startService } from '../support/services/service.ts';
import { message } from '../support/services/shared-service.ts';
import { connect, done, eventually, makeNetwork, makeProject, reserve, settled } from '../support/services/world.ts';
import { nodeOf, patient, revertAll, vlansOf, wire } from '../support/switches/packet-switches.ts';

interface Order {
  readonly cleaning: string;
  readonly step: string;
  readonly token: string;
}

/** Two hosts in red, one in blue, and one that changes hands, on a real switch, with a gate in between. */
interface Site {
  readonly service: Service;
  readonly ovs: LabOvs;
  readonly red: LabHost;
  readonly neighbour: LabHost;
  readonly blue: LabHost;
  readonly mover: LabHost;
  readonly vlans: ReadonlyMap<string, number>;
  readonly wipe: Listener;
}

const makeSite = async (): Promise<Site> => {
  const wipe = await startListener();
  const obmd = await startLabObmd({ adminToken: 'lab-admin-token' });
  onTestFinished(() => obmd.close());
  const ovs = await startOvs({ hosts: 4 });
  onTestFinished(() => ovs.stop());
  const service = await startService('sqlite', {
    ...patient,
    CORRAL_CLEANING_ENABLED: 'true',
    CORRAL_PUBLIC_URL: 'https://corral.example.org',
    CORRAL_CLEANING_STEPS: `wipe webhook ${wipe.url}`,
  });
  onTestFinished(() => rm(service.dataDir, { recursive: true, force: true }));
  onTestFinished(() => service.stop());
  const [red, neighbour, blue, mover] = ovs.hosts as readonly [LabHost, LabHost, LabHost, LabHost];
  await wire(service.admin, 'ovs', ovs, { settle_ms: 200 });
  await revertAll(service, ovs.hosts);
  obmd.add('mover').powerOn();
  await done(
    service.admin.put(`/node/${nodeOf(mover)}/obmd`, { uri: obmd.uri('mover'), admin_token: 'lab-admin-token' }),
  );
  for (const [project, hosts] of [['red', [red, neighbour, mover]] as const, ['blue', [blue]] as const]) {
    await makeProject(service, project);
    await makeNetwork(service, project, project);
    for (const host of hosts) {
      await reserve(service, project, nodeOf(host));
      await connect(service, nodeOf(host), 'eth0', project);
    }
  }
  return { service, ovs, red, neighbour, blue, mover, vlans: await vlansOf(service.admin), wipe };
};

const ofMover = 'of the one that moves';
const ofRed = 'of red';

/** Everybody sends from now on, with no tag and with those of both networks, and everybody listens. */
const talkAll = async ({ red, neighbour, blue, mover, vlans }: Site) => {
  const tags = `untagged,${[...vlans.values()].join(',')}`;
  const [atRed, atNeighbour, atBlue, atMover] = await Promise.all([
    red.capture(),
    neighbour.capture(),
    blue.capture(),
    mover.capture(),
  ]);
  const streams = [mover.stream({ marker: ofMover, tags }), red.stream({ marker: ofRed, tags })];
  return {
    atRed,
    atNeighbour,
    atBlue,
    atMover,
    end: async () => {
      for (const stream of streams) await stream.stop();
      // With the last frames that they saw.
      for (const capture of [atRed, atNeighbour, atBlue, atMover]) await capture.stop();
    },
  };
};

const heardAfter = (capture: Capture, marker: string, since: number) =>
  capture.until((frame) => frame.marker === marker && frame.at > since);
/** How many frames with this marker a host received in this time. */
const between = ({ frames }: Capture, marker: string, since: number, until: number): number =>
  frames.filter((frame) => frame.marker === marker && frame.at > since && frame.at < until).length;

/** Reports for what was ordered last. */
const reportClean = async ({ service, wipe }: Site): Promise<void> => {
  const { cleaning, step, token } = wipe.heard.at(-1)?.body as Order;
  await done(service.anonymous.post(`/cleaning/${cleaning}/result`, { step, token, outcome: 'clean' }));
};

describe.runIf(hasPart('Open vSwitch'))('a node between two projects, with real frames', { timeout: 180_000 }, () => {
  it('is heard by nobody from the moment it has left until the next project has it, and hears nobody', async () => {
    const site = await makeSite();
    const { service, mover, wipe } = site;
    const node = nodeOf(mover);
    const talk = await talkAll(site);
    // Before, they do hear each other.
    await heardAfter(talk.atRed, ofMover, 0);
    await heardAfter(talk.atMover, ofRed, 0);

    await released(service.admin, 'red', node);
    const left = Date.now();
    await eventually(() => (wipe.heard.length === 1 ? true : undefined));
    expect(await freeNodes(service)).not.toContain(node);
    expect(await message(service.admin.post('/project/blue/connect_node', { node }))).toContain('is being cleaned');
    // All of them go on sending: red's neighbour hears red.
    await heardAfter(talk.atNeighbour, ofRed, Date.now());
    await reportClean(site);
    await cleaningThat(service, ended('passed'), node);
    await reserve(service, 'blue', node);
    await heardAfter(talk.atNeighbour, ofRed, Date.now());
    const taken = Date.now();
    await connect(service, node, 'eth0', 'blue');
    await heardAfter(talk.atBlue, ofMover, taken);
    const end = Date.now();
    await talk.end();

    expect(between(talk.atRed, ofMover, left, end)).toBe(0);
    expect(between(talk.atNeighbour, ofMover, left, end)).toBe(0);
    expect(between(talk.atMover, ofRed, left, end)).toBe(0);
    expect(between(talk.atBlue, ofMover, 0, taken)).toBe(0);
    expect(between(talk.atBlue, ofRed, 0, end)).toBe(0);
  });

  it('is quarantined if somebody edits its port meanwhile, and passes when that is undone', async () => {
    const site = await makeSite();
    const { service, ovs, mover, vlans, wipe } = site;
    const node = nodeOf(mover);
    await released(service.admin, 'red', node);
    await eventually(() => (wipe.heard.length === 1 ? true : undefined));
    const before = Date.now();
    const talk = await talkAll(site);
    // Past the service, after its ports were read: it is on the network of its last project again.
    await ovs.tamper(mover.port, { native: vlans.get('red') ?? null, tagged: [] });
    await heardAfter(talk.atRed, ofMover, before);
    await reportClean(site);
    const stuck = await cleaningThat(service, isStuckAt('ports-again'), node);
    expect(stepOf(stuck, 'ports-again')?.sentence).toContain(mover.port);
    expect(await freeNodes(service)).not.toContain(node);
    const over = `update cleaning_steps set deadline_at = 0 where name = 'ports-again'`;
    await runSql(service, { sqlite: over, postgres: over });
    const { reason, cleaning } = await cleaningThat(service, ended('failed'), node);
    expect(reason).toMatch(/^step ports-again: not done at its deadline: /);
    expect(await message(service.admin.post('/project/blue/connect_node', { node }))).toContain('is quarantined');

    const revert = await service.admin.post(`/switch/sw0/port/${mover.port}/revert`);
    expect((await settled(service, revert)).status).toBe('DONE');
    const reverted = Date.now();
    await done(service.admin.post(`/cleaning/${cleaning}/retry`));
    await eventually(() => (wipe.heard.length === 2 ? true : undefined));
    await reportClean(site);
    await cleaningThat(service, ended('passed'), node);
    expect(await freeNodes(service)).toContain(node);
    await heardAfter(talk.atNeighbour, ofRed, Date.now());
    const end = Date.now();
    await talk.end();
    expect(between(talk.atRed, ofMover, reverted, end)).toBe(0);
    expect(between(talk.atMover, ofRed, reverted, end)).toBe(0);
  });
});
