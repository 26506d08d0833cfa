import type { TSchema } from '@sinclair/typebox';
import type { Route } from '../../../src/server/route.ts';

/** Names of fields whose values are nobody's business. */
export const secretName = /pass|secret|token|current|private_key/i;

type Json = Readonly<Record<string, unknown>>;

/** Bodies of a call with a secret in each of its secret fields, none of which is acceptable as it is. */
export const bodiesOf = (route: Route, secret: string): readonly string[] => {
  const bodies: unknown[] = [
    filled(route.body, secret),
    filled(route.body, secret.repeat(200)),
    filled(route.body, { nested: secret }),
    filled(route.body, [secret]),
    { password: secret, admin_token: secret, token: secret },
  ];
  const whole = JSON.stringify(filled(route.body, secret) ?? {});
  return [...bodies.map((body) => JSON.stringify(body)), whole.slice(0, -1), `${whole} "${secret}"`, `"${secret}"`];
};

/** An object with this value in all of its secret fields, and something in those that go with them. */
const filled = (schema: TSchema, secret: unknown): unknown => {
  const properties = (schema['properties'] ?? {}) as Record<string, TSchema>;
  const entries = Object.entries(properties).flatMap(([name, inner]): [string, unknown][] => {
    if (inner['type'] === 'object') return [[name, filled(inner, secret)]];
    return [[name, secretName.test(name) ? secret : 'something']];
  });
  return {
    ...(Object.fromEntries(entries) as Json),
    ...(schema['additionalProperties'] === false ? {} : { password: secret }),
  };
};

/** The path of a call, about things that are not there. */
export const pathOf = ({ path }: Route): string => path.replace(':is_free', 'free').replaceAll(/:\w+/g, 'nothing');
