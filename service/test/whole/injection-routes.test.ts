import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../src/server/route.ts';
import type { Call } from '../support/authorization/authorization-case.ts';
import { makeRig, type Rig } from '../support/authorization/authorization-rig.ts';
import { engines } from '../support/services/engines.ts';
import { basic } from '../support/http/http-client.ts';
import { type Hostile, hostile } from '../support/fuzz/injection-strings.ts';
import { callAs, goodCall } from '../support/existence-leaks/intruder-calls.ts';
import { callOf, isMade, makes, namesIn, renamed, routes } from '../support/existence-leaks/object-names.ts';
import { viewsOf } from '../support/existence-leaks/object-views.ts';
import { done } from '../support/services/world.ts';

/*
 * Hostile texts in every argument of every call: refused with a sentence that names the field, or kept as they are and
 * never more than text. What devices are told is in injection-devices.
 */

interface Argument {
  readonly field: string;
  /** The path to it in the body; empty for an argument that names something. */
  readonly inBody: readonly string[];
  put(call: Call, text: string): Call;
}

interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const replaced = (value: unknown, [field, ...deeper]: readonly string[], text: string): unknown =>
  field === undefined
    ? text
    : {
        ...(value as object),
        [field]: replaced((value as Record<string, unknown> | undefined)?.[field], deeper, text),
      };

/** Texts in a body that name nothing: a MAC address, a channel, an address of a daemon. */
const textsIn = (schema: Schema, path: readonly string[] = []): readonly (readonly string[])[] =>
  Object.entries(schema.properties ?? {}).flatMap(([field, inner]) =>
    inner.type === 'string' ? [[...path, field]] : textsIn(inner, [...path, field]),
  );

const argumentsOf = (route: Route): readonly Argument[] => {
  const names = namesIn(route);
  return [
    ...names.map((name) => ({
      field: name.field,
      inBody: [],
      put: (call: Call, text: string) => renamed(call, name, text),
    })),
    ...textsIn(route.body as Schema)
      .filter(([first]) => !names.some(({ place, field }) => place === 'body' && field === first))
      .map((path) => ({
        field: path.join('.'),
        inBody: path,
        put: (call: Call, text: string) => ({ ...call, body: replaced(call.body ?? {}, path, text) }),
      })),
  ];
};

/** Whether a name with this text in it has to be a 400. */
const mustRefuse = (route: Route, field: string, { isRefused }: Hostile): boolean => {
  const name = namesIn(route).find((one) => one.field === field);
  if (name === undefined || isRefused === undefined) return false;
  return isRefused === 'always' || isMade(route, name);
};

/** What is only looked up goes the same way whatever is in it: one of each kind will do. */
const someHostile = hostile.filter(({ what }) =>
  ['a line feed', 'a NUL', 'a line separator', '10 kB', 'a direction override', 'single quotes', 'a way up'].includes(
    what,
  ),
);
const isLookedUp = (route: Route, field: string): boolean => {
  const name = namesIn(route).find((one) => one.field === field);
  return name !== undefined && !isMade(route, name);
};

const oneLine = /^[^\p{Cc}\u2028\u2029]*$/u;
const tried = routes.filter((route) => argumentsOf(route).length > 0).map((route) => [callOf(route), route] as const);

/** Calls that are refused for another reason. */
const answers: Readonly<Record<string, readonly number[]>> = {
  // Nobody of such a name signs in, and whoever tries too often waits.
  session_open: [400, 401, 429],
  // The token decides, and is none.
  cleaning_result: [400, 401],
  // A way up in the path leads to a claim, which is not made by POST.
  project_claim_preview: [200, 400, 404, 405, 409],
  // One of a project is not sent events of other projects, nor of switches and ports.
  subscription_create: [200, 400, 401, 404, 409],
  subscription_create_mail: [200, 400, 401, 404, 409],
  subscription_update: [200, 400, 401, 404],
};

describe.each(engines)('hostile texts on %s', (engine) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await makeRig(engine);
  });
  afterAll(() => rig.close());

  it.each(tried)('in %s are refused, or inert', async (_title, route) => {
    const good = await goodCall(rig, route);
    for (const argument of argumentsOf(route)) {
      for (const text of isLookedUp(route, argument.field) ? someHostile : hostile) {
        const call = argument.put(good, text.text);
        const what = `${text.what} in ${argument.field}`;
        const answer = await callAs(rig, 'admin', route, call);
        const fine = answers[route.name] ?? [200, 202, 400, 404, 409];
        expect(fine, `${what}: ${answer.text}`).toContain(answer.status);
        expect(answer.text, what).toMatch(oneLine);
        if (mustRefuse(route, argument.field, text)) {
          expect(answer, what).toMatchObject({ status: 400, body: { type: 'ValidationError' } });
          expect(answer.text, what).toContain(argument.field);
        }
        const kind = makes[route.name];
        if (answer.status !== 200 || kind === undefined || argument.inBody.length > 0) continue;
        const its = Object.fromEntries(namesIn(route).map((name) => [name.kind, text.text]));
        for (const [view, question] of viewsOf({ ...its }).filter(([one]) =>
          namesIn(one).every((name) => name.kind === kind),
        )) {
          const shown = await callAs(rig, 'admin', view, question);
          expect(shown.status, `${what}: ${callOf(view)}`).toBeLessThan(500);
          expect(shown.text, what).toMatch(oneLine);
        }
        // A project can have only so many of them.
        if (kind === 'subscription')
          await done(rig.service.admin.del(`/subscription/${encodeURIComponent(text.text)}`));
      }
    }
  });

  it('in credentials and headers get nobody in, and nothing but an answer out', async () => {
    for (const { what, text } of hostile) {
      const latin = Buffer.from(text)
        .toString('latin1')
        .replaceAll(/[^\u0020-\u007e\u00a0-\u00ff]/g, '~');
      for (const authorization of [
        basic(text, 'password'),
        basic('admin', text),
        `Bearer ${latin}`,
        `Basic ${latin}`,
      ]) {
        const answer = await rig.service.anonymous.send('GET', '/nodes/all', { headers: { authorization } });
        // Too many wrong ones are not even looked at.
        expect([401, 429], what).toContain(answer.status);
        expect(answer.text, what).toMatch(oneLine);
      }
      for (const name of ['x-request-id', 'user-agent', 'x-forwarded-for', 'origin']) {
        const answer = await rig.service.anonymous.send('GET', '/nodes/all', { headers: { [name]: latin } });
        expect(answer.status, `${what} as ${name}`).toBeLessThan(500);
      }
    }
  });

  it('are in the log one JSON line each, with nothing that ends a line for any reader', () => {
    expect(rig.service.log.length).toBeGreaterThan(1000);
    for (const line of rig.service.log) {
      expect(line.endsWith('\n')).toBe(true);
      expect(line.slice(0, -1)).toMatch(oneLine);
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) as number });
    }
    expect(rig.service.log.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)).toEqual([]);
  });
});
