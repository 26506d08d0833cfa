import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../src/server/route.ts';
import { makeRig, type Rig } from '../support/authorization/authorization-rig.ts';
import { engines } from '../support/services/engines.ts';
import { callAs, goodCall, goodStatus } from '../support/existence-leaks/intruder-calls.ts';
import {
  callOf,
  isMade,
  type Kind,
  type Name,
  namedIn,
  namesIn,
  parentOf,
  renamed,
  routes,
} from '../support/existence-leaks/object-names.ts';
import { type Labels, labelsIn, viewsOf } from '../support/existence-leaks/object-views.ts';
import { storedState } from '../support/existence-leaks/stored-state.ts';
import { acceptedDone } from '../support/services/releases.ts';
import { done } from '../support/services/world.ts';

/*
 * A child reached through another parent: the nic of another node, the port of another switch, the node of another
 * project. Never found, and never touched.
 */

/** Another parent of each kind, without children. */
const childless: Readonly<Partial<Record<Kind, (rig: Rig) => Promise<string>>>> = {
  node: (rig) => rig.bareNode(),
  switch: (rig) => rig.bareSwitch(),
  user: (rig) => rig.user(),
  headnode: async (rig) => {
    const headnode = rig.fresh('headnode');
    await done(rig.service.admin.put(`/headnode/${headnode}`, { project: 'red', base_img: 'base' }));
    return headnode;
  },
};

const throughParents = routes.flatMap((route) =>
  namesIn(route).flatMap((child) => {
    const parent = namesIn(route).find(({ kind }) => kind === parentOf[child.kind]);
    if (parent === undefined || isMade(route, child)) return [];
    return [[`the ${child.kind} of another ${parent.kind}`, callOf(route), route, parent] as const];
  }),
);

/** Calls that undo a tie between two things: with a third in the place of one there is no tie. */
const unties: Readonly<Record<string, number>> = {
  project_detach_node: 409,
  project_release_nodes: 409,
  node_detach_network: 409,
  user_remove_project: 404,
  network_revoke_project_access: 404,
};
/** Calls about two things that need no tie: they make one, or ask whether there is one. */
const needNoTie: readonly string[] = [
  'network_create',
  'list_network_attachments',
  'network_grant_project_access',
  'node_connect_network',
  'project_connect_node',
  'headnode_connect_network',
  'port_connect_nic',
  'user_add_project',
  'subscription_create_mail',
];

/** Things of these kinds that are tied to others. */
const elsewhere: Readonly<Partial<Record<Kind, (rig: Rig) => Promise<string>>>> = {
  project: (rig) => rig.project(),
  node: async (rig) => {
    const node = await rig.freeNode();
    await done(rig.service.admin.post('/project/blue/connect_node', { node }));
    return node;
  },
  network: (rig) => rig.network('red', 'red'),
  user: (rig) => rig.user('blue'),
};

const independent = (route: Route): readonly Name[] =>
  namesIn(route).filter((name) => parentOf[name.kind] === undefined && name.kind !== 'switch' && !isMade(route, name));
const throughOthers = routes
  .filter(({ name }) => unties[name] !== undefined)
  .flatMap((route) => independent(route).map((name) => [callOf(route), name.field, route, name] as const));

it('every call that names two things is tried with one of them exchanged, or needs no tie between them', () => {
  const two = routes.filter((route) => new Set(independent(route).map(({ field }) => field)).size > 1);
  expect(two.map(({ name }) => name).filter((name) => unties[name] === undefined && !needNoTie.includes(name))).toEqual(
    [],
  );
});

const changing = routes.filter((route) => route.method !== 'GET' && namesIn(route).length > 0);

describe.each(engines)('another parent on %s', (engine) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await makeRig(engine);
  });
  afterAll(() => rig.close());

  it.each(throughParents)('does not give %s to %s', async (_what, _title, route, parent) => {
    const call = await goodCall(rig, route);
    const misplaced = renamed(call, parent, (await childless[parent.kind]?.(rig)) ?? '');
    const before = await storedState(rig);
    for (const caller of ['admin', 'member', 'other', 'anonymous'] as const) {
      const { status, text } = await callAs(rig, caller, route, misplaced);
      expect(caller === 'admin' ? [404] : [401, 404], `${caller}: ${text}`).toContain(status);
    }
    expect(await storedState(rig)).toEqual(before);
    // It was there all the time.
    const answer = await callAs(rig, 'admin', route, call);
    expect(answer.status, answer.text).toBe(goodStatus(route));
    if (answer.status === 202) await acceptedDone(rig.service, answer);
  });

  it.each(throughOthers)(
    'does not let %s reach what it is not tied to: another %s',
    async (_title, _field, route, name) => {
      const call = await goodCall(rig, route);
      const exchanged = renamed(call, name, (await elsewhere[name.kind]?.(rig)) ?? '');
      const before = await storedState(rig);
      expect((await callAs(rig, 'admin', route, exchanged)).status).toBe(unties[route.name]);
      for (const caller of ['member', 'other', 'outsider', 'anonymous'] as const) {
        const { status, text } = await callAs(rig, caller, route, exchanged);
        expect([401, 404, 409], `${caller}: ${text}`).toContain(status);
      }
      expect(await storedState(rig)).toEqual(before);
    },
  );

  /** What is shown of those things in a call that another call of the route does not name. */
  const shownOf = async (labels: Labels, others: Labels): Promise<unknown> => {
    const shown: [string, string][] = [];
    for (const [view, question] of viewsOf(labels)) {
      const named = namesIn(view)
        .map((name) => [name.kind, namedIn(question, name)] as const)
        .filter(([, label]) => label !== undefined);
      if (named.length === 0 || named.every(([kind, label]) => others[kind] === label)) continue;
      const { status, text } = await callAs(rig, 'admin', view, question);
      shown.push([callOf(view), `${status} ${text}`]);
    }
    return Object.fromEntries(shown);
  };

  it.each(changing.map((route) => [callOf(route), route] as const))(
    'keeps its own when %s is done to one just like it',
    async (_title, route) => {
      const [call, twin] = [await goodCall(rig, route), await goodCall(rig, route)];
      const [labels, others] = [labelsIn(route, twin), labelsIn(route, call)];
      const before = await shownOf(labels, others);
      const answer = await callAs(rig, 'admin', route, call);
      if (answer.status === 202) await acceptedDone(rig.service, answer);
      expect(answer.status, answer.text).toBe(goodStatus(route));
      expect(await shownOf(labels, others)).toEqual(before);
    },
  );
});
