import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { adminToken, basic, done, message, refusal, sharedDaemon } from './support/daemon.ts';
import { makeNode } from './support/token-holder.ts';

const authorization = basic('admin', adminToken);

describe('a request', () => {
  const shared = sharedDaemon('sqlite');

  it.each([undefined, 'application/json', 'text/plain', 'application/x-www-form-urlencoded', 'nonsense'])(
    'has a JSON body, and if Content-Type says %s',
    async (type) => {
      const daemon = shared();
      const headers = { authorization, ...(type === undefined ? {} : { 'content-type': type }) };
      // Bytes, because fetch gives text a type of its own.
      const body = Buffer.from(JSON.stringify({ type: 'mock', info: { addr: 'typed' } }));
      await done(daemon.send('PUT', '/node/n1', { body, headers }));
      expect((await daemon.admin('GET', '/node/n1')).body).toMatchObject({ info: { addr: 'typed' } });
    },
  );

  it('without a body is one with nothing in it', async () => {
    const daemon = shared();
    const { tenant, machine } = await makeNode(daemon, 'n1');
    await done(tenant.order('power_cycle', ''));
    await done(tenant.order('power_off', '{}'));
    expect([machine.boots, machine.power]).toEqual([1, 'off']);
  });

  it.each([
    ['not JSON', '{"force": tru', 'not JSON'],
    ['a list', '[]', 'not an object'],
    ['a word', '"force"', 'not an object'],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'not JSON'],
    ['with an unknown field', '{"forced": true}', '"forced"'],
    ['with a field of the wrong kind', '{"force": "yes"}', '"force"'],
    ['with a number for a flag', '{"force": 1}', '"force"'],
  ])('whose body is %s is refused', async (_what, body, names) => {
    const daemon = shared();
    const { tenant, machine } = await makeNode(daemon, 'n1');
    const answer = tenant.order('power_cycle', body);
    expect(await refusal(answer)).toBe('400 ValidationError');
    expect(await message(answer)).toContain(names);
    expect(machine.boots).toBe(0);
  });

  it('with a body where none is taken, or a query that is not known, is refused', async () => {
    const daemon = shared();
    const { tenant } = await makeNode(daemon, 'n1');
    expect(await message(tenant.order('power_on', { force: true }))).toContain('"force"');
    const twice = daemon.send('POST', `${tenant.path('power_on')}&token=${tenant.token}`);
    expect(await message(twice)).toContain('more than once');
    const odd = daemon.send('POST', `${tenant.path('power_on')}&when=now`);
    expect(await message(odd)).toContain('"when"');
    expect(await message(daemon.admin('GET', '/nodes?token=x'))).toContain('"token"');
    expect(await message(daemon.admin('POST', '/node/n1/token', { token: 'mine' }))).toContain('"token"');
  });

  it('that comes long after its connection is never carried out', { timeout: 60_000 }, async () => {
    const daemon = shared();
    const { tenant, machine } = await makeNode(daemon, 'n1');
    await done(tenant.order('power_on'));
    const { hostname, port } = new URL(daemon.url);
    const request = `POST ${tenant.path('power_off')} HTTP/1.1\r\nhost: obmd\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;
    // The same bytes are an order if they come at once.
    const prompt = connect(Number(port), hostname).resume();
    prompt.write(request);
    await once(prompt, 'close');
    expect(machine.power).toBe('off');
    await done(tenant.order('power_on'));

    // Half open, as with a sender that sleeps: it can still write when the daemon has closed its side.
    const late = connect({ port: Number(port), host: hostname, allowHalfOpen: true }).resume();
    await once(late, 'end');
    late.on('error', () => undefined).end(request);
    await once(late, 'close');
    await done(tenant.status());
    expect(machine.power).toBe('on');
  });

  it('of more than 1 MiB is refused', async () => {
    const daemon = shared();
    const body = JSON.stringify({ type: 'mock', info: { addr: 'x'.repeat(1024 * 1024) } });
    expect(await refusal(daemon.admin('PUT', '/node/n1', body))).toBe('413 PayloadTooLargeError');
  });

  it.each([
    ['POST', '/nodes', 'GET'],
    ['POST', '/node/n1', 'DELETE, GET, PUT'],
    ['GET', '/node/n1/token', 'DELETE, POST'],
    ['GET', '/node/n1/power_on', 'POST'],
    ['POST', '/node/n1/power_status', 'GET'],
    ['POST', '/node/n1/boot_device', 'PUT'],
    ['DELETE', '/node/n1/console', 'GET'],
  ])('%s %s gets the allowed methods', async (method, path, allow) => {
    const daemon = shared();
    const answer = daemon.admin(method, path);
    expect(await refusal(answer)).toBe('405 MethodNotAllowedError');
    expect((await answer).headers.get('allow')).toBe(allow);
  });

  it.each(['/', '/node', '/node/', '/node/n1/reboot', '/v0/node/n1', '/node/n1/power_on/now'])(
    'for %s is for nothing that there is',
    async (path) => {
      const daemon = shared();
      const answer = daemon.admin('POST', `${path}?token=canary-token`);
      expect((await answer).status).toBeGreaterThanOrEqual(400);
      expect((await answer).status).toBeLessThan(500);
      expect((await answer).text).not.toContain('canary');
    },
  );

  it.each(['%00', 'a%0Ab', '%20a', 'a%2Fb', 'x'.repeat(256), '%ff'])('for the node %s is refused', async (id) => {
    const daemon = shared();
    const body = { type: 'mock', info: { addr: 'n' } };
    expect(await refusal(daemon.admin('PUT', `/node/${id}`, body))).toBe('400 ValidationError');
  });
});
