import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { type Check, checkOf, inBody } from '@corral/base/schema/schema-check';
import { misunderstood, type Reply } from './keystone-http-client.ts';

/*
 * What Keystone's answers hold. It is trusted to say who somebody is; every string is checked all the same
 * before it becomes a name or a label here.
 */

/** Fernet and JWS tokens, and the bare hexadecimal ids of old. Nothing that could end a header. */
export const tokenPattern = /^[A-Za-z0-9_.~+/=-]{1,4096}$/;

const Id = Type.String({ pattern: '^[\\w.:@%+~=-]{1,255}$', description: 'an id' });
const Name = Type.String({ minLength: 1, maxLength: 255 });
/** Those of application credentials come without the Z, and are in UTC all the same. */
const Time = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z?$',
  description: 'a time in UTC',
});

const Lifetime = Type.Object({ token: Type.Object({ expires_at: Time, issued_at: Time }) });

const Described = Type.Object({
  token: Type.Object({
    user: Type.Object({ id: Id, name: Name, domain: Type.Object({ name: Name }) }),
    expires_at: Time,
    issued_at: Type.Optional(Time),
    project: Type.Optional(Type.Object({ id: Id })),
    is_domain: Type.Optional(Type.Boolean()),
    system: Type.Optional(Type.Object({ all: Type.Optional(Type.Boolean()) })),
    roles: Type.Optional(Type.Array(Type.Object({ name: Name }))),
    application_credential: Type.Optional(Type.Unknown()),
    'OS-TRUST:trust': Type.Optional(Type.Unknown()),
    'OS-OAUTH1': Type.Optional(Type.Unknown()),
  }),
});

/** A token as Keystone describes it. */
export type Description = Static<typeof Described>['token'];

const Refusal = Type.Object({ error: Type.Object({ message: Type.String() }) });

const checks = new Map<TSchema, Check>(
  [Lifetime, Described, Refusal].map((schema) => [schema, checkOf(schema, inBody)]),
);

/** What a token is. */
export const descriptionIn = (reply: Reply): Description => parsed(Described, reply).token;

/** For how long a token is good from when it was made, whatever time it is here. */
export const lifetimeIn = (reply: Reply): number => {
  const { expires_at, issued_at } = parsed(Lifetime, reply).token;
  return timeOf(expires_at) - timeOf(issued_at);
};

/** A time that Keystone wrote, in milliseconds. */
export const timeOf = (text: string): number => Date.parse(text.endsWith('Z') ? text : `${text}Z`);

/** Why Keystone refused, on one line for the log, without what it must not tell; null if that was not Keystone. */
export const refusalIn = ({ text }: Reply, secrets: readonly string[]): string | null => {
  const value = jsonIn(text);
  if (!fits(Refusal, value)) return null;
  const words = secrets.reduce((said, secret) => said.replaceAll(secret, '…'), value.error.message);
  return words.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').slice(0, 300);
};

const parsed = <S extends TSchema>(schema: S, { status, text }: Reply): Static<S> => {
  const value = jsonIn(text);
  if (value === undefined) throw misunderstood('with invalid JSON', `status ${status}, ${text.length} characters`);
  if (fits(schema, value)) return value;
  throw misunderstood('without a token', (checks.get(schema)?.(value) ?? []).join('; ').slice(0, 1000));
};

const fits = <S extends TSchema>(schema: S, value: unknown): value is Static<S> =>
  checks.get(schema)?.(value).length === 0;

const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
