import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizationCases } from '../support/authorization/authorization-cases.ts';
import { callerNames } from '../support/authorization/authorization-callers.ts';
import { makeRig, type Rig } from '../support/authorization/authorization-rig.ts';
import { engines } from '../support/services/engines.ts';
import { clientOf } from '../support/http/http-client.ts';
import { callAs, goodCall } from '../support/existence-leaks/intruder-calls.ts';
import { end, forget, lifecycles, makeBare } from '../support/existence-leaks/object-lifecycles.ts';
import {
  callOf,
  isMade,
  type Kind,
  makes,
  namedIn,
  namesIn,
  parentOf,
  renamed,
  routes,
  unknownArguments,
} from '../support/existence-leaks/object-names.ts';
import { type Labels, viewsOf } from '../support/existence-leaks/object-views.ts';
import { storedState } from '../support/existence-leaks/stored-state.ts';
import { done } from '../support/services/world.ts';

/*
 * Use after delete: once an object is gone, no call reaches it any more, and what is made later under its label has
 * nothing of it.
 */

const kinds = Object.keys(lifecycles) as readonly Kind[];
const callers = callerNames.filter((name) => name !== 'wrong password');

const nameless = (text: string, label: string): string =>
  text
    .replaceAll(`"${label}"`, '"it"')
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4,12}){4}\b/g, 'uuid')
    .replaceAll(label, 'it');

/** What a list says of one of those in it. */
const entryIn = (list: unknown, label: string): unknown =>
  Array.isArray(list) ? list.includes(label) : new Map(Object.entries(list as object)).get(label);

/** Every call that names an object of this kind that must be there, with each argument that does. */
const usesOf = (kind: Kind) =>
  routes.flatMap((route) =>
    namesIn(route)
      .filter((name) => name.kind === kind && !isMade(route, name))
      .map((name) => ({ route, name })),
  );

it('every argument of every call is known to the oracles, and every call has a case to start from', () => {
  expect(unknownArguments()).toEqual([]);
  expect(routes.filter(({ name }) => authorizationCases[name] === undefined).map(callOf)).toEqual([]);
  const names = routes.map(({ name }) => name);
  expect(Object.keys(makes).filter((name) => !names.includes(name))).toEqual([]);
});

it.each(kinds)('there are calls that name a %s', (kind) => {
  expect(usesOf(kind)).not.toEqual([]);
});

describe.each(engines)('what has been deleted on %s', (engine) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await makeRig(engine);
  });
  afterAll(() => rig.close());

  /** The good call of a route, about this object, what it is in, and what is in it. */
  const callAbout = async (route: (typeof routes)[number], kind: Kind, its: Labels) => {
    const call = await goodCall(rig, route);
    const family = [kind, parentOf[kind], ...kinds.filter((child) => parentOf[child] === kind)];
    return namesIn(route)
      .filter((name) => family.includes(name.kind) && !isMade(route, name))
      .reduce((made, name) => renamed(made, name, its[name.kind] ?? namedIn(made, name) ?? ''), call);
  };

  /** What a caller is shown of an object: by the calls that name it, and of lists its own entry. */
  const shownTo = async (caller: (typeof callers)[number], kind: Kind, its: Labels): Promise<unknown> => {
    const label = its[kind] ?? '';
    const shown: [string, unknown][] = [];
    for (const [view, call] of viewsOf(its)) {
      const { status, text, body } = await callAs(rig, caller, view, call);
      const isAbout = namesIn(view).length > 0;
      shown.push([callOf(view), isAbout ? `${status} ${nameless(text, label)}` : entryIn(body, label)]);
    }
    return Object.fromEntries(shown);
  };

  it.each(kinds)('is reached by no call any more: a %s', async (kind) => {
    const its = await lifecycles[kind].full(rig, rig.fresh(kind));
    const calls = [];
    for (const { route, name } of usesOf(kind)) {
      const call = renamed(await callAbout(route, kind, its), name, its[kind] ?? '');
      calls.push({ route, call, what: `${callOf(route)} with it as ${name.field}` });
    }
    // Seen by everybody who may, so that whatever is kept of it is there to be found again.
    for (const caller of callers) {
      for (const { route, call, what } of calls.filter(({ route: { method } }) => method === 'GET')) {
        const { status } = await callAs(rig, caller, route, call);
        if (caller === 'admin') expect(status, what).not.toBe(404);
      }
    }
    await end(rig, kind, its);
    const before = await storedState(rig);
    for (const { route, call, what } of calls) {
      const answer = await callAs(rig, 'admin', route, call);
      expect(answer, what).toMatchObject({ status: 404, body: { type: 'NotFoundError' } });
      for (const caller of callers.filter((name) => name !== 'admin')) {
        expect([401, 404], `${caller}: ${what}`).toContain((await callAs(rig, caller, route, call)).status);
      }
    }
    expect(await storedState(rig)).toEqual(before);
  });

  const remade = kinds.filter((kind) => lifecycles[kind].path !== null);
  it.each(remade)('leaves nothing to a later one of its label: a %s', async (kind) => {
    const its = await lifecycles[kind].full(rig, rig.fresh(kind));
    for (const caller of callers) await shownTo(caller, kind, its);
    await end(rig, kind, its);
    // What is left of what it had is not its own: only where it is found says which it is.
    const parent = parentOf[kind];
    const place: Labels = parent === undefined ? {} : { [parent]: its[parent] };
    const bareViews = async (label: string): Promise<unknown> => {
      const one = { ...place, [kind]: label };
      await makeBare(rig, kind, one);
      const views = [];
      for (const caller of callers) views.push([caller, await shownTo(caller, kind, one)]);
      await forget(rig, kind, one);
      return views;
    };
    const heir = await bareViews(its[kind] ?? '');
    expect(heir).toEqual(await bareViews(rig.fresh(kind)));
  });

  it('a new project under an old label has neither members nor history', async () => {
    const { admin } = rig.service;
    const project = rig.fresh('project');
    const its = await lifecycles.project.full(rig, project);
    await end(rig, 'project', its);
    await done(admin.put(`/project/${project}`));
    for (const former of ['member', 'other'] as const) {
      for (const path of [`/project/${project}/nodes`, `/events?project=${project}`]) {
        expect((await rig.callers[former].get(path)).status, `${former} ${path}`).toBe(401);
      }
    }
    await done(admin.post('/auth/basic/user/other/add_project', { project }));
    const { body } = await done(rig.callers.other.get(`/events?project=${project}`));
    expect((body as { events: { type: string }[] }).events.map(({ type }) => type)).toEqual([
      'user_add_project',
      'project_create',
    ]);
  });

  it('a new user under an old name has neither the password, nor the rights, nor the projects', async () => {
    const user = rig.fresh('user');
    const its = await lifecycles.user.full(rig, user);
    const [before, after] = [rig.service.as(user, 'old password'), rig.service.as(user, 'new password')];
    expect((await before.get('/projects')).status).toBe(200);
    const { body } = await done(before.put('/auth/token/ci', {}));
    const byToken = clientOf(rig.service.url, `Bearer ${(body as { token: string }).token}`);
    expect((await byToken.get('/nodes/all')).status).toBe(200);
    await end(rig, 'user', its);
    for (const client of [before, byToken]) expect((await client.get('/nodes/all')).status).toBe(401);
    await makeBare(rig, 'user', its);
    for (const client of [before, byToken]) expect((await client.get('/nodes/all')).status).toBe(401);
    expect((await after.get('/nodes/all')).status).toBe(200);
    expect((await after.get('/projects')).status).toBe(401);
    expect((await after.get('/project/red/nodes')).status).toBe(401);
    expect((await done(after.get('/auth/tokens'))).body).toEqual([]);
  });

  it('a new token under an old name has another text, and the old one is invalid', async () => {
    const user = rig.service.as(await rig.user('red'));
    const made = async () => (await done(user.put('/auth/token/ci', {}))).body as { token: string };
    const [old, path] = [await made(), '/project/red/nodes'];
    await done(user.del('/auth/token/ci'));
    const now = await made();
    expect((await clientOf(rig.service.url, `Bearer ${old.token}`).get(path)).status).toBe(401);
    expect((await clientOf(rig.service.url, `Bearer ${now.token}`).get(path)).status).toBe(200);
  });

  it('a new node under an old label answers to nobody until its OBM is enabled again', async () => {
    const node = rig.fresh('node');
    const its = await lifecycles.node.full(rig, node);
    await end(rig, 'node', its);
    await makeBare(rig, 'node', its);
    const before = rig.obmd.calls.length;
    for (const order of ['power_on', 'power_off', 'power_cycle']) {
      expect((await rig.service.admin.post(`/node/${node}/${order}`)).status, order).toBe(409);
    }
    expect((await rig.service.admin.get(`/node/${node}/console`)).status).toBe(409);
    expect(rig.obmd.calls.length).toBe(before);
  });
});
