import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { routeGroups } from '../../src/server/routes/all-routes.ts';
import { makeToken, scriptWith, signIn } from '../support/identity/browser.ts';
import { engines } from '../support/services/engines.ts';
import { clientOf } from '../support/http/http-client.ts';
import { replicaOf } from '../support/services/obm-rack.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import { enc, message, oddLabels, refusal, sharedService } from '../support/services/shared-service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { done, eventually, makeNode, makeProject, makeUser, reserve } from '../support/services/world.ts';

const routes = routeGroups.flatMap((group) => group.routes);
const sql = (service: Service, text: string) => runSql(service, { sqlite: text, postgres: text });
const day = 86_400_000;

describe.each(engines)('tokens on %s', (engine) => {
  const service = sharedService(engine);

  describe('token_create', () => {
    it('shows the text once, and says until when it lasts', async () => {
      const ada = await makeUser(service(), 'ada');
      const answer = await ada.put('/auth/token/ci', {});
      const { token, expires_at } = answer.body as { token: string; expires_at: string };
      expect(token).toMatch(/^corral_[\w-]{43}$/);
      expect(Math.abs(Date.parse(expires_at) - Date.now() - 90 * day)).toBeLessThan(day);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect((await done(ada.get('/auth/tokens'))).body).toEqual([
        {
          token: 'ci',
          user: 'ada',
          project: null,
          read_only: false,
          made_at: expect.any(String) as string,
          expires_at,
          used_at: null,
        },
      ]);
    });

    it('makes one that lets a script do what its owner may do, and nothing else', async () => {
      await makeProject(service(), 'red');
      const bea = await makeUser(service(), 'bea', 'red');
      const script = scriptWith(service(), await makeToken(bea, 'ci'));
      expect((await done(script.get('/auth/whoami'))).body).toEqual({
        name: 'bea',
        admin: false,
        projects: ['red'],
        by: 'token',
        read_only: false,
        expires_at: expect.any(String) as string,
      });
      await done(script.put('/network/of-bea', { owner: 'red', access: 'red', net_id: '' }));
      expect(await refusal(script.get('/projects'))).toBe('401 AuthorizationError');
      const admin = scriptWith(service(), await makeToken(service().admin, 'admins'));
      await done(admin.get('/projects'));
    });

    it('takes a session as well as a password, whatever the scheme looks like', async () => {
      await makeUser(service(), 'cleo');
      const token = await makeToken(await signIn(service(), 'cleo'), 'ci');
      for (const scheme of ['Bearer', 'bearer', 'BEARER ']) {
        await done(clientOf(service().url, `${scheme} ${token}`).get('/auth/whoami'));
      }
    });

    it.each(oddLabels)('takes a name such as $what', async ({ label }) => {
      const { admin } = service();
      const script = scriptWith(service(), await makeToken(admin, enc(label)));
      await done(script.get('/auth/whoami'));
      const listed = (await done(admin.get('/auth/tokens'))).body as { token: string }[];
      expect(listed.map(({ token }) => token)).toContain(label);
      await done(admin.del(`/auth/token/${enc(label)}`));
      expect((await script.get('/auth/whoami')).status).toBe(401);
    });

    it.each([
      [{ expires_in: 0 }],
      [{ expires_in: -1 }],
      [{ expires_in: 1.5 }],
      [{ expires_in: '60' }],
      [{ project: 5 }],
      [{ read_only: 'yes' }],
      [{ admin: true }],
    ])('refuses %j', async (body) => {
      expect(await refusal(service().admin.put('/auth/token/bad', body))).toBe('400 ValidationError');
    });

    it('refuses one that lasts too long, for a project that is not there or not one’s own, or of a name one has', async () => {
      await makeProject(service(), 'blue');
      const dora = await makeUser(service(), 'dora');
      expect(await refusal(dora.put('/auth/token/t', { expires_in: 367 * 86_400 }))).toBe('400 BadArgumentError');
      expect(await refusal(dora.put('/auth/token/t', { project: 'none' }))).toBe('404 NotFoundError');
      expect(await refusal(dora.put('/auth/token/t', { project: 'blue' }))).toBe('401 AuthorizationError');
      await makeToken(dora, 't');
      expect(await refusal(dora.put('/auth/token/t', {}))).toBe('409 DuplicateError');
      await makeToken(await makeUser(service(), 'dirk'), 't');
    });

    it('of many at once with one name makes one', async () => {
      const user = await makeUser(service(), 'contended');
      await done(user.get('/auth/whoami'));
      const answers = await Promise.all(Array.from({ length: 4 }, () => user.put('/auth/token/t', {})));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    });

    it('lets nobody have more than a hundred, and one that expired is in nobody’s way', async () => {
      const eve = await makeUser(service(), 'eve');
      for (let count = 0; count < 100; count += 1) await makeToken(eve, `t${count}`);
      expect(await refusal(eve.put('/auth/token/more', {}))).toBe('409 BlockedError');
      await sql(service(), `update api_tokens set expires_at = 1 where label = 't7'`);
      await makeToken(eve, 't7');
    });
  });

  describe('a token for one project', () => {
    it('is for that project only, and never for an administrator', async () => {
      await makeProject(service(), 'green');
      await makeProject(service(), 'grey');
      const fay = await makeUser(service(), 'fay', 'green', 'grey');
      await done(service().admin.patch('/auth/basic/user/fay', { is_admin: true }));
      await makeNode(service(), 'of-green');
      await makeNode(service(), 'of-grey');
      await reserve(service(), 'green', 'of-green');
      await reserve(service(), 'grey', 'of-grey');
      const script = scriptWith(service(), await makeToken(fay, 'green', { project: 'green' }));
      expect((await done(script.get('/auth/whoami'))).body).toMatchObject({ admin: false, projects: ['green'] });
      // Answers are kept for callers of the same rights: what the owner sees is not what the token sees.
      for (const client of [fay, script, fay, script]) {
        expect((await client.get('/node/of-green')).status).toBe(200);
        expect((await client.get('/node/of-grey')).status).toBe(client === fay ? 200 : 401);
      }
      for (const path of ['/project/grey/nodes', '/projects', '/auth/basic/users']) {
        expect(await refusal(script.get(path))).toBe('401 AuthorizationError');
      }
    });

    it('counts only while its owner has the project, and goes with the project', async () => {
      await makeProject(service(), 'gold');
      const gus = await makeUser(service(), 'gus', 'gold');
      const script = scriptWith(service(), await makeToken(gus, 'gold', { project: 'gold' }));
      await done(script.get('/project/gold/nodes'));
      await done(service().admin.post('/auth/basic/user/gus/remove_project', { project: 'gold' }));
      for (const path of ['/project/gold/nodes', '/auth/whoami', '/nodes/free']) {
        expect(await refusal(script.get(path))).toBe('401 AuthorizationError');
      }
      await done(service().admin.post('/auth/basic/user/gus/add_project', { project: 'gold' }));
      await done(script.get('/project/gold/nodes'));
      await done(service().admin.del('/project/gold'));
      await makeProject(service(), 'gold');
      await done(service().admin.post('/auth/basic/user/gus/add_project', { project: 'gold' }));
      expect(await refusal(script.get('/auth/whoami'))).toBe('401 AuthorizationError');
      expect((await done(gus.get('/auth/tokens'))).body).toEqual([]);
    });
  });

  it('a token that may only look is refused on every call that changes something', async () => {
    const script = scriptWith(service(), await makeToken(service().admin, 'looker', { read_only: true }));
    expect((await done(script.get('/auth/whoami'))).body).toMatchObject({ admin: true, read_only: true });
    await done(script.get('/projects'));
    const changing = routes.filter(({ effect, access }) => effect === 'changes' && access !== 'sign-in');
    expect(changing.length).toBeGreaterThan(40);
    for (const { method, path, name } of changing) {
      const answer = await script.send(method, path.replaceAll(/:\w+/g, 'none'));
      expect([answer.status, answer.text], name).toEqual([401, expect.stringContaining('read-only')]);
    }
  });

  describe('the end', () => {
    it('comes when it is revoked, at once and on a replica within a second', async () => {
      const replica = await replicaOf(service());
      const ida = await makeUser(service(), 'ida');
      const token = await makeToken(ida, 'ci');
      const [here, there] = [scriptWith(service(), token), scriptWith(replica, token)];
      await done(here.get('/auth/whoami'));
      await done(there.get('/auth/whoami'));
      await done(ida.del('/auth/token/ci'));
      expect(await refusal(here.get('/auth/whoami'))).toBe('401 AuthorizationError');
      await eventually(async () => ((await there.get('/auth/whoami')).status === 401 ? true : undefined), 5_000);
      expect(await refusal(ida.del('/auth/token/ci'))).toBe('404 NotFoundError');
    });

    it('comes for look-ups that are under way when it is revoked', async () => {
      const jo = await makeUser(service(), 'jo');
      for (let count = 0; count < 5; count += 1) {
        const script = scriptWith(service(), await makeToken(jo, 'ci'));
        const early = script.get('/auth/whoami');
        await done(jo.del('/auth/token/ci'));
        expect((await script.get('/auth/whoami')).status).toBe(401);
        await early;
      }
    });

    it('comes when it expires, also for one that was used just now', async () => {
      const kim = await makeUser(service(), 'kim');
      const brief = scriptWith(service(), await makeToken(kim, 'brief', { expires_in: 1 }));
      await eventually(async () => ((await brief.get('/auth/whoami')).status === 401 ? true : undefined));
      const script = scriptWith(service(), await makeToken(kim, 'ci'));
      await done(script.get('/auth/whoami'));
      await sql(service(), `update api_tokens set expires_at = ${Date.now() - 1} where label = 'ci'`);
      await eventually(async () => ((await script.get('/auth/whoami')).status === 401 ? true : undefined));
      expect((await done(kim.get('/auth/tokens'))).body).toEqual([]);
    });

    it('comes with its owner, and a new user of the name has none', async () => {
      const script = scriptWith(service(), await makeToken(await makeUser(service(), 'lea'), 'ci'));
      await done(script.get('/auth/whoami'));
      await done(service().admin.del('/auth/basic/user/lea'));
      expect(await refusal(script.get('/nodes/free'))).toBe('401 AuthorizationError');
      const again = await makeUser(service(), 'lea');
      expect(await refusal(script.get('/nodes/free'))).toBe('401 AuthorizationError');
      expect((await done(again.get('/auth/tokens'))).body).toEqual([]);
    });

    it('stops an event stream that the token has open', async () => {
      const script = scriptWith(service(), await makeToken(service().admin, 'stream'));
      const response = await fetch(`${service().url}/v0/events/stream`, { headers: script.headers });
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      if (reader === undefined) throw new Error('a stream has a body');
      expect((await reader.read()).value).toContain('connected');
      await done(service().admin.del('/auth/token/stream'));
      await done(service().admin.put('/project/after-the-end'));
      let text = '';
      const toTheEnd = async () => {
        for (;;) {
          const { done: isOver, value } = await reader.read();
          if (isOver) return;
          text += value;
        }
      };
      await toTheEnd().catch(() => undefined);
      expect(text).not.toContain('after-the-end');
    });
  });

  it.each([
    ['nobody’s', `corral_${'x'.repeat(43)}`],
    ['too short', 'corral_x'],
    ['empty', 'corral_'],
    ['too long', `corral_${'x'.repeat(44)}`],
    ['with a NUL', `corral_${'x'.repeat(42)}\u00ff`],
  ])('a token that is %s is a 401 on every call', async (_what, token) => {
    const script = scriptWith(service(), token);
    for (const path of ['/nodes/free', '/auth/whoami']) {
      expect(await refusal(script.get(path))).toBe('401 AuthorizationError');
      expect(await message(script.get(path))).toBe('the token is invalid, expired or revoked; create a new one');
    }
  });

  it('the list shows when a token was last used, to the minute', async () => {
    const mia = await makeUser(service(), 'mia');
    const script = scriptWith(service(), await makeToken(mia, 'ci'));
    await done(script.get('/auth/whoami'));
    const used = await eventually(async () => {
      const [listed] = (await done(mia.get('/auth/tokens'))).body as { used_at: string | null }[];
      return listed?.used_at ?? undefined;
    });
    expect(Math.abs(Date.now() - Date.parse(used))).toBeLessThan(60_000);
  });

  it('a request does not fail because nobody can write down that a token was used', async () => {
    const broken = await serviceForTest(engine);
    const script = scriptWith(broken, await makeToken(broken.admin, 'ci'));
    const table = `create trigger no_use before update on api_tokens`;
    await runSql(broken, {
      sqlite: `${table} begin select raise(abort, 'no'); end`,
      postgres: `create function no_use() returns trigger as $$ begin raise exception 'no'; end $$ language plpgsql;
        ${table} for each row execute function no_use()`,
    });
    for (let count = 0; count < 3; count += 1) await done(script.get('/auth/whoami'));
  });

  it('events tell of tokens, without their secrets', async () => {
    const ned = await makeUser(service(), 'ned');
    const token = await makeToken(ned, 'ci', { read_only: true });
    await done(ned.del('/auth/token/ci'));
    const { body, text } = await done(service().admin.get('/events?user=ned&after=0'));
    const { events } = body as { events: { type: string; caller: string; detail: object }[] };
    expect(events.slice(1).map(({ type, caller, detail }) => [type, caller, detail])).toEqual([
      [
        'token_create',
        'ned',
        { token: 'ci', expires_at: expect.any(String) as string, project: null, read_only: true },
      ],
      ['token_revoke', 'ned', { token: 'ci' }],
    ]);
    expect(text).not.toContain(token.slice('corral_'.length));
  });

  it('no secret of a token is in the database or in the log', async () => {
    const alone = await serviceForTest(engine);
    const token = await makeToken(alone.admin, 'ci');
    await done(scriptWith(alone, token).get('/auth/whoami'));
    const secret = token.slice('corral_'.length);
    expect(alone.log.join('')).not.toContain(secret);
    const rows = await sql(alone, 'select * from api_tokens');
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(secret);
    const files = readdirSync(alone.dataDir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    for (const file of files) {
      expect(readFileSync(join(file.parentPath, file.name)).includes(secret), file.name).toBe(false);
    }
  });
});
