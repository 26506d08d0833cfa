import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type * as os from 'node:os';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { shellForTest } from './support/shell.ts';

/** As for a user id that is in no list of users, in a container. */
vi.mock('node:os', async (original) => ({
  ...(await original<typeof os>()),
  userInfo: () => {
    throw new Error('ENOENT: no such file or directory, uv_os_get_passwd');
  },
}));

const me = { name: 'ada', by: 'token', admin: false, projects: [], read_only: false, expires_at: null };

/** A service that takes every token, and is silent where it is told to be. */
const serviceOf = async (silentAt: (request: string) => boolean = () => false) => {
  const asked: string[] = [];
  let hear: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => (hear = resolve));
  const server = createServer(({ method = '', url = '' }, response) => {
    const request = `${method} ${decodeURIComponent(url)}`;
    asked.push(request);
    if (silentAt(request)) return hear();
    response.end(JSON.stringify(method === 'PUT' ? { token: 'corral_new', expires_at: 'soon' } : me));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, isAsked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const shellWithSecret = async () => {
  const shell = await shellForTest();
  return { shell, secret: await shell.file('secret', 'a secret\n'), profiles: join(shell.home, 'client.json') };
};

const namesIn = async (file: string) =>
  Object.keys((JSON.parse(await readFile(file, 'utf8')) as { readonly profiles: object }).profiles).sort();

describe('corral login', () => {
  it('works for a user without a name', async () => {
    const { asked, url } = await serviceOf();
    const { shell, secret } = await shellWithSecret();
    expect(await shell(`login ${url} --username ada --password-file ${secret}`)).toMatchObject({ code: 0, err: '' });
    expect(asked[0]).toMatch(/^PUT \/v0\/auth\/token\/corral login of uid \d+ on /);
  });

  it.each([
    ['GET /v0/auth/methods', ''],
    ['GET /v0/auth/whoami', '--token-file'],
    ['PUT /v0/auth/token/', '--username ada --password-file'],
  ])('ends at Ctrl-C during %s', async (place, options) => {
    const { isAsked, url } = await serviceOf((request) => request.startsWith(place));
    const { shell, secret, profiles } = await shellWithSecret();
    const stop = new AbortController();
    const login = shell(`login ${url} ${options === '' ? '' : `${options} ${secret}`}`, { signal: stop.signal });
    await isAsked;
    stop.abort();
    expect(await login).toEqual({ code: 130, out: '', err: '' });
    await expect(readFile(profiles)).rejects.toThrow('ENOENT');
  });

  it('and logout ends at Ctrl-C, and forgets nothing then', async () => {
    const { isAsked, url } = await serviceOf((request) => request.startsWith('DELETE'));
    const { shell, secret, profiles } = await shellWithSecret();
    await shell(`login ${url} --username ada --password-file ${secret}`);
    const stop = new AbortController();
    const logout = shell('logout', { signal: stop.signal });
    await isAsked;
    stop.abort();
    expect(await logout).toEqual({ code: 130, out: '', err: '' });
    expect(await namesIn(profiles)).toEqual(['default']);
  });

  it('keeps the profiles of all who log in at the same time, and leaves nothing else behind', async () => {
    const { url } = await serviceOf();
    const { shell, secret, profiles } = await shellWithSecret();
    const names = Array.from({ length: 12 }, (_, index) => `p${index}`).sort();
    const logins = names.map((name) => shell(`login ${url} --profile ${name} --token-file ${secret}`));
    expect((await Promise.all(logins)).map(({ code }) => code)).toEqual(names.map(() => 0));
    expect(await namesIn(profiles)).toEqual(names);
    await Promise.all(names.slice(1).map((name) => shell(`logout --profile ${name}`)));
    expect(await namesIn(profiles)).toEqual(['p0']);
    expect((await readdir(shell.home)).sort()).toEqual(['client.json', 'secret']);
  });

  it('writes over nothing that somebody put beside the profiles', async () => {
    const { url } = await serviceOf();
    const { shell, secret, profiles } = await shellWithSecret();
    const victim = await shell.file('victim', 'as it was');
    await symlink(victim, `${profiles}.${process.pid}`);
    expect((await shell(`login ${url} --token-file ${secret}`)).code).toBe(0);
    expect(await readFile(victim, 'utf8')).toBe('as it was');
  });

  it('says what to do when another one never finished', async () => {
    const { url } = await serviceOf();
    const { shell, secret, profiles } = await shellWithSecret();
    await writeFile(`${profiles}.lock`, '');
    const login = await shell(`login ${url} --token-file ${secret}`);
    expect(login).toMatchObject({ code: 2, out: '' });
    expect(login.err).toContain(`if none is running, delete ${profiles}.lock`);
    expect(await readdir(shell.home)).toContain('client.json.lock');
  }, 20_000);
});

describe('an endpoint', () => {
  it.each([
    ['http://admin:pa55word@127.0.0.1:9', 'the endpoint holds a user name or a password'],
    ['http://pa55word@127.0.0.1:9', 'the endpoint holds a user name or a password'],
    ['http://127.0.0.1:9/?key=pa55word', 'the endpoint holds a query or a fragment'],
    ['http://127.0.0.1:9/#pa55word', 'the endpoint holds a query or a fragment'],
    ['admin:pa55word@127.0.0.1', '"…@127.0.0.1" is not an endpoint'],
    ['http://admin:pa55/word@127.0.0.1:x', '"…@127.0.0.1:x" is not an endpoint'],
  ])('%s is refused, and what is secret in it is not repeated', async (endpoint, words) => {
    const shell = await shellForTest();
    for (const ran of [
      await shell(`login ${endpoint}`),
      await shell(`whoami --endpoint ${endpoint}`),
      await shell('whoami', { env: { CORRAL_ENDPOINT: endpoint } }),
      await shell('export --json', { env: { HIL_ENDPOINT: endpoint } }),
    ]) {
      expect(ran).toMatchObject({ code: 2, out: '' });
      expect(ran.err).toContain(words);
      expect(ran.err).not.toContain('pa55');
    }
  });
});
