import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPart, type KeystoneUser, type LabKeystone, startKeystone } from '../src/index.ts';
import { isListening } from '../src/listen-loopback.ts';

describe.runIf(hasPart('Keystone'))('a Keystone of the lab', () => {
  let keystone: LabKeystone;
  let red = '';
  let alice: KeystoneUser;
  let token = '';

  /** What the user for services is told about a token. */
  const ask = async (subject: string, signal: AbortSignal = AbortSignal.timeout(20_000)) => {
    const own = await keystone.api.token(keystone.service, { project: keystone.service.projectId });
    const headers = { 'x-auth-token': own, 'x-subject-token': subject };
    const response = await fetch(`${keystone.url}/auth/tokens?nocatalog`, { headers, signal });
    return { status: response.status, body: await response.json() };
  };
  const place = () => ({ port: Number(new URL(keystone.url).port) });

  beforeAll(async () => {
    keystone = await startKeystone();
    red = await keystone.api.project('red');
    alice = await keystone.api.user('alice');
    await keystone.api.assign(alice, 'member', { project: red });
    token = await keystone.api.token(alice, { project: red });
  }, 180_000);
  afterAll(() => keystone.stop());

  it('tells the user for services whose a token is, and others nothing', async () => {
    expect(await ask(token)).toMatchObject({
      status: 200,
      body: { token: { project: { id: red }, user: { name: 'alice' } } },
    });
    const headers = { 'x-auth-token': token, 'x-subject-token': await keystone.api.token(alice, 'none') };
    const self = await fetch(`${keystone.url}/auth/tokens`, { headers });
    expect(self.status).toBe(200);
    const service = await keystone.api.token(keystone.service, { project: keystone.service.projectId });
    const other = await fetch(`${keystone.url}/auth/tokens`, { headers: { ...headers, 'x-subject-token': service } });
    expect(other.status).toBe(403);
  });

  it('knows no token that was revoked, and none of a user who is disabled', async () => {
    const revoked = await keystone.api.token(alice, { project: red });
    await keystone.api.revoke(revoked);
    expect((await ask(revoked)).status).toBe(404);
    const bob = await keystone.api.user('bob');
    await keystone.api.assign(bob, 'member', { project: red });
    const disabled = await keystone.api.token(bob, { project: red });
    await keystone.api.setEnabled(bob, false);
    expect((await ask(disabled)).status).toBe(404);
  });

  it('takes calls and answers none while it hangs, and all of them afterwards', async () => {
    keystone.hang();
    expect(await isListening(place())).toBe(true);
    const waiting = ask(token);
    await expect(fetch(keystone.url, { signal: AbortSignal.timeout(200) })).rejects.toThrow();
    keystone.recover();
    expect((await waiting).status).toBe(200);
  });

  it('forgets nothing when it is killed and started again', async () => {
    await keystone.kill();
    expect(await isListening(place())).toBe(false);
    await keystone.restart();
    expect((await ask(token)).status).toBe(200);
  }, 120_000);

  it('leaves nothing behind when it is stopped, hanging or not', async () => {
    const { port } = place();
    keystone.hang();
    await keystone.stop();
    expect(await isListening({ port })).toBe(false);
    expect(execFileSync('ps', ['-eo', 'args']).toString()).not.toContain(`127.0.0.1:${port}`);
  });
});
