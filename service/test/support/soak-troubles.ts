import type { LabOvs, OvsDaemon } from '@corral/lab';
import type { SoakSite } from './soak-site.ts';
import { random, randomPause } from './soak-tenants.ts';

/** What befell the site. */
export interface TroubleCounts {
  service: number;
  'ovs-vswitchd': number;
  'ovsdb-server': number;
  edits: number;
}

const kinds = ['service', 'ovs-vswitchd', 'ovsdb-server'] as const;

/** One process after the other is killed and started again, each kind as often as the others, and at least once. */
export const killInTurns = async (site: SoakSite, counts: TroubleCounts, stop: AbortSignal): Promise<void> => {
  for (let turn = 0; !stop.aborted || turn < kinds.length; turn += 1) {
    const kind = kinds[turn % kinds.length] ?? 'service';
    await randomPause(300, 2_000);
    if (kind === 'service') await site.crashService();
    else await crashDaemon(site.ovs, kind);
    counts[kind] += 1;
  }
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
export const editByHand = async (site: SoakSite, counts: TroubleCounts, stop: AbortSignal): Promise<void> => {
  while (!stop.aborted) {
    await randomPause(100, 400);
    const number = Math.floor(Math.random() * site.ovs.hosts.length);
    const port = site.ovs.hosts[number]?.port ?? '';
    const settings = random([
      ['vlan_mode=access', `tag=${4000 + number}`, 'trunks=[]', 'cvlans=[]', 'protected=false'],
      ['vlan_mode=trunk', 'tag=[]', `trunks=${4000 + number}`, 'cvlans=[]', 'protected=false'],
      ['vlan_mode=dot1q-tunnel', 'tag=4095', 'trunks=[]', 'cvlans=4095', 'protected=true'],
    ]);
    // The switch may be dead: then the edit is one more thing that it finds when it starts.
    const isDone = await site.ovs.vsctl('--no-wait', 'set', 'Port', port, ...settings).then(
      () => true,
      () => false,
    );
    if (isDone) counts.edits += 1;
  }
};
