import { describe, expect, it, onTestFinished } from 'vitest';
import { type LabRedfishOptions, startRedfish } from '../src/index.ts';

const start = async (options: LabRedfishOptions = {}) => {
  const service = await startRedfish({ scheme: 'http', ...options });
  onTestFinished(() => service.stop());
  const { user, pass } = service.info;
  const authorization = `Basic ${Buffer.from(`${user ?? ''}:${pass ?? ''}`).toString('base64')}`;
  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = { authorization }) =>
    fetch(`${service.origin}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: body === undefined ? null : JSON.stringify(body),
      redirect: 'manual',
    });
  const logIn = () => ask('POST', '/redfish/v1/SessionService/Sessions', { UserName: user, Password: pass }, {});
  return { service, ask, logIn, authorization };
};
const system = '/redfish/v1/Systems/1';

describe('the lab’s Redfish service', () => {
  it('shows its root to everybody, and nothing else', async () => {
    const { ask } = await start();
    expect((await ask('GET', '/redfish/v1/', undefined, {})).status).toBe(200);
    for (const path of ['/redfish/v1/Systems', system, '/redfish/v1/Managers', '/redfish/v1/SessionService'])
      expect((await ask('GET', path, undefined, {})).status).toBe(401);
    for (const path of ['/redfish/v1/Systems', system, '/redfish/v1/Managers/bmc', '/redfish/v1/SessionService'])
      expect((await ask('GET', path)).status).toBe(200);
    expect((await ask('GET', '/redfish/v1/Systems/2')).status).toBe(404);
  });

  it('makes so many sessions, and more when one has ended', async () => {
    const { service, ask, logIn } = await start({ maxSessions: 2 });
    const first = await logIn();
    await logIn();
    expect((await logIn()).status).toBe(503);
    const headers = { 'x-auth-token': first.headers.get('x-auth-token') ?? '' };
    expect((await ask('GET', system, undefined, headers)).status).toBe(200);
    expect((await ask('DELETE', first.headers.get('location') ?? '', undefined, headers)).status).toBe(204);
    expect((await ask('GET', system, undefined, headers)).status).toBe(401);
    expect((await logIn()).status).toBe(201);
    expect(service.sessions.count).toBe(2);
  });

  it('forgets a session that nobody uses', async () => {
    const { service, logIn } = await start({ sessionSeconds: 0.01 });
    await logIn();
    await expect.poll(() => service.sessions.count).toBe(0);
  });

  it('changes a system for those who have seen it as it is', async () => {
    const { service, ask, authorization } = await start({ oddities: { needsIfMatch: true } });
    const body = { Boot: { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'Pxe' } };
    const etag = (await ask('GET', system)).headers.get('etag') ?? '';
    expect((await ask('PATCH', system, body)).status).toBe(428);
    expect((await ask('PATCH', system, body, { authorization, 'if-match': '"0"' })).status).toBe(412);
    expect((await ask('PATCH', system, body, { authorization, 'if-match': etag })).status).toBe(200);
    expect((await ask('PATCH', system, body, { authorization, 'if-match': etag })).status).toBe(412);
    await ask('POST', `${system}/Actions/ComputerSystem.Reset`, { ResetType: 'On' });
    expect(service.machine.boot).toMatchObject({ enabled: 'Disabled', target: 'None' });
  });

  it('sends those who forget the slash to the right place, where the vendor does', async () => {
    const { ask } = await start({ flavour: 'hpe' });
    const answer = await ask('GET', system);
    expect([answer.status, answer.headers.get('location')]).toEqual([308, `${system}/`]);
  });

  it('fails as often as it is configured to', async () => {
    const { service, ask } = await start();
    service.fault({ kind: 'status', status: 503, headers: { 'retry-after': '7' }, times: 1, on: { path: /Systems/ } });
    expect((await ask('GET', '/redfish/v1/')).status).toBe(200);
    const busy = await ask('GET', system);
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '7']);
    expect((await ask('GET', system)).status).toBe(200);
    expect(service.asked().map(({ path, credentials }) => [path, credentials])).toEqual([
      ['/redfish/v1/', 'basic'],
      [system, 'basic'],
      [system, 'basic'],
    ]);
  });
});
