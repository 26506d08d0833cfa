import { beforeAll, describe, expect, it } from 'vitest';
import { bareClient, makeToken, scriptWith, signIn } from '../support/identity/browser.ts';
import { engines } from '../support/services/engines.ts';
import type { Client } from '../support/http/http-client.ts';
import { adminPassword, passwordOf } from '../support/services/service.ts';
import { message, sharedService } from '../support/services/shared-service.ts';
import { done, makeProject, makeUser } from '../support/services/world.ts';

/*
 * Who may see, make and end sessions and tokens, by who they are and what they came with. The rules are written down
 * here a second time, as a model; every caller tries every call.
 */

type By = 'password' | 'session' | 'token' | 'project token' | 'read-only token';
const people = ['owner', 'other', 'boss'] as const;
type Person = (typeof people)[number];
const ways: readonly By[] = ['password', 'session', 'token', 'project token', 'read-only token'];

interface Who {
  readonly person: Person;
  readonly by: By;
}

const isWhole = ({ by }: Who) => by !== 'project token';
const mayChange = ({ by }: Who) => by !== 'read-only token';
const isBoss = (who: Who) => who.person === 'boss' && isWhole(who);
const isInPerson = ({ by }: Who) => by === 'password' || by === 'session';

interface Tryout {
  readonly what: string;
  /** What they get, by the model. */
  readonly expected: (who: Who) => number;
  readonly call: (client: Client, who: Who) => Promise<{ status: number; text: string }>;
}

describe.each(engines)('what is made here for people on %s', (engine) => {
  const service = sharedService(engine);
  const clients = new Map<string, Client>();
  const clientOf = ({ person, by }: Who): Client => clients.get(`${person} ${by}`) ?? service().anonymous;
  const byPassword = (person: Person) => clientOf({ person, by: 'password' });
  let count = 0;

  /** A token that only this try may revoke. */
  const freshToken = async (person: Person): Promise<string> => {
    count += 1;
    await makeToken(byPassword(person), `fresh-${count}`);
    return `fresh-${count}`;
  };
  /** A user whom only this try is about. */
  const freshUser = async (isAdmin: boolean): Promise<string> => {
    const username = `user-${(count += 1)}`;
    await done(service().admin.put(`/auth/basic/user/${username}`, { password: 'secret', is_admin: isAdmin }));
    return `/auth/basic/user/${username}`;
  };
  const freshSession = async (person: Person): Promise<string> => {
    await signIn(service(), person);
    const { body } = await done(byPassword(person).get('/auth/sessions'));
    return (body as { session: string }[])[0]?.session ?? '';
  };

  beforeAll(async () => {
    await makeProject(service(), 'red');
    for (const person of people) {
      const basic = await makeUser(service(), person, 'red');
      if (person === 'boss') await done(service().admin.patch('/auth/basic/user/boss', { is_admin: true }));
      clients.set(`${person} password`, basic);
      clients.set(`${person} session`, await signIn(service(), person));
      clients.set(`${person} token`, scriptWith(service(), await makeToken(basic, 'all')));
      const limited = await makeToken(basic, 'red', { project: 'red' });
      clients.set(`${person} project token`, scriptWith(service(), limited));
      const looking = await makeToken(basic, 'looking', { read_only: true });
      clients.set(`${person} read-only token`, scriptWith(service(), looking));
    }
  });

  const tryouts: readonly Tryout[] = [
    { what: 'ask who they are', expected: () => 200, call: (client) => client.get('/auth/whoami') },
    ...['sessions', 'tokens'].flatMap((things): Tryout[] => [
      {
        what: `list their ${things}`,
        expected: (who) => (isWhole(who) ? 200 : 401),
        call: (client) => client.get(`/auth/${things}`),
      },
      {
        what: `list the owner's ${things} by name`,
        expected: (who) => (isBoss(who) ? 200 : 401),
        call: (client) => client.get(`/auth/${things}?user=owner`),
      },
    ]),
    {
      what: 'make a token',
      expected: (who) => (isInPerson(who) ? 200 : 401),
      call: (client) => client.put(`/auth/token/made-${(count += 1)}`, {}),
    },
    {
      what: 'revoke a token of their own',
      expected: (who) => (isWhole(who) && mayChange(who) ? 200 : 401),
      call: async (client, who) => client.del(`/auth/token/${await freshToken(who.person)}`),
    },
    {
      what: "revoke a token of the owner's by name",
      expected: (who) => (isBoss(who) && mayChange(who) ? 200 : 401),
      call: async (client) => client.del(`/auth/token/${await freshToken('owner')}?user=owner`),
    },
    {
      what: 'end a session of their own',
      expected: (who) => (isWhole(who) && mayChange(who) ? 200 : 401),
      call: async (client, who) => client.del(`/auth/sessions/${await freshSession(who.person)}`),
    },
    {
      what: "end a session of the owner's",
      expected: (who) => (isWhole(who) && mayChange(who) && (who.person === 'owner' || isBoss(who)) ? 200 : 401),
      call: async (client) => client.del(`/auth/sessions/${await freshSession('owner')}`),
    },
    ...[false, true].flatMap((is_admin): Tryout[] => [
      {
        what: is_admin ? 'create an administrator' : 'create a user',
        expected: (who) => (isBoss(who) && (is_admin ? isInPerson(who) : mayChange(who)) ? 200 : 401),
        call: (client) => client.put(`/auth/basic/user/made-${(count += 1)}`, { password: 'secret', is_admin }),
      },
      {
        what: is_admin ? 'delete an administrator' : 'delete a user',
        expected: (who) => (isBoss(who) && (is_admin ? isInPerson(who) : mayChange(who)) ? 200 : 401),
        call: async (client) => client.del(await freshUser(is_admin)),
      },
      {
        what: is_admin ? 'make an administrator of a user' : 'make a user of an administrator',
        expected: (who) => (isBoss(who) && isInPerson(who) ? 200 : 401),
        call: async (client) => client.patch(await freshUser(!is_admin), { is_admin }),
      },
    ]),
    {
      what: 'change their password',
      expected: (who) => (isInPerson(who) ? 200 : 401),
      call: async (client, { person, by }) => {
        // It ends all other sessions of the user, and it is not the same password again.
        const caller = by === 'session' ? await signIn(service(), person) : client;
        const set = (from: Client, current: string, password: string) =>
          from.put(`/auth/basic/user/${person}/password`, { current, password });
        const answer = await set(caller, passwordOf(person), 'a password in between');
        if (answer.status === 200)
          await done(set(service().as(person, 'a password in between'), 'a password in between', passwordOf(person)));
        return answer;
      },
    },
  ];

  describe.each(tryouts)('$what', ({ expected, call }) => {
    it.each(people.flatMap((person) => ways.map((by) => [person, by] as const)))('%s with a %s', async (person, by) => {
      const answer = await call(clientOf({ person, by }), { person, by });
      expect(answer.status, answer.text).toBe(expected({ person, by }));
    });
  });

  it('a refusal because of a token names the way out', async () => {
    const answer = clientOf({ person: 'boss', by: 'token' }).patch('/auth/basic/user/owner', { is_admin: true });
    expect(await message(answer)).toBe(
      'an API token may not give or take administrative access; sign in, or send user name and password',
    );
  });

  it('nobody without credentials may do any of it', async () => {
    const { anonymous } = service();
    for (const { what, call } of tryouts) {
      expect((await call(anonymous, { person: 'owner', by: 'password' })).status, what).toBe(401);
    }
  });

  it('a new session is no other’s, whatever cookies are mixed', async () => {
    const mine = await signIn(service(), 'owner');
    const boss = await signIn(service(), 'admin', adminPassword);
    const mixed = bareClient(service().url, {
      ...mine.headers,
      cookie: `${mine.headers['cookie'] ?? ''}; ${boss.headers['cookie'] ?? ''}`,
    });
    expect((await mixed.get('/auth/whoami')).status).toBe(401);
  });
});
