import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../src/server/route.ts';
import type { Call } from '../support/authorization/authorization-case.ts';
import { makeRig, type Rig } from '../support/authorization/authorization-rig.ts';
import { engines } from '../support/services/engines.ts';
import { callAs, goodCall, goodStatus, intrudersOf } from '../support/existence-leaks/intruder-calls.ts';
import { callOf, isMade, makes, namedIn, namesIn, renamed, routes } from '../support/existence-leaks/object-names.ts';
import { everyView } from '../support/existence-leaks/object-views.ts';
import { storedState } from '../support/existence-leaks/stored-state.ts';
import { acceptedDone } from '../support/services/releases.ts';
import { connect, done, eventually, settled } from '../support/services/world.ts';

/*
 * Leak after a failed create: a call that changes something is made to fail in every way there is. Nothing is left
 * behind, stored or shown, and the very same call then succeeds: its label is still free.
 */

type Body = Readonly<Record<string, unknown>>;

/** The call with something wrong in its form, and what is wrong. */
const malformed = (route: Route, call: Call): readonly (readonly [string, Call, string?])[] => {
  const { properties = {}, required = [] } = route.body as {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  };
  const body = (call.body ?? {}) as Body;
  return [
    ['no JSON', call, '{"not": json'],
    ['no object', call, '[]'],
    ['an unknown field', { ...call, body: { ...body, nonsense: 1 } }],
    ['an unknown query parameter', { ...call, query: '?nonsense=1' }],
    ...required.map((field) => [`no ${field}`, { ...call, body: { ...body, [field]: undefined } }] as const),
    ...Object.keys(properties)
      .filter((field) => field !== 'value')
      .map((field) => [`${field} of the wrong type`, { ...call, body: { ...body, [field]: [{}] } }] as const),
    ...namesIn(route).map((name) => [`a line feed in ${name.field}`, renamed(call, name, 'a\nb')] as const),
  ];
};

/** The call with one of the things that it refers to missing. */
const dangling = (route: Route, call: Call): readonly (readonly [string, Call])[] =>
  namesIn(route)
    .filter((name) => !isMade(route, name) && (namedIn(call, name) ?? '') !== '')
    .map((name) => [`${name.field} is missing`, renamed(call, name, 'missing')]);

const changing = routes.filter(({ method }) => method !== 'GET').map((route) => [callOf(route), route] as const);
const creating = changing.filter(([, { name }]) => makes[name] !== undefined && name !== 'node_set_metadata');

describe.each(engines)('a call that fails on %s', (engine) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await makeRig(engine);
  });
  afterAll(() => rig.close());

  it.each(changing)('%s leaves nothing behind, and is as possible as before', async (_title, route) => {
    const call = await goodCall(rig, route);
    const shown = await everyView(rig, route, call);
    const stored = await storedState(rig);
    for (const [what, wrong, raw] of malformed(route, call)) {
      const answer = await callAs(rig, 'admin', route, wrong, raw);
      expect(answer, what).toMatchObject({ status: 400, body: { type: 'ValidationError' } });
    }
    for (const [what, wrong] of dangling(route, call)) {
      const answer = await callAs(rig, 'admin', route, wrong);
      expect(answer, what).toMatchObject({ status: 404, body: { type: 'NotFoundError' } });
    }
    for (const caller of intrudersOf(route)) {
      expect((await callAs(rig, caller, route, call)).status, caller).toBe(401);
    }
    expect(await storedState(rig)).toEqual(stored);
    expect(await everyView(rig, route, call)).toEqual(shown);
    const answer = await callAs(rig, 'admin', route, call);
    expect(answer.status, answer.text).toBe(goodStatus(route));
    if (answer.status === 202) await acceptedDone(rig.service, answer);
  });

  it.each(creating)('%s leaves what has the label already as it is', async (_title, route) => {
    const call = await goodCall(rig, route);
    await callAs(rig, 'admin', route, call);
    const second = { ...(await goodCall(rig, route)), params: call.params ?? {} };
    const shown = await everyView(rig, route, call);
    const stored = await storedState(rig);
    const answer = await callAs(rig, 'admin', route, second);
    expect(answer).toMatchObject({ status: 409, body: { type: 'DuplicateError' } });
    expect(await storedState(rig)).toEqual(stored);
    expect(await everyView(rig, route, call)).toEqual(shown);
  });

  it('node_set_obm at a daemon that is down leaves OBM off and no token anywhere', async () => {
    const node = await rig.bareNode();
    await done(rig.service.admin.put(`/node/${node}/obmd`, { uri: 'http://127.0.0.1:9/node/x', admin_token: 't' }));
    const before = await storedState(rig);
    const answer = await rig.service.admin.put(`/node/${node}/obm`, { enabled: true });
    expect(answer).toMatchObject({ status: 502, body: { type: 'OBMError' } });
    expect(await storedState(rig)).toEqual(before);
    await done(rig.service.admin.del(`/node/${node}`));
  });

  it('node_connect_network at a switch that refuses leaves the nic on no network, and free for the next', async () => {
    const { admin } = rig.service;
    const [node, network] = [await rig.node(), await rig.network('red', 'red')];
    const shown = async () => [
      (await admin.get(`/node/${node}`)).body,
      (await admin.get(`/network/${network}`)).body,
      (await admin.get(`/network/${network}/attachments`)).body,
    ];
    const before = await shown();
    const device = rig.service.simulated('sw');
    device.faults = { refuse: ['*'] };
    const queued = await admin.post(`/node/${node}/nic/eth0/connect_network`, { network });
    expect((await settled(rig.service, queued)).status).toBe('ERROR');
    expect(await shown()).toEqual(before);
    expect(device.read([`${node}/eth0`])).toEqual([{ port: `${node}/eth0`, native: null, tagged: [] }]);
    device.faults = {};
    await eventually(async () =>
      (await admin.get(`/switch/sw/port/${node}/eth0`)).text.includes('suspect') ? undefined : true,
    );
    await connect(rig.service, node, 'eth0', network);
  });
});
