import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import type { Answer } from '../support/http/http-client.ts';
import { raw, rawBytes } from '../support/http/raw-request.ts';
import { refusal, sharedService } from '../support/services/shared-service.ts';
import {
  connect,
  done,
  makeNetwork,
  makeNode,
  makeProject,
  makeUser,
  obmd,
  reserve,
} from '../support/services/world.ts';

const json = 'application/json; charset=utf-8';
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe.each(engines)('responses on %s', (engine) => {
  const service = sharedService(engine);

  it('with nothing to say are 200 with an empty body: never 201 or 204', async () => {
    const { admin } = service();
    const calls = [
      () => admin.put('/project/quiet'),
      () => admin.put('/node/quiet', { obmd }),
      () => admin.put('/node/quiet/metadata/a', { value: 1 }),
      () => admin.post('/project/quiet/connect_node', { node: 'quiet' }),
      () => admin.put('/auth/basic/user/quiet', { password: 'p' }),
      () => admin.patch('/auth/basic/user/quiet', { is_admin: true }),
      () => admin.del('/auth/basic/user/quiet'),
      () => admin.post('/project/quiet/detach_node', { node: 'quiet' }),
      () => admin.del('/node/quiet'),
      () => admin.del('/project/quiet'),
    ];
    for (const call of calls) {
      const answer = await call();
      expect([answer.status, answer.text, answer.headers.get('content-length')]).toEqual([200, '', '0']);
    }
  });

  it('of connect, detach and revert are 202 with a status_id', async () => {
    const { admin } = service();
    await makeProject(service(), 'async');
    await makeNode(service(), 'async', ['eth0'], 'sw-async');
    await reserve(service(), 'async', 'async');
    await makeNetwork(service(), 'async', 'async');
    await connect(service(), 'async', 'eth0', 'async');
    const answer = await admin.post('/switch/sw-async/port/async/eth0/revert');
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ status_id: expect.stringMatching(uuid) as string });
    expect(answer.headers.get('content-type')).toBe(json);
  });

  it('that are JSON say so, in UTF-8', async () => {
    const { admin, anonymous, url } = service();
    await makeProject(service(), '%C3%BCn%C3%AF');
    const answers = [
      await admin.get('/projects'),
      await admin.get('/nodes/all'),
      await admin.get('/nodes/all'),
      await admin.get('/auth/basic/users'),
      await admin.get('/node/missing'),
      await admin.get('/no/such/route'),
      await admin.post('/projects'),
      await admin.get('/projects?a=1'),
      await anonymous.get('/projects'),
      await raw(url, { method: 'GET', path: '/node/%ff' }),
    ];
    for (const answer of answers) expect(answer.headers.get('content-type')).toBe(json);
    expect(answers[0]?.text).toContain('"ünï"');
  });

  it('carry an id of their own, which the record of events has too', async () => {
    const { admin, anonymous, url } = service();
    const answers = [
      await admin.put('/project/identified'),
      await anonymous.get('/nodes/free'),
      await anonymous.get('/projects'),
      await admin.get('/no/such/route'),
      await admin.post('/projects'),
      await raw(url, { method: 'GET', path: '/node/%ff' }),
    ];
    const ids = answers.map(({ headers }) => headers.get('x-request-id') ?? 'none');
    for (const id of ids) expect(id).toMatch(/^[0-9a-z-]{8,}$/);
    expect(new Set(ids).size).toBe(ids.length);
    const { body } = await admin.get('/events?project=identified');
    expect(body).toMatchObject({ events: [{ type: 'project_create', request_id: ids[0] }] });
  });

  it('do not take a request id from the caller', async () => {
    const answer = await service().admin.send('GET', '/projects', { headers: { 'x-request-id': 'forged' } });
    expect(answer.headers.get('x-request-id')).not.toBe('forged');
  });

  it('of an unknown route are a 404 of the usual shape, with credentials or without', async () => {
    const { admin, anonymous, url } = service();
    for (const client of [admin, anonymous]) {
      for (const path of ['/no/such/route', '/project', '/node/n/unknown', '/', '']) {
        expect(await refusal(client.get(path)), path).toBe('404 NotFoundError');
      }
    }
    for (const path of ['/v1/projects', '/projects', '/v0projects']) {
      const answer = await fetch(url + path);
      expect([answer.status, ((await answer.json()) as { type: string }).type]).toEqual([404, 'NotFoundError']);
    }
  });

  it.each([
    ['/projects', 'GET'],
    ['/project/p', 'DELETE, PUT'],
    ['/node/n', 'DELETE, GET, PUT'],
    ['/nodes/all', 'GET'],
    ['/project/p/connect_node', 'POST'],
    ['/auth/basic/user/u', 'DELETE, PATCH, PUT'],
    ['/auth/basic/user/u/add_project', 'POST'],
    ['/network/n/access/p', 'DELETE, PUT'],
    ['/switch/s/port/gi1/0/11', 'DELETE, GET, PUT'],
    ['/switch/s/port/gi1/0/11/revert', 'POST'],
    ['/headnode_images/', 'GET'],
  ])('to a wrong method on %s are 405 and allow %s', async (path, allowed) => {
    const { admin, anonymous } = service();
    const methods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS'];
    for (const client of [admin, anonymous]) {
      for (const method of methods.filter((candidate) => !allowed.split(', ').includes(candidate))) {
        const answer = client.send(method, path);
        expect(await refusal(answer), method).toBe('405 MethodNotAllowedError');
        expect((await answer).headers.get('allow')).toBe(allowed);
      }
      const head = await client.send('HEAD', path);
      expect([head.status, head.headers.get('allow')]).toEqual([405, allowed]);
    }
  });

  it('to what is no HTTP, or too much of it, have the shape of an error too', async () => {
    const { url } = service();
    const shape = /^HTTP\/1\.1 (\d+) .*\r\n\r\n\{"type":"ValidationError","msg":"[^"]+"\}$/s;
    expect(shape.exec(await rawBytes(url, 'what is this\r\n\r\n'))?.[1]).toBe('400');
    const long = `GET /v0/projects HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`;
    expect(shape.exec(await rawBytes(url, long))?.[1]).toBe('431');
  });

  it('are not waited for without end: headers and requests have time-outs', async () => {
    const servers: Server[] = [];
    const note = (started: unknown) => servers.push((started as { server: Server }).server);
    subscribe('http.server.request.start', note);
    await done(service().anonymous.get('/nodes/free'));
    unsubscribe('http.server.request.start', note);
    const [server] = servers;
    for (const timeout of [server?.headersTimeout, server?.requestTimeout]) {
      expect(timeout).toBeGreaterThan(0);
      expect(timeout).toBeLessThanOrEqual(60_000);
    }
  });

  it('tell what was wrong in one sentence that names the thing', async () => {
    const { admin } = service();
    const user = await makeUser(service(), 'reader');
    const cases: readonly (readonly [Promise<Answer>, RegExp])[] = [
      [admin.get('/node/n-missing'), /n-missing/],
      [admin.del('/project/p-missing'), /p-missing/],
      [admin.put('/auth/basic/user/reader', { password: 'p' }), /reader/],
      [user.get('/projects'), /administrative access.*reader/],
    ];
    for (const [call, words] of cases) expect(((await call).body as { msg: string }).msg).toMatch(words);
  });
});
