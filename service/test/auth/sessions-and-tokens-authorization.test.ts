import { afterAll, beforeAll, describe } from 'vitest';
import { passwordSessionRoutes, sessionRoutes } from '../../src/server/routes/session-routes.ts';
import { tokenRoutes } from '../../src/server/routes/token-routes.ts';
import { tryMatrix } from '../support/authorization/authorization-matrix.ts';
import { makeRig, type Rig } from '../support/authorization/authorization-rig.ts';
import { basicSource, type Source } from '../support/authorization/authorization-sources.ts';
import { cookieOf, makeToken, tryToSignIn } from '../support/identity/browser.ts';
import { engines } from '../support/services/engines.ts';
import { type Client, clientWith } from '../support/http/http-client.ts';
import { adminPassword, passwordOf, type Service } from '../support/services/service.ts';

type Exchange = (service: Service, name: string, client: Client) => Promise<Client>;

/** What a user of the database comes with instead of the password. */
const instead: readonly (readonly [string, Exchange])[] = [
  [
    'a session',
    async (service, name) => {
      const password = name === 'admin' ? adminPassword : passwordOf(name);
      const cookie = cookieOf(await tryToSignIn(service, name, password));
      return clientWith(service.url, { cookie, origin: service.url });
    },
  ],
  [
    'a token',
    async (service, _name, client) =>
      clientWith(service.url, { authorization: `Bearer ${await makeToken(client, 'matrix')}` }),
  ],
];

/** Calls about sessions and tokens differ by what one comes with: made-here.test.ts. */
const differing = [...passwordSessionRoutes, ...sessionRoutes, ...tokenRoutes].map(({ name }) => name);

/** Not with a token, whoever has it: user-password.test.ts and made-here.test.ts. */
const notWithToken = ['user_set_password', 'user_set_admin'];

const pairs = engines.flatMap((engine) => instead.map(([what, exchange]) => [what, engine, exchange] as const));

describe.each(pairs)('authorization of users who come with %s, on %s', (what, engine, exchange) => {
  const source: Source = {
    ...basicSource,
    callers: async (service) => {
      const known = await basicSource.callers(service);
      const as = (name: 'outsider' | 'member' | 'other' | 'admin') => exchange(service, name, known[name]);
      return {
        'wrong password': clientWith(service.url, { authorization: `Bearer corral_${'A'.repeat(43)}` }),
        outsider: await as('outsider'),
        member: await as('member'),
        other: await as('other'),
        admin: await as('admin'),
      };
    },
  };
  let rig: Rig | null = null;
  beforeAll(async () => {
    rig = await makeRig(engine, source);
  });
  afterAll(() => rig?.close());

  tryMatrix(
    () => {
      if (rig === null) throw new Error('the rig is made before the first test');
      return rig;
    },
    ({ name }) => !differing.includes(name) && !(what === 'a token' && notWithToken.includes(name)),
  );
});
