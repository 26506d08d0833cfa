import { isStream } from '../../../src/server/route-reply.ts';
import type { Route } from '../../../src/server/route.ts';
import type { Call } from '../authorization/authorization-case.ts';
import { authorizationCases } from '../authorization/authorization-cases.ts';
import type { CallerName } from '../authorization/authorization-callers.ts';
import type { Rig } from '../authorization/authorization-rig.ts';
import type { Answer } from '../http/http-client.ts';

/** Those who try what is not theirs. Wrong passwords are refused before it is known what the call is. */
export const intruders: readonly CallerName[] = ['anonymous', 'outsider', 'other'];

/** The intruders whom no case of the route lets in. */
export const intrudersOf = ({ name }: Route): readonly CallerName[] =>
  intruders.filter((caller) => !(authorizationCases[name] ?? []).some(({ letIn }) => letIn.includes(caller)));

const segmentOf = (name: string, label: string): string =>
  name === 'port' ? label.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(label);

/** Makes a call; of what streams, only the head. */
export const callAs = async (
  rig: Rig,
  caller: CallerName,
  route: Route,
  call: Call,
  rawBody?: string,
): Promise<Answer> => {
  const path = route.path.replace(/:([a-z_]+)/g, (_, name: string) =>
    segmentOf(name, call.params?.[name] ?? 'missing'),
  );
  const body = rawBody ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
  const response = await fetch(`${rig.service.url}/v0${path}${call.query ?? ''}`, {
    method: route.method,
    headers: { ...rig.callers[caller].headers, ...call.headers },
    signal: AbortSignal.timeout(10_000),
    ...(body === undefined || route.method === 'GET' ? {} : { body }),
  });
  const { status, headers } = response;
  const goesOn = isStream(route.reply) && status < 300;
  if (goesOn) await response.body?.cancel();
  const text = goesOn ? '' : await response.text();
  return { status, headers, text, body: text === '' ? null : (JSON.parse(text) as unknown) };
};

/** What the good call of a route is answered with. */
export const goodStatus = ({ name, status }: Route): number => authorizationCases[name]?.[0]?.status ?? status;

/** A call of the route that would succeed, on fresh objects of project red. */
export const goodCall = async (rig: Rig, route: Route): Promise<Call> => {
  const [first] = authorizationCases[route.name] ?? [];
  if (!first) throw new Error(`${route.name} has no authorization case`);
  return first.given(rig);
};
