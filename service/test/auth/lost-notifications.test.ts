import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { type Client, clientOf } from '../support/http/http-client.ts';
import { bareClient, cookieOf, ownPage, tryToSignIn } from '../support/identity/browser.ts';
import { runSql } from '../support/services/run-sql.ts';
import { serviceForTest } from '../support/services/service.ts';
import { done, makeProject, makeUser } from '../support/services/world.ts';

/** Every process notices within this time, whether it was notified or not. */
const noticedWithinMs = 2_000;

describe.runIf(engines.includes('postgres'))(
  'two processes on one PostgreSQL, of which one hears no notification',
  () => {
    it.each([
      ['an ended session', 'session', 'delete from sessions'],
      ['a deleted token', 'token', 'delete from api_tokens'],
      [
        'a changed password',
        'password',
        `update users set version = version + 1, password_hash = 'another' where label = 'alice'`,
      ],
      ['a membership that ended', 'password', 'delete from user_projects'],
    ] as const)('%s counts in both within two seconds', async (_what, credential, statement) => {
      const first = await serviceForTest('postgres');
      const second = await first.restart();
      onTestFinished(() => second.stop());
      await makeProject(first, 'red');
      const alice = await makeUser(first, 'alice', 'red');
      const { token } = (await done(alice.put('/auth/token/t'))).body as { token: string };
      const cookie = cookieOf(await tryToSignIn(first, 'alice'));
      const clients: readonly Client[] = [first, second].map((service) => {
        if (credential === 'token') return clientOf(service.url, `Bearer ${token}`);
        return credential === 'session'
          ? bareClient(service.url, { ...ownPage(service), cookie })
          : service.as('alice');
      });
      const mayCall = async (client: Client): Promise<boolean> =>
        (await client.get('/project/red/nodes')).status === 200;
      expect(await Promise.all(clients.map(mayCall))).toEqual([true, true]);
      // Past the service: nobody is notified.
      await runSql(first, { sqlite: statement, postgres: statement });
      await sleep(noticedWithinMs);
      expect(await Promise.all(clients.map(mayCall))).toEqual([false, false]);
    });
  },
);
