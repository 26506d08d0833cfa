import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Call } from '../support/authorization/authorization-case.ts';
import { callOf, casesOf, routes } from '../support/authorization/authorization-matrix.ts';
import { makeRig, type Rig } from '../support/authorization/authorization-rig.ts';
import { cookieOf, makeToken, tryToSignIn } from '../support/identity/browser.ts';
import { engines } from '../support/services/engines.ts';
import { type Answer, basic, type Client, clientOf, clientWith } from '../support/http/http-client.ts';
import { adminPassword, passwordOf } from '../support/services/service.ts';
import { beginSlowly } from '../support/http/slow-request.ts';
import { runSql } from '../support/services/run-sql.ts';
import { done } from '../support/services/world.ts';
import pg from 'pg';

// A GET has no body to wait for; what it goes on sending ends by itself: lost-access.test.ts.
const changing = routes.filter(
  ({ effect, access, method }) => effect === 'changes' && access !== 'sign-in' && method !== 'GET',
);
const tried = changing.flatMap((route) => {
  const tryout = casesOf(route).find(({ letIn }) => letIn.includes('admin'));
  return tryout === undefined ? [] : [[callOf(route), route, tryout] as const];
});

/** How somebody of project red comes, and how their access ends. */
interface Loss {
  readonly credentials: (rig: Rig, user: string) => Promise<Client>;
  readonly lose: (rig: Rig, user: string, client: Client) => Promise<Answer>;
}

const byPassword: Loss['credentials'] = (rig, user) =>
  Promise.resolve(clientOf(rig.service.url, basic(user, passwordOf(user))));
const bySession: Loss['credentials'] = async (rig, user) =>
  clientWith(rig.service.url, {
    cookie: cookieOf(await tryToSignIn(rig.service, user, passwordOf(user))),
    origin: rig.service.url,
  });
const byToken: Loss['credentials'] = async (rig, user) =>
  clientOf(rig.service.url, `Bearer ${await makeToken(await byPassword(rig, user), 'slow')}`);

const leaves: Loss['lose'] = (rig, user) =>
  rig.service.admin.post(`/auth/basic/user/${user}/remove_project`, { project: rig.red });
const isDeleted: Loss['lose'] = (rig, user) => rig.service.admin.del(`/auth/basic/user/${user}`);
const getsAnotherPassword: Loss['lose'] = (rig, user) =>
  rig.service.admin.put(`/auth/basic/user/${user}/password`, { password: 'another one' });

const losses: readonly (readonly [string, Loss])[] = [
  ['a member who was removed', { credentials: byPassword, lose: leaves }],
  ['a user who was deleted', { credentials: byPassword, lose: isDeleted }],
  ['a user whose password was reset', { credentials: byPassword, lose: getsAnotherPassword }],
  ['a member with a session who was removed', { credentials: bySession, lose: leaves }],
  ['a session that was ended', { credentials: bySession, lose: (_rig, _user, client) => client.del('/auth/session') }],
  ['a member with a token who was removed', { credentials: byToken, lose: leaves }],
  ['a token that was revoked', { credentials: byToken, lose: (_rig, _user, client) => client.del('/auth/token/slow') }],
];

describe.each(engines)('rights that end while a request is under way, on %s', (engine) => {
  let made: Rig | null = null;
  const rigOf = (): Rig => {
    if (made === null) throw new Error('the rig is made before the first test');
    return made;
  };
  beforeAll(async () => {
    made = await makeRig(engine);
  });
  afterAll(() => made?.close());

  const slowly = ({ path, method }: { path: string; method: string }, call: Call, client: Client) =>
    beginSlowly(rigOf().service, {
      method,
      path: `${path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(call.params?.[name] ?? 'missing'))}${call.query ?? ''}`,
      headers: { ...client.headers, ...call.headers },
      body: call.body,
    });

  const newestEvent = async (): Promise<unknown> => (await rigOf().service.admin.get('/events?limit=1')).body;

  // The same code on both engines: what differs is how rights are held, which is tried below.
  it.each(engine === 'sqlite' ? tried : [])(
    '%s is refused once the session that it came with has ended',
    async (_title, route, tryout) => {
      const rig = rigOf();
      const call = await tryout.given(rig);
      const cookie = cookieOf(await tryToSignIn(rig.service, 'admin', adminPassword));
      const client = clientWith(rig.service.url, { cookie, origin: rig.service.url });
      const slow = await slowly(route, call, client);
      await done(client.del('/auth/session'));
      const [before, orders] = [await newestEvent(), rig.obmd.calls.length];
      const { status, body } = await slow.finish();
      expect({ status, body }).toMatchObject({ status: 401, body: { type: 'AuthorizationError' } });
      expect(await newestEvent()).toEqual(before);
      expect(rig.obmd.calls.length).toBe(orders);
    },
  );

  it.each(losses)('%s reserves nothing', async (_who, { credentials, lose }) => {
    const rig = rigOf();
    const node = await rig.freeNode();
    const user = await rig.user(rig.red);
    const client = await credentials(rig, user);
    const slow = await slowly(
      { method: 'POST', path: '/project/:project/connect_node' },
      { params: { project: rig.red }, body: { node } },
      client,
    );
    // The token is revoked by its owner: with the password, a token may not.
    await done(
      lose(rig, user, client.headers['authorization']?.startsWith('Bearer') ? await byPassword(rig, user) : client),
    );
    expect((await slow.finish()).status).toBe(401);
    expect((await rig.service.admin.get('/nodes/free')).body).toContain(node);
  });

  it('an administrator who was demoted creates no other', async () => {
    const rig = rigOf();
    const user = await rig.user();
    await done(rig.service.admin.patch(`/auth/basic/user/${user}`, { is_admin: true }));
    const session = await bySession(rig, user);
    for (const client of [await byPassword(rig, user), session]) {
      await done(rig.service.admin.patch(`/auth/basic/user/${user}`, { is_admin: true }));
      const slow = await slowly(
        { method: 'PUT', path: '/auth/basic/user/:user' },
        { params: { user: 'usurper' }, body: { password: 'long enough', is_admin: true } },
        client,
      );
      await done(rig.service.admin.patch(`/auth/basic/user/${user}`, { is_admin: false }));
      expect((await slow.finish()).status).toBe(401);
    }
    expect((await rig.service.admin.get('/auth/basic/users')).body).not.toHaveProperty('usurper');
  });
});

const soon = (isSo: () => Promise<boolean>) => expect.poll(isSo, { timeout: 20_000, interval: 10 }).toBe(true);

/** A transaction of somebody else that has a node's row to itself. */
const lockNode = async (rig: Rig, node: string) => {
  const client = new pg.Client({ connectionString: rig.service.env['CORRAL_DATABASE_URL'] });
  await client.connect();
  await client.query('begin');
  await client.query('select 1 from nodes where label = $1 for update', [node]);
  return {
    /** Does a transaction of the service wait for a lock with a statement that begins so? */
    holdsUp: async (statement: string): Promise<boolean> => {
      // On a connection of its own: within a transaction this view stays as it was first seen.
      const sql = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '${statement}%'`;
      return (await runSql(rig.service, { sqlite: sql, postgres: sql })).length === 1;
    },
    release: async () => {
      await client.query('rollback');
      await client.end();
    },
  };
};

describe.runIf(engines.includes('postgres'))('a change that is being committed, on postgres', () => {
  it.each([
    ['the password', byPassword, 'update "users" set "version" = "version"'],
    ['a session', bySession, 'update "sessions" set "seen_at" = "seen_at"'],
    ['a token', byToken, 'update "api_tokens" set "used_at" = "used_at"'],
  ])('is made before the rights of a caller with %s end, or not at all', async (_what, credentials, removal) => {
    const rig = await makeRig('postgres');
    try {
      const node = await rig.freeNode();
      const user = await rig.user(rig.red);
      const client = await credentials(rig, user);
      const lock = await lockNode(rig, node);
      const reserving = client.post(`/project/${rig.red}/connect_node`, { node });
      await soon(() => lock.holdsUp('update "nodes"'));
      const removing = leaves(rig, user, client);
      // The removal waits for the change that was let in; without that it would be answered here.
      await soon(() => lock.holdsUp(removal));
      await lock.release();
      await done(removing);
      expect((await reserving).status).toBe(200);
      const { body } = await rig.service.admin.get(`/events?limit=2`);
      expect(body).toMatchObject({
        events: [{ type: 'user_remove_project' }, { type: 'project_connect_node', caller: user }],
      });
    } finally {
      await rig.close();
    }
  });
});
