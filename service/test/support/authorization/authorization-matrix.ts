import { expect, it } from 'vitest';
import { isStream } from '../../../src/server/route-reply.ts';
import type { Route } from '../../../src/server/route.ts';
import { routeGroups } from '../../../src/server/routes/all-routes.ts';
import type { Call, Case } from './authorization-case.ts';
import { authorizationCases } from './authorization-cases.ts';
import { type CallerName, callerNames } from './authorization-callers.ts';
import type { Rig } from './authorization-rig.ts';
import { type Answer, type Client, requestTo } from '../http/http-client.ts';
import { acceptedDone } from '../services/releases.ts';

export const routes: readonly Route[] = routeGroups.flatMap((group) => group.routes);
export const callOf = ({ method, path }: Route): string => `${method} ${path}`;
export const casesOf = ({ name }: Route): readonly Case[] => authorizationCases[name] ?? [];

/** Makes a call; of a stream only the beginning is looked at. */
export const make = async (
  client: Client,
  url: string,
  route: Route,
  call: Call,
  rawBody?: string,
): Promise<Answer> => {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(call.params?.[name] ?? 'missing'));
  const body = rawBody ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
  const response = await requestTo(`${url}/v0${path}${call.query ?? ''}`, route.method, {
    headers: { ...client.headers, ...call.headers },
    signal: AbortSignal.timeout(10_000),
    ...(body === undefined || route.method === 'GET' ? {} : { body }),
  });
  const { status, headers } = response;
  const goesOn = isStream(route.reply) && status < 300;
  if (goesOn) response.body.on('error', () => undefined).destroy();
  const text = goesOn ? '' : await response.body.text();
  return { status, headers, text, body: text === '' ? null : (JSON.parse(text) as unknown) };
};

export const expectRefused = ({ status, headers, body }: Answer, who: string): void =>
  expect({ status, challenge: headers.get('www-authenticate'), body }, who).toEqual(refused);

const refused = {
  status: 401,
  challenge: expect.stringContaining('Basic realm="corral", charset="UTF-8"') as string,
  body: { type: 'AuthorizationError', msg: expect.any(String) as string },
};

/** What an administrator sees of everything, and of the things a call is about. */
const seen = async (rig: Rig, { params = {} }: Call): Promise<unknown> => {
  const lists = ['/projects', '/nodes/all', '/nodes/free', '/networks', '/switches', '/auth/basic/users'];
  const things = Object.entries(params).flatMap(([kind, label]) =>
    ['node', 'network', 'headnode', 'switch', 'project'].includes(kind) ? [`/${kind}/${label}`] : [],
  );
  const views = [...lists, ...things, `/project/${rig.red}/nodes`, `/project/${rig.red}/networks`, '/events?limit=1'];
  const answers = await Promise.all(views.map((view) => rig.service.admin.get(view)));
  return { views: answers.map(({ text }) => text), orders: rig.obmd.calls.length };
};

/** Every call by every caller of a rig: those who may are let in, nobody else is, and a refusal changes nothing. */
export const tryMatrix = (rigOf: () => Rig, tries: (route: Route) => boolean = () => true): void => {
  const tried = routes
    .filter(tries)
    .flatMap((route) =>
      casesOf(route).map(
        (tryout) => [`${callOf(route)} ${tryout.when ?? ''}`, tryout.letIn.join(', '), route, tryout] as const,
      ),
    );
  it.each(tried)('%s lets in %s and nobody else', async (_title, _who, route, tryout) => {
    const rig = rigOf();
    const as = (caller: CallerName, call: Call) => make(rig.callers[caller], rig.service.url, route, call);
    const call = await tryout.given(rig);
    const before = await seen(rig, call);
    for (const caller of callerNames.filter((name) => !tryout.letIn.includes(name))) {
      expectRefused(await as(caller, call), caller);
    }
    expect(await seen(rig, call)).toEqual(before);
    for (const caller of tryout.letIn) {
      const answer = await as(caller, route.method === 'GET' ? call : await tryout.given(rig));
      expect(answer.status, `${caller}: ${answer.text}`).toBe(tryout.status ?? route.status);
      if (route.status === 202 && answer.status === 202) await acceptedDone(rig.service, answer);
    }
  });
};
