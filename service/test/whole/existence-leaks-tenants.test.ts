import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../src/server/route.ts';
import type { Call } from '../support/authorization/authorization-case.ts';
import { authorizationCases } from '../support/authorization/authorization-cases.ts';
import type { CallerName } from '../support/authorization/authorization-callers.ts';
import { makeRig, type Rig } from '../support/authorization/authorization-rig.ts';
import { engines } from '../support/services/engines.ts';
import { type BlueObjects, blueWays, makeBlueObjects, mixesOf } from '../support/existence-leaks/blue-objects.ts';
import { callAs, intruders } from '../support/existence-leaks/intruder-calls.ts';
import { callOf, isMade, namedIn, namesIn, renamed, routes } from '../support/existence-leaks/object-names.ts';
import { leaksTo } from '../support/existence-leaks/find-leaks.ts';
import { storedState } from '../support/existence-leaks/stored-state.ts';

/*
 * One tenant's object with another's credentials: everything is of project red, and whoever tries is in blue, in no
 * project, or nobody. Refused, nothing happens, and the refusal tells nothing that the intruder has not said.
 */

const tries = routes.flatMap((route) =>
  (authorizationCases[route.name] ?? []).flatMap((tryout) => {
    const refused = intruders.filter((caller) => !tryout.letIn.includes(caller));
    return refused.length === 0 ? [] : [[`${callOf(route)} ${tryout.when ?? ''}`, route, tryout, refused] as const];
  }),
);

const gone = 'gone-';

/** The call as it would be if none of the things in it existed. */
const aboutNothing = (route: Route, call: Call): Call =>
  namesIn(route)
    .filter((name) => !isMade(route, name))
    .reduce((changed, name) => {
      const label = namedIn(call, name) ?? '';
      // As an owner, `admin` is the operator; no access list is a public network.
      return label === '' || label === 'admin' ? changed : renamed(changed, name, `${gone}${label}`);
    }, call);

/** Calls of which permission can be told from the request alone. */
const toldFromRequest: readonly string[] = ['network_create', 'headnode_create'];

/** Where a missing object may be told from one that is not yours: project calls by a user, and nodes, whose labels are public. */
const mayTellMissing = ({ name, access }: Route, caller: CallerName): boolean =>
  caller === 'anonymous'
    ? ['show_node', 'node_overview'].includes(name)
    : access !== 'admin' && !toldFromRequest.includes(name);

describe.each(engines)('what is another tenant’s on %s', (engine) => {
  let rig: Rig;
  let blue: BlueObjects;
  beforeAll(async () => {
    rig = await makeRig(engine);
    blue = await makeBlueObjects(rig);
  });
  afterAll(() => rig.close());

  it.each(tries)('is out of reach of %s', async (_title, route, tryout, callers) => {
    const call = await tryout.given(rig);
    const before = await storedState(rig);
    const leaks = await leaksTo(rig, call);
    for (const caller of callers) {
      const answer = await callAs(rig, caller, route, call);
      expect(answer, caller).toMatchObject({ status: 401, body: { type: 'AuthorizationError' } });
      expect(leaks(caller, answer), `${caller}: ${answer.text}`).toEqual([]);
      if (mayTellMissing(route, caller)) continue;
      const missing = await callAs(rig, caller, route, aboutNothing(route, call));
      expect([missing.status, missing.text.replaceAll(gone, '')], `${caller}, of what is missing`).toEqual([
        401,
        answer.text,
      ]);
    }
    expect(await storedState(rig)).toEqual(before);
  });

  const mixed = routes.flatMap((route) =>
    mixesOf(route).map((mix) => [callOf(route), mix.join(', '), route, mix] as const),
  );
  it.each(mixed)('is out of reach of %s with one’s own %s', async (_title, _own, route, mix) => {
    const call = await blueWays(rig, blue, route, mix);
    const before = await storedState(rig);
    const answer = await callAs(rig, 'other', route, call);
    expect([400, 401, 404, 409], answer.text).toContain(answer.status);
    expect((await leaksTo(rig, call))('other', answer), answer.text).toEqual([]);
    expect(await storedState(rig)).toEqual(before);
  });
});
