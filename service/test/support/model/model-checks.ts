import { expect } from 'vitest';
import { pendingActions } from '../services/replicas.ts';
import { isPending, type NodeName, type Plug, plugs, type State, switchOf } from './model-state.ts';
import type { Service } from '../services/service.ts';
import { done } from '../services/world.ts';

/** The VLANs that were asked for on a nic since its node came to the project it is in; none for a free node. */
export type RequestedVlans = Map<Plug, Set<number>>;

/*
 * What must never happen, as far as it shows: on the switches, and in what the service tells of everything.
 */

/** Looks into the memory of the switches. */
export const checkSwitches = (service: Service, states: readonly State[], requestedVlans: RequestedVlans): void => {
  for (const plug of plugs) {
    const [port] = service.simulated(switchOf(plug)).read([plug]);
    if (port === undefined) throw new Error(`switch ${switchOf(plug)} does not show port ${plug}`);
    const carried = [...(port.native === null ? [] : [port.native]), ...port.tagged];
    const strange = carried.filter((vlan) => !requestedVlans.get(plug)?.has(vlan));
    expect(strange, `port ${plug} carries what its node's project never asked for`).toEqual([]);
    const isCertain = states.every(({ nics }) => !isPending(nics[plug]) && nics[plug].suspect === null);
    if (!isCertain) continue;
    const recorded = states.map((state) => recordedOn(state, plug));
    expect(recorded, `port ${plug} carries what is recorded`).toContainEqual(port);
  }
};

const recordedOn = ({ nics, networks }: State, plug: Plug) => {
  const on = Object.entries(nics[plug].on).map(([channel, network]) => ({
    channel,
    vlan: networks[network]?.vlan ?? 0,
  }));
  return {
    port: plug,
    native: on.find(({ channel }) => channel === 'vlan/native')?.vlan ?? null,
    tagged: on
      .filter(({ channel }) => channel !== 'vlan/native')
      .map(({ vlan }) => vlan)
      .sort((a, b) => a - b),
  };
};

/** Looks at what an administrator is shown of everything. */
export const checkViews = async (service: Service, states: readonly State[]): Promise<void> => {
  const { admin } = service;
  const [state] = states;
  if (state === undefined) throw new Error('no world is left');
  const networks = (await done(admin.get('/networks'))).body as Record<
    string,
    { network_id: string; projects: unknown }
  >;
  const vlans = Object.values(networks).map(({ network_id }) => network_id);
  expect(new Set(vlans).size, 'two networks on one VLAN').toBe(vlans.length);
  expect(networks).toEqual(
    Object.fromEntries(
      Object.entries(state.networks).map(([label, { vlan, access }]) => [
        label,
        { network_id: String(vlan), projects: access },
      ]),
    ),
  );
  const homes = Object.entries(state.nodes) as [NodeName, string | null][];
  const inProject = (project: string | null) => homes.filter(([, home]) => home === project).map(([node]) => node);
  expect((await done(admin.get('/projects'))).body).toEqual(Object.keys(state.projects).sort());
  expect((await done(admin.get('/nodes/free'))).body).toEqual(inProject(null));
  for (const project of Object.keys(state.projects)) {
    expect((await done(admin.get(`/project/${project}/nodes`))).body).toEqual(inProject(project));
  }
  const mayBePending = plugs.filter((plug) => states.some(({ nics }) => isPending(nics[plug])));
  expect(await pendingActions(service), 'more pending actions than nics').toBeLessThanOrEqual(mayBePending.length);
};
