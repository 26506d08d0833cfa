import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import type { Answer } from '../support/http/http-client.ts';
import { raw } from '../support/http/raw-request.ts';
import { enc, message, refusal, sharedService } from '../support/services/shared-service.ts';
import { done, makeNode, makeProject, makeSwitch, obmd } from '../support/services/world.ts';

const mebibyte = 1024 * 1024;

describe.each(engines)('requests on %s', (engine) => {
  const service = sharedService(engine);
  let count = 0;
  const fresh = () => `fresh${(count += 1)}`;

  describe('a body', () => {
    const bytes = JSON.stringify({ obmd });

    it('needs no Content-Type', async () => {
      const headers = service().admin.headers;
      const answer = await raw(service().url, { method: 'PUT', path: `/node/${fresh()}`, headers, body: bytes });
      expect(answer.status, answer.text).toBe(200);
    });

    it.each([
      'application/json',
      'application/json; charset=utf-8',
      'APPLICATION/JSON;CHARSET=UTF-8',
      'text/plain',
      'text/plain;charset=UTF-8',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
      'text/xml',
      'nonsense',
      'a/b/c',
      '',
      ';;;',
      'application/json; charset="',
    ])('is JSON if Content-Type is %j', async (type) => {
      const headers = { ...service().admin.headers, 'content-type': type };
      const answer = await raw(service().url, { method: 'PUT', path: `/node/${fresh()}`, headers, body: bytes });
      expect(answer.status, answer.text).toBe(200);
    });

    it('may come in pieces of unknown length', async () => {
      const body = [bytes.slice(0, 10), bytes.slice(10)];
      const headers = service().admin.headers;
      const answer = await raw(service().url, { method: 'PUT', path: `/node/${fresh()}`, headers, body });
      expect(answer.status, answer.text).toBe(200);
    });

    it.each(['application/json', 'application/x-www-form-urlencoded', 'nonsense', undefined])(
      'that is empty is an empty object, with Content-Type %j',
      async (type) => {
        const headers = { ...service().admin.headers, ...(type === undefined ? {} : { 'content-type': type }) };
        const { url } = service();
        const empty = await raw(url, { method: 'PUT', path: `/project/${fresh()}`, headers, body: '' });
        expect(empty.status, empty.text).toBe(200);
        const chunked = { ...headers, 'transfer-encoding': 'chunked' };
        const none = await raw(url, { method: 'PUT', path: `/project/${fresh()}`, headers: chunked });
        expect(none.status, none.text).toBe(200);
        const missing = raw(url, { method: 'PUT', path: `/node/${fresh()}`, headers, body: '' });
        expect(await message(missing)).toContain('field "obmd" is missing');
      },
    );

    it('of an empty object is welcome where nothing is needed', async () => {
      const label = fresh();
      await done(service().admin.put(`/project/${label}`, {}));
      await done(service().admin.send('DELETE', `/project/${label}`, { body: '{}' }));
    });

    it.each(['{', 'name=value', "{'a': 1}", '{"a": 1} x', 'undefined', '\u0000', ' '])(
      'that is not JSON is refused: %j',
      async (body) => {
        const answer = service().admin.send('PUT', '/node/not-json', { body });
        expect(await refusal(answer)).toBe('400 ValidationError');
        expect(await message(answer)).toMatch(/the body is not JSON; expected a JSON object/);
      },
    );

    it('that is not UTF-8 is refused', async () => {
      const body = Buffer.concat([Buffer.from('{"value": "'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
      const answer = service().admin.send('PUT', '/node/x/metadata/y', { body });
      expect(await refusal(answer)).toBe('400 ValidationError');
    });

    it.each(['[]', '[{}]', '"text"', '5', 'true', 'null'])('that is no object is refused: %s', async (body) => {
      const answer = service().admin.send('PUT', '/project/no-object', { body });
      expect(await refusal(answer)).toBe('400 ValidationError');
      expect(await message(answer)).toMatch(/not an object; expected/);
    });

    it('with an unknown field is refused by that name, and told which are known', async () => {
      const answer = service().admin.put('/node/unknown', { obmd, colour: 'red' });
      expect(await refusal(answer)).toBe('400 ValidationError');
      expect(await message(answer)).toMatch(/"colour" is unknown; expected one of "obmd", "metadata"/);
    });

    it.each(['__proto__', 'constructor', 'hasOwnProperty'])('with a field %s is refused by that name', async (name) => {
      const body = `{"obmd": ${JSON.stringify(obmd)}, "${name}": {}}`;
      const answer = service().admin.send('PUT', '/node/unknown', { body });
      expect(await refusal(answer)).toBe('400 ValidationError');
      expect(await message(answer)).toContain(`"${name}" is unknown`);
    });

    it('with several errors gets all of them', async () => {
      const answer = service().admin.put('/node/unknown', { obmd: { uri: 1 }, colour: 'red' });
      for (const field of ['obmd.uri', 'obmd.admin_token', 'colour']) {
        expect(await message(answer)).toContain(`"${field}"`);
      }
    });

    it('that repeats an argument of the path is refused, be it equal', async () => {
      await makeProject(service(), 'repeats');
      await makeNode(service(), 'repeated');
      await makeSwitch(service(), 'repeating');
      const { admin } = service();
      const calls: readonly (readonly [string, Promise<Answer>])[] = [
        ['node', admin.put('/node/rep', { obmd, node: 'rep' })],
        ['nic', admin.put('/node/repeated/nic/eth0', { macaddr: 'a', nic: 'eth0' })],
        ['project', admin.post('/project/repeats/connect_node', { node: 'repeated', project: 'repeats' })],
        ['project', admin.put('/project/rep', { project: 'rep' })],
        ['headnode', admin.put('/headnode/rep', { project: 'repeats', base_img: 'base', headnode: 'rep' })],
        ['label', admin.put('/node/repeated/metadata/a', { value: 1, label: 'a' })],
        ['username', admin.put('/auth/basic/user/rep', { password: 'p', username: 'rep' })],
        ['user', admin.post('/auth/basic/user/admin/add_project', { project: 'repeats', user: 'admin' })],
        [
          'switch',
          admin.put('/switch/rep', { type: 'mock', hostname: 'h', username: 'u', password: 'p', switch: 'rep' }),
        ],
        ['port', admin.put('/switch/repeating/port/1', { port: '1' })],
        ['network', admin.put('/network/rep', { owner: 'repeats', access: 'repeats', net_id: '', network: 'rep' })],
      ];
      for (const [field, call] of calls) {
        expect(await refusal(call)).toBe('400 ValidationError');
        expect(await message(call)).toContain(`"${field}"`);
      }
    });

    it('may be 1 MiB long and no longer', async () => {
      const label = fresh();
      await done(service().admin.put(`/node/${label}`, { obmd }));
      const around = JSON.stringify({ value: '' }).length;
      const put = (length: number) => service().admin.put(`/node/${label}/metadata/big`, { value: 'x'.repeat(length) });
      await done(put(mebibyte - around));
      expect(await refusal(put(mebibyte - around + 1))).toBe('413 PayloadTooLargeError');
    });

    it('that grows beyond 1 MiB in pieces is refused too', async () => {
      const piece = 'x'.repeat(64 * 1024);
      const body = ['{"value": "', ...Array.from({ length: 17 }, () => piece), '"}'];
      const headers = service().admin.headers;
      const answer = raw(service().url, { method: 'PUT', path: '/node/n/metadata/big', headers, body });
      expect(await refusal(answer)).toBe('413 PayloadTooLargeError');
    });
  });

  describe('a query', () => {
    it('with an unknown parameter is refused by that name', async () => {
      const answer = service().admin.get('/projects?limit=5');
      expect(await refusal(answer)).toBe('400 ValidationError');
      expect(await message(answer)).toMatch(/query parameter "limit" is unknown/);
    });

    it('is refused on calls that change something too, and they change nothing', async () => {
      const label = fresh();
      expect(await refusal(service().admin.put(`/project/${label}?dry_run=true`))).toBe('400 ValidationError');
      expect((await service().admin.get('/projects')).body).not.toContain(label);
    });

    it.each([
      'project=a&project=b',
      'project=a&project=a',
      'a=1&a=2',
      'project=a&%70roject=a',
      '__proto__=1&__proto__=2',
    ])('with a repeated parameter is refused: %s', async (query) => {
      for (const path of ['/network/net/attachments', '/projects']) {
        const answer = service().admin.get(`${path}?${query}`);
        expect(await refusal(answer)).toBe('400 ValidationError');
        expect(await message(answer)).toMatch(/"(project|a|__proto__)" is given more than once/);
      }
    });

    it('that is repeated or unknown is no reason to tell anonymous callers more than 401', async () => {
      for (const query of ['a=1', 'a=1&a=2']) {
        expect(await refusal(service().anonymous.get(`/projects?${query}`))).toBe('401 AuthorizationError');
      }
    });

    it.each(['__proto__=1', 'constructor=1', '=', 'a'])('with %s is unknown like any other', async (query) => {
      expect(await refusal(service().admin.get(`/projects?${query}`))).toBe('400 ValidationError');
    });

    it('that is empty is none', async () => {
      await done(service().admin.get('/projects?'));
    });
  });

  it.each(['/project/%E4', '/project/%', '/project/%zz', '/project/%ff', '/project/%ED%A0%80'])(
    'a path that cannot be decoded is a 400 that says so: %s',
    async (path) => {
      const headers = service().admin.headers;
      const answer = raw(service().url, { method: 'PUT', path, headers });
      expect(await refusal(answer)).toBe('400 ValidationError');
      expect(await message(answer)).toMatch(/path.*expected/);
    },
  );

  it('a trailing slash is part of the path', async () => {
    await done(service().admin.get(`/headnode_images/`));
    expect((await service().admin.get('/projects/')).status).toBe(404);
    expect((await service().admin.get(`/project/${enc('')}`)).status).toBeGreaterThanOrEqual(400);
  });
});
