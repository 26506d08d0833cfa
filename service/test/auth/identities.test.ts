import { describe, expect, it } from 'vitest';
import { makeToken, scriptWith, signIn } from '../support/identity/browser.ts';
import { engines } from '../support/services/engines.ts';
import { type Client, clientOf } from '../support/http/http-client.ts';
import { withExtensionBackends } from '../support/identity/extension-backends.ts';
import { replicaOf } from '../support/services/obm-rack.ts';
import type { Service } from '../support/services/service.ts';
import { message, refusal, sharedService } from '../support/services/shared-service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { done, eventually, makeProject, makeUser } from '../support/services/world.ts';

const sql = (service: Service, text: string) => runSql(service, { sqlite: text, postgres: text });

describe.each(engines)('people of another backend on %s', (engine) => {
  const service = sharedService(engine, withExtensionBackends);
  const person = (name: string, projects = '', of: Service = service()): Client =>
    clientOf(of.url, `People ${name} ${projects}`);
  /** The same with credentials that the backend made some seconds ago. */
  const earlier = (seconds: number, name: string, projects = ''): Client =>
    clientOf(service().url, `People ${name} ${projects} ${Date.now() - seconds * 1000}`);
  const rightsOf = async (client: Client) => (await done(client.get('/auth/whoami'))).body;

  it('make tokens, which let a script do what they were last seen to be able to do', async () => {
    await makeProject(service(), 'red');
    const ada = person('ada', 'red');
    expect(await rightsOf(ada)).toMatchObject({ name: 'ada', by: 'credentials', projects: ['red'] });
    const script = scriptWith(service(), await makeToken(ada, 'ci'));
    expect(await rightsOf(script)).toMatchObject({ name: 'ada', by: 'token', admin: false, projects: ['red'] });
    await done(script.get('/project/red/nodes'));
    expect(await refusal(script.get('/projects'))).toBe('401 AuthorizationError');
    expect((await done(person('ada').get('/auth/tokens'))).body).toMatchObject([{ token: 'ci', user: 'ada' }]);
  });

  it('have for all their tokens the rights that were seen last, as far as a token was made with them', async () => {
    await makeProject(service(), 'blue');
    const script = scriptWith(service(), await makeToken(person('bea', 'blue,*'), 'first'));
    await done(script.get('/projects'));
    const second = scriptWith(service(), await makeToken(person('bea', ''), 'second'));
    for (const client of [script, second]) {
      expect(await rightsOf(client)).toMatchObject({ admin: false, projects: [] });
      expect(await refusal(client.get('/project/blue/nodes'))).toBe('401 AuthorizationError');
    }
    await makeToken(person('bea', 'blue'), 'third');
    await done(script.get('/project/blue/nodes'));
    expect(await refusal(second.get('/project/blue/nodes'))).toBe('401 AuthorizationError');
  });

  it('give a token that was made with few rights no more of them later', async () => {
    const narrow = scriptWith(service(), await makeToken(person('ike'), 'narrow'));
    const member = scriptWith(service(), await makeToken(person('ike', 'red,blue'), 'member'));
    const whole = scriptWith(service(), await makeToken(person('ike', 'blue,*'), 'whole'));
    expect(await rightsOf(narrow)).toMatchObject({ admin: false, projects: [] });
    expect(await rightsOf(member)).toMatchObject({ admin: false, projects: ['blue', 'red'] });
    expect(await rightsOf(whole)).toMatchObject({ admin: true });
    await makeToken(person('ike', 'blue,gold'), 'later');
    expect(await rightsOf(narrow)).toMatchObject({ admin: false, projects: [] });
    expect(await rightsOf(member)).toMatchObject({ admin: false, projects: ['blue'] });
    expect(await rightsOf(whole)).toMatchObject({ admin: false, projects: ['blue', 'gold'] });
  });

  it('get nothing back by credentials that are older than those they lost it with', async () => {
    const script = scriptWith(service(), await makeToken(earlier(300, 'jo', 'red,*'), 'first'));
    expect(await rightsOf(script)).toMatchObject({ admin: true });
    await makeToken(earlier(100, 'jo', 'red'), 'demoted');
    const late = scriptWith(service(), await makeToken(earlier(200, 'jo', 'red,*'), 'late'));
    for (const client of [script, late]) {
      expect(await rightsOf(client)).toMatchObject({ admin: false, projects: ['red'] });
    }
    await makeToken(person('jo', 'red,*'), 'promoted');
    expect(await rightsOf(script)).toMatchObject({ admin: true });
  });

  it('count as confirmed since their credentials were made, and not since they were used', async () => {
    const seenAt = async () => {
      const [row] = await sql(service(), "select seen_at from identities where name = 'kim'");
      return Number((row as { seen_at: number | string }).seen_at);
    };
    await makeToken(earlier(3600, 'kim'), 'an hour ago');
    expect(Date.now() - (await seenAt())).toBeGreaterThanOrEqual(3_600_000);
    await makeToken(earlier(-3600, 'kim'), 'from the future');
    expect(await seenAt()).toBeLessThanOrEqual(Date.now());
    for (const old of [earlier(86_400, 'kim'), clientOf(service().url, 'People kim red never')]) {
      const answer = old.put('/auth/token/too-late', {});
      expect(await refusal(answer)).toBe('401 AuthorizationError');
      expect(await message(answer)).toBe('people has not confirmed kim recently; get new credentials there');
    }
  });

  it('are found by administrators under names that no user could have', async () => {
    for (const name of ['org/team/lea', 'l'.repeat(600)]) {
      const script = scriptWith(service(), await makeToken(person(name), 'ci'));
      const query = `?user=${encodeURIComponent(name)}`;
      expect((await done(service().admin.get(`/auth/tokens${query}`))).body).toMatchObject([{ user: name }]);
      expect((await done(service().admin.get(`/auth/sessions${query}`))).body).toEqual([]);
      await done(service().admin.del(`/auth/token/ci${query}`));
      expect(await refusal(script.get('/auth/whoami'))).toBe('401 AuthorizationError');
    }
    for (const name of ['', 'two%0Alines', 'l'.repeat(601)]) {
      expect(await refusal(service().admin.get(`/auth/tokens?user=${name}`))).toBe('400 ValidationError');
    }
  });

  it('lose a token for a project with the project', async () => {
    await makeProject(service(), 'gold');
    const script = scriptWith(service(), await makeToken(person('cleo', 'gold'), 'gold', { project: 'gold' }));
    await done(script.get('/project/gold/nodes'));
    await makeToken(person('cleo', ''), 'other');
    expect(await message(script.get('/nodes/free'))).toContain('no longer has access to');
  });

  it('have to show up again after a while, on every replica', async () => {
    const replica = await replicaOf(service());
    const token = await makeToken(person('dora', 'red'), 'ci');
    const scripts = [scriptWith(service(), token), scriptWith(replica, token)];
    for (const script of scripts) await done(script.get('/auth/whoami'));
    await sql(service(), `update identities set seen_at = ${Date.now() - 86_400_000} where name = 'dora'`);
    for (const script of scripts) {
      await eventually(async () => ((await script.get('/nodes/free')).status === 401 ? true : undefined));
      expect(await message(script.get('/nodes/free'))).toBe('people has not confirmed dora recently; sign in again');
    }
    await makeToken(person('dora', 'red', replica), 'again');
    for (const script of scripts) {
      await eventually(async () => ((await script.get('/auth/whoami')).status === 200 ? true : undefined));
    }
  });

  it('are distinguished by what the backend calls them, and from users of the same name', async () => {
    const user = await makeUser(service(), 'eve');
    await makeToken(user, 'of the user');
    const eve = person('eve');
    await makeToken(eve, 'of the person');
    expect((await done(eve.get('/auth/tokens'))).body).toMatchObject([{ token: 'of the person' }]);
    expect((await done(user.get('/auth/tokens'))).body).toMatchObject([{ token: 'of the user' }]);
    expect(await refusal(eve.del('/auth/token/of the user'))).toBe('404 NotFoundError');
    const both = (await done(service().admin.get('/auth/tokens?user=eve'))).body as { token: string }[];
    expect(both.map(({ token }) => token)).toEqual(['of the person', 'of the user']);
    await done(service().admin.del('/auth/basic/user/eve'));
    expect((await done(eve.get('/auth/tokens'))).body).toMatchObject([{ token: 'of the person' }]);
  });

  it('make two tokens at once the first time they come', async () => {
    for (let count = 0; count < 5; count += 1) {
      const fay = person(`fay-${count}`, 'red');
      const made = await Promise.all(['a', 'b', 'c'].map((name) => fay.put(`/auth/token/${name}`, {})));
      expect(made.map(({ status, text }) => (status === 200 ? 200 : text))).toEqual([200, 200, 200]);
    }
    const rows = await sql(service(), "select name from identities where name like 'fay-%'");
    expect(rows).toHaveLength(5);
  });

  it('have sessions under the same rules', async () => {
    await makeUser(service(), 'hal');
    await makeToken(person('hal', 'red'), 'ci');
    const browser = await signIn(service(), 'hal');
    // As if the person and not the user had signed in.
    await sql(
      service(),
      `update sessions set user_id = null, identity_id = (select id from identities where name = 'hal')
        where user_id = (select id from users where label = 'hal')`,
    );
    const seen = await eventually(async () => {
      const rights = (await rightsOf(browser)) as { projects: string[] };
      return rights.projects.includes('red') ? rights : undefined;
    });
    expect(seen).toMatchObject({ name: 'hal', by: 'session', admin: false });
    const before = await sql(service(), "select seen_at from identities where name = 'hal'");
    const script = scriptWith(service(), await makeToken(browser, 'by-the-session'));
    // Nobody but the backend vouches for them: a token that a session makes does not.
    expect(await sql(service(), "select seen_at from identities where name = 'hal'")).toEqual(before);
    await makeToken(person('hal', '*'), 'later');
    expect(await rightsOf(browser)).toMatchObject({ admin: true, projects: [] });
    expect(await rightsOf(script)).toMatchObject({ admin: false, projects: ['red'] });
    await sql(service(), `update identities set seen_at = ${Date.now() - 86_400_000} where name = 'hal'`);
    for (const client of [browser, script]) {
      await eventually(async () => ((await client.get('/nodes/free')).status === 401 ? true : undefined));
    }
    expect(await refusal(browser.put('/auth/token/more', {}))).toBe('401 AuthorizationError');
  });

  it('without an account of their backend can have neither tokens nor sessions', async () => {
    const guest = clientOf(service().url, 'Guests gus red');
    expect(await rightsOf(guest)).toMatchObject({ name: 'gus', projects: ['red'] });
    const answer = guest.put('/auth/token/ci', {});
    expect(await refusal(answer)).toBe('401 AuthorizationError');
    expect(await message(answer)).toContain('provides no account');
    expect((await done(guest.get('/auth/tokens'))).body).toEqual([]);
    expect((await done(guest.get('/auth/sessions'))).body).toEqual([]);
    expect(await refusal(guest.del('/auth/token/ci'))).toBe('404 NotFoundError');
  });
});
