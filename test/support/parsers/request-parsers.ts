import { PassThrough } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { addressIn, networkIn } from '../../../base/src/http/ip-address.ts';
import { addressKey } from '../../../base/src/http/address-key.ts';
import { AllowList } from '../../../base/src/http/allow-list.ts';
import { tidyForwarded } from '../../../base/src/http/forwarded-headers.ts';
import { hasTooManyValues } from '../../../base/src/http/json-size.ts';
import { readBody } from '../../../base/src/http/read-body.ts';
import { checkQuery, parseQuery } from '../../../base/src/http/query-string.ts';
import { checkOf, inBody, joinMistakes } from '../../../base/src/schema/schema-check.ts';
import { Label } from '../../../base/src/schema/label.ts';
import { shortMessage } from '../../../base/src/schema/shorten.ts';
import { logHooks } from '../../../base/src/log-hooks.ts';
import type { Db } from '../../../service/src/db/service-database.ts';
import type { Credentials } from '../../../service/src/auth/auth-contract.ts';
import { databaseBackend } from '../../../service/src/auth/database-backend.ts';
import { sessionBackend } from '../../../service/src/auth/session-backend.ts';
import { tokenBackend } from '../../../service/src/auth/token-backend.ts';
import { NewLabel, PortLabel } from '../../../service/src/schema/labels.ts';
import { attemptIn } from '../../../service/src/server/login-cookie.ts';
import { joinPortName } from '../../../service/src/server/port-paths.ts';
import { localPath } from '../../../service/src/server/return-to.ts';
import { routeGroups } from '../../../service/src/server/routes/all-routes.ts';
import { inPieces, type Parser } from './parser.ts';

/** Nobody is looked up: what is read of credentials before that is what counts here. */
const noDb = { changes: { on: () => undefined }, ask: () => new Promise(() => undefined) } as unknown as Db;
const credentials = (header: string, value: string): Credentials => ({
  header: (name) => (name === header ? value : undefined),
  method: 'GET',
  address: '192.0.2.1',
  origin: 'http://corral.example',
});
const rules = { sessionIdleMs: 1000, vouchedMs: 1000 } as unknown as Parameters<typeof sessionBackend>[1] &
  Parameters<typeof tokenBackend>[1];
const passwords = { check: () => new Promise<never>(() => undefined), onManyFailures: () => undefined };
const backends = [
  ['a session in a cookie', 'cookie', sessionBackend(noDb, rules), [['corral_session=', '']]],
  [
    'a token',
    'authorization',
    tokenBackend(noDb, rules),
    [
      ['Bearer ', ''],
      ['Bearer corral_', ' x'],
    ],
  ],
  [
    'a password',
    'authorization',
    databaseBackend(noDb, passwords),
    [
      ['Basic ', ''],
      ['Basic ', ' !'],
    ],
  ],
] as const;

const list = (text: string): AllowList => AllowList.from([text], () => undefined);
const fieldsOf = (text: string): Record<string, unknown> =>
  Object.fromEntries(text.match(/.{1,3}/gs)?.map((name, index) => [`${name}${index}`, name]) ?? []);

/** The check of every body, each with many fields that it does not know and one that is very long. */
const bodies = routeGroups
  .flatMap(({ routes }) => routes)
  .filter(({ body }) => Object.keys((body as { properties?: object }).properties ?? {}).length > 0)
  .map(({ name, body }): Parser => {
    const check = checkOf(body, inBody);
    const names = Object.keys((body as { properties?: object }).properties ?? {});
    return {
      name: `the body of ${name}`,
      read: (text) => [
        joinMistakes(check(fieldsOf(text))),
        joinMistakes(check(Object.fromEntries(names.map((field) => [field, text])))),
        joinMistakes(check(Object.fromEntries(names.map((field) => [field, fieldsOf(text)])))),
        joinMistakes(check(Object.fromEntries(names.map((field) => [field, text.split('')])))),
      ],
      units: ['abc'],
      isIndifferent: true,
    };
  });

/** What everybody can send to the service. */
export const requestParsers: readonly Parser[] = [
  { name: 'a query', read: (text) => checkQuery(Type.Object({}))(parseQuery(text)), units: ['a&', '%41=1&', 'a=&'] },
  {
    name: 'the path of a port',
    read: joinPortName,
    around: [
      ['/v0/switch/s/port/', ''],
      ['/v0/switch/', ''],
    ],
  },
  { name: 'where to go after a login', read: localPath, around: [['/', '']] },
  { name: 'the attempt in a cookie', read: (text) => attemptIn('http://a', text), units: ['corral_login=a;'] },
  ...['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host'].map((name): Parser => ({
    name,
    read: (text) => tidyForwarded({ [name]: text }),
    units: ['1.1.1.1,', '[::1]:1,', 'a.', '[', '1.'],
  })),
  ...backends.map(([name, header, backend, around]): Parser => ({
    name,
    read: (text) => backend.authenticate(credentials(header, text)),
    units: ['a;', 'corral_session=a;', 'a.'],
    around,
  })),
  { name: 'an address', read: (text) => [addressIn(text), addressKey(text), networkIn(text)], units: ['0:', '::'] },
  { name: 'an entry of a list of addresses', read: list, units: ['a.', '*.', '-'] },
  { name: 'a host of such a list', read: (text) => list('*.example').permits(text, '192.0.2.1') },
  { name: 'the size of a JSON text', read: (text) => hasTooManyValues(Buffer.from(text)) },
  {
    name: 'a body in pieces of one byte',
    read: (text) => {
      const payload = new PassThrough();
      const fail = (): Error => new Error();
      const rules = { declared: NaN, most: 1024 * 1024, tooLong: fail, invalid: fail, reads: () => undefined };
      readBody(payload, rules, () => undefined);
      inPieces(text, (piece) => payload.emit('data', Buffer.from(piece)), 1);
      payload.emit('end');
    },
    units: ['a'],
    isIndifferent: true,
    longest: 128 * 1024,
  },
  {
    name: 'JSON',
    read: JSON.parse,
    units: ['{"a":1},', '1,', '"\\u0000'],
    around: [
      ['[', ']'],
      ['{"a":[', '0]}'],
    ],
  },
  ...[Label, NewLabel, PortLabel].map((schema, index): Parser => {
    const check = checkOf(schema, inBody);
    return { name: `label ${index}`, read: (text) => [check(text), check(text.slice(0, 255))] };
  }),
  { name: 'what is told', read: shortMessage },
  { name: 'a line of the log', read: logHooks().streamWrite, units: ['\u2028', '\u202e'] },
  ...bodies,
];
