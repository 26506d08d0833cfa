import { startOidc } from '@corral/lab';
import { afterAll, beforeAll, describe } from 'vitest';
import { tryMatrix } from '../support/authorization/authorization-matrix.ts';
import { makeRig, type Rig } from '../support/authorization/authorization-rig.ts';
import type { Source } from '../support/authorization/authorization-sources.ts';
import { engines } from '../support/services/engines.ts';
import { clientOf } from '../support/http/http-client.ts';
import { audience, oidcEnv } from '../support/identity/oidc-fixture.ts';

describe.each(engines)('authorization of people of an OpenID provider, on %s', (engine) => {
  let rig: Rig | null = null;
  let stop = (): Promise<void> => Promise.resolve();
  beforeAll(async () => {
    const oidc = await startOidc();
    stop = () => oidc.stop();
    oidc.user('outsider', { groups: ['admin', 'another'] });
    oidc.user('member', { groups: ['red'] });
    oidc.user('other', { groups: ['blue'] });
    oidc.user('root', { roles: ['corral-admin'] });
    const source: Source = {
      env: oidcEnv(oidc),
      red: 'red',
      blue: 'blue',
      callers: async ({ url }) => {
        const as = async (user: string, of = audience) =>
          clientOf(url, `Bearer ${await oidc.accessToken(user, { audience: of })}`);
        return {
          'wrong password': await as('root', 'https://other.example.org'),
          outsider: await as('outsider'),
          member: await as('member'),
          other: await as('other'),
          admin: await as('root'),
        };
      },
    };
    rig = await makeRig(engine, source);
  });
  afterAll(async () => {
    await rig?.close();
    await stop();
  });

  tryMatrix(() => {
    if (rig === null) throw new Error('the rig is made before the first test');
    return rig;
  });
});
