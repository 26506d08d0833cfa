import type { Route } from '../../../src/server/route.ts';
import type { Call } from '../authorization/authorization-case.ts';
import { authorizationCases } from '../authorization/authorization-cases.ts';
import type { Rig } from '../authorization/authorization-rig.ts';
import { goodCall } from './intruder-calls.ts';
import { isMade, type Kind, type Name, namesIn, renamed } from './object-names.ts';
import { done } from '../services/world.ts';

/** What project blue has of each kind that a tenant can have. */
export type BlueObjects = Readonly<Partial<Record<Kind, string>>>;

/** Objects of project blue: a node with nic `eth0`, a network, a headnode with hnic `eth0`, a subscription. */
export const makeBlueObjects = async (rig: Rig): Promise<BlueObjects> => {
  const { admin } = rig.service;
  const node = await rig.freeNode();
  await done(admin.post('/project/blue/connect_node', { node }));
  await done(admin.put(`/node/${node}/obm`, { enabled: true }));
  const headnode = rig.fresh('headnode');
  await done(admin.put(`/headnode/${headnode}`, { project: 'blue', base_img: 'base' }));
  await done(admin.put(`/headnode/${headnode}/hnic/eth0`));
  const subscription = rig.fresh('subscription');
  await done(admin.put(`/subscription/${subscription}`, { project: 'blue', url: 'http://127.0.0.1:9/hook' }));
  return { project: 'blue', node, network: await rig.network('blue', 'blue'), headnode, subscription };
};

const kindsOfTenants: readonly Kind[] = ['project', 'node', 'network', 'headnode', 'subscription'];

/** What a tenant may do with one object of his and one of another's, and why. */
const rightful: Readonly<Record<string, readonly Kind[]>> = {
  // An owner gives access to whomever he likes.
  network_grant_project_access: ['network'],
  // Any project may leave a network.
  network_revoke_project_access: ['project'],
  // An owner may ask which of its nodes any project has there.
  list_network_attachments: ['network'],
  // The node in the call is free, and there for everybody.
  project_connect_node: ['project'],
};

const tenantNames = (route: Route): readonly Name[] =>
  namesIn(route).filter((name) => kindsOfTenants.includes(name.kind) && !isMade(route, name));

/** The ways in which some, but not all, of the objects in a call can be one's own. */
export const mixesOf = (route: Route): readonly (readonly Kind[])[] => {
  const isForTenants = (authorizationCases[route.name] ?? []).some(({ letIn }) => letIn.includes('member'));
  const kinds = [...new Set(tenantNames(route).map(({ kind }) => kind))];
  if (!isForTenants || kinds.length < 2) return [];
  return kinds.map((kind) => [kind]).filter((mix) => mix.join() !== rightful[route.name]?.join());
};

/** A good call on objects of red, with those of these kinds replaced by blue's. */
export const blueWays = async (rig: Rig, blue: BlueObjects, route: Route, mix: readonly Kind[]): Promise<Call> =>
  tenantNames(route)
    .filter(({ kind }) => mix.includes(kind))
    .reduce((call, name) => renamed(call, name, blue[name.kind] ?? 'missing'), await goodCall(rig, route));
