import { hasPart, type LabHost } from '@corral/lab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NetworkMembership } from '../support/switches/network-membership.ts';
import { nodeOf, vlansOf } from '../support/switches/packet-switches.ts';
import {
  driftingPorts,
  type SoakInstallation,
  soakVlans,
  startSoakInstallation,
} from '../support/switches/soak-installation.ts';
import { landlord, type SoakCounts, tenancy, untilStopped } from '../support/switches/soak-tenants.ts';
import { editByHand, killInTurns, type TroubleCounts } from '../support/switches/soak-faults.ts';
import { done, eventually } from '../support/services/world.ts';

const soakSeconds = Number(process.env['CORRAL_SOAK_SECONDS'] ?? '20');
const hosts = 6;

describe.runIf(hasPart('Open vSwitch'))('a busy rack on Open vSwitch in which everything is killed', () => {
  let installation: SoakInstallation;

  beforeAll(async () => {
    installation = await startSoakInstallation(hosts);
  });
  afterAll(() => installation.stop());

  it(
    `${soakSeconds} s: no frame crosses from project to project, and in the end switch and database agree`,
    { timeout: soakSeconds * 1_000 + 150_000 },
    async () => {
      const membership = new NetworkMembership();
      const counts: SoakCounts = {
        ...{ reserved: 0, connected: 0, detached: 0, released: 0 },
        ...{ failed: 0, broken: 0, networks: 0 },
      };
      const troubles: TroubleCounts = {
        service: 0,
        'ovs-vswitchd': 0,
        'ovsdb-server': 0,
        flows: 0,
        sleeps: 0,
        clocks: 0,
        edits: 0,
      };
      const captures = await Promise.all(
        installation.ovs.hosts.map(async (host) => ({ host, capture: await host.capture() })),
      );
      const streams = installation.ovs.hosts.map((host) =>
        host.stream({ marker: host.port, tags: `untagged,${soakVlans.join(',')}` }, 10),
      );
      const frames = () => captures.reduce((sum, { capture }) => sum + capture.frames.length, 0);
      const report = setInterval(() => say(counts, troubles, frames()), 10_000);

      const over = new AbortController();
      const calm = new AbortController();
      const troubleTime = setTimeout(() => calm.abort(), soakSeconds * 1_000);
      const tenants = Promise.all([
        untilStopped(installation, counts, over.signal, () => landlord(installation, counts)),
        ...installation.ovs.hosts.map((host) =>
          untilStopped(installation, counts, over.signal, () => tenancy(installation, membership, counts, host)),
        ),
      ]);
      const troubled = Promise.all([
        killInTurns(installation, troubles, calm.signal),
        editByHand(installation, troubles, calm.signal),
      ]);
      try {
        // Before they are told to, the tenants only stop if something is wrong.
        await Promise.race([tenants, troubled]);
        // However slow the machine is: each of these happened.
        await eventually(() => ([counts.connected, counts.detached, counts.released].includes(0) ? undefined : true));
        over.abort();
        await tenants;
        // A port that was suspect for long is tried again once a minute.
        await eventually(() => isAtPeace(installation), 90_000);
        for (const host of installation.ovs.hosts) await expectAgreement(installation, host);
      } finally {
        clearInterval(report);
        clearTimeout(troubleTime);
        calm.abort();
        over.abort();
        await Promise.allSettled([tenants, troubled]);
      }
      await Promise.all(streams.map((stream) => stream.stop()));
      const wrongs = [];
      for (const { host, capture } of captures) wrongs.push(...membership.wrongs(host.port, await capture.stop()));
      say(counts, troubles, frames());

      expect({ count: wrongs.length, first: wrongs.slice(0, 5) }).toEqual({ count: 0, first: [] });
      const { clocks, ...others } = troubles;
      expect(Object.values(others)).not.toContain(0);
      if (installation.clock !== null) expect(clocks).toBeGreaterThan(0);
      expect(frames()).toBeGreaterThan(0);
    },
  );
});

/** Nothing pending, nothing suspect, and a sweep that finds nothing. */
const isAtPeace = async (installation: SoakInstallation): Promise<true | undefined> => {
  if ((await driftingPorts(installation.admin())) > 0) return undefined;
  const metrics = await installation.metrics();
  const isBusy = /corral_actions\{[^}]*status="PENDING"[^}]*\} [1-9]/.test(metrics);
  return isBusy || /corral_suspect_ports\{[^}]*\} [1-9]/.test(metrics) ? undefined : true;
};

/** What the database records of a host's port is what the switch itself says, without the driver's help. */
const expectAgreement = async (installation: SoakInstallation, host: LabHost): Promise<void> => {
  const vlans = await vlansOf(installation.admin());
  const { body } = await done(installation.admin().get(`/node/${nodeOf(host)}`));
  const networks = (body as { nics: { networks: Record<string, string> }[] }).nics[0]?.networks ?? {};
  const recorded = Object.entries(networks).map(([channel, network]) => ({ channel, vlan: vlans.get(network) }));
  expect(await installation.ovs.carried(host.port)).toEqual({
    native: recorded.find(({ channel }) => channel === 'vlan/native')?.vlan ?? null,
    tagged: recorded
      .filter(({ channel }) => channel !== 'vlan/native')
      .map(({ vlan }) => vlan)
      .sort(),
  });
};

const say = (counts: SoakCounts, troubles: TroubleCounts, frames: number): void => {
  const told = Object.entries({ ...counts, ...troubles, frames }).map(([what, count]) => `${count} ${what}`);
  process.stdout.write(`soak: ${told.join(', ')}\n`);
};
