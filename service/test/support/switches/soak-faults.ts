import type { LabOvs, OvsDaemon } from '@corral/lab';
import type { SoakInstallation } from './soak-installation.ts';
import { random, randomPause } from './soak-tenants.ts';

/** What went wrong at the installation. */
export interface TroubleCounts {
  service: number;
  'ovs-vswitchd': number;
  'ovsdb-server': number;
  /** Flows to the switch that were lost, and healed later. */
  flows: number;
  /** Times that the service was stopped and went on. */
  sleeps: number;
  /** Times that the service's clock was set. */
  clocks: number;
  edits: number;
}

const kinds = ['service', 'flows', 'clocks', 'ovs-vswitchd', 'sleeps', 'ovsdb-server'] as const;
/** Seconds from the machine's time: within a lease, beyond all times that are set, days, and right again. */
const offsets = ['+2', '-2', '+3600', '-3600', '+172800', '-172800', '+0'] as const;

/** One after the other is killed and started again, lost and healed, stopped and woken, or has its clock set: each as often as the others, and at least once. */
export const killInTurns = async (
  installation: SoakInstallation,
  counts: TroubleCounts,
  stop: AbortSignal,
): Promise<void> => {
  for (let turn = 0; !stop.aborted || turn < kinds.length; turn += 1) {
    const kind = kinds[turn % kinds.length] ?? 'service';
    if (kind === 'clocks' && installation.clock === null) continue;
    await randomPause(300, 2_000);
    if (kind === 'service') await installation.crashService();
    else if (kind === 'flows') await loseFlow(installation.ovs);
    else if (kind === 'clocks') await installation.clock?.set(random(offsets));
    else if (kind === 'sleeps') await installation.pauseService(random([300, 1_500, 3_000]));
    else await crashDaemon(installation.ovs, kind);
    counts[kind] += 1;
  }
};

/** The next write is lost, and delivered when it has long been tried again. */
const loseFlow = async (ovs: LabOvs): Promise<void> => {
  ovs.breakLine({ kind: 'hold', from: '"update"' });
  await randomPause(500, 3_000);
  ovs.breakLine(null);
};

const crashDaemon = async (ovs: LabOvs, daemon: OvsDaemon): Promise<void> => {
  await ovs.kill(daemon);
  await randomPause(0, random([300, 300, 4_000]));
  await ovs.start(daemon);
};

/**
 * Somebody changes ports by hand. Only in ways that join no two hosts: to a VLAN that nobody else has, or to none.
 * A port that he puts on another's VLAN, or clears so that it carries all, is his doing until it is repaired; a
 * crossing would then prove nothing.
 */
export const editByHand = async (
  installation: SoakInstallation,
  counts: TroubleCounts,
  stop: AbortSignal,
): Promise<void> => {
  while (!stop.aborted) {
    await randomPause(100, 400);
    const number = Math.floor(Math.random() * installation.ovs.hosts.length);
    const port = installation.ovs.hosts[number]?.port ?? '';
    const settings = random([
      ['vlan_mode=access', `tag=${4000 + number}`, 'trunks=[]', 'cvlans=[]', 'protected=false'],
      ['vlan_mode=trunk', 'tag=[]', `trunks=${4000 + number}`, 'cvlans=[]', 'protected=false'],
      ['vlan_mode=dot1q-tunnel', 'tag=4095', 'trunks=[]', 'cvlans=4095', 'protected=true'],
    ]);
    // The switch may be dead: then the edit is one more thing that it finds when it starts.
    // With a new number, because Open vSwitch lets frames cross by itself when a port is changed in place.
    const renumber = ['--', 'set', 'Interface', port, `ofport_request=${1_000 + Math.floor(Math.random() * 9_000)}`];
    const isDone = await installation.ovs.vsctl('--no-wait', 'set', 'Port', port, ...settings, ...renumber).then(
      () => true,
      () => false,
    );
    if (isDone) counts.edits += 1;
  }
};
