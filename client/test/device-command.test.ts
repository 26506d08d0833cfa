import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../../service/test/support/services/engines.ts';
import { sharedOidcFixture, startOidcFixture } from '../../service/test/support/identity/oidc-fixture.ts';
import { deviceEnv, enterCode, registerDevice } from '../../service/test/support/identity/oidc-device.ts';
import { serviceForTest } from '../../service/test/support/services/service.ts';
import { blocks, textOf } from './support/blocks.ts';
import { shellForTest } from './support/shell.ts';

/** Does something with the page that a login names, once. */
const atThePage = (work: (url: string) => unknown) => {
  let isSeen = false;
  return (text: string) => {
    const url = /Link that contains the code: (\S+)/.exec(text)?.[1];
    if (url === undefined || isSeen) return;
    isSeen = true;
    work(url);
  };
};

const hourMs = 3_600_000;

describe.each(engines)('corral login --device, on %s,', (engine) => {
  const site = sharedOidcFixture(engine, { ...deviceEnv, CORRAL_TOKENS_VOUCHED: '3600' });
  afterEach(() => site().oidc.behave());

  it('shows a code, waits until it was entered elsewhere, and keeps a token that is good for as long as it says', async () => {
    const { service, oidc } = site();
    registerDevice(site());
    oidc.user('ada', { groups: ['red'] });
    const shell = await shellForTest();
    const login = await shell(`login ${service.url} --device`, { hear: atThePage((url) => enterCode(url, 'ada')) });
    expect(login).toMatchObject({ code: 0 });
    expect(login.err).toMatch(
      new RegExp(`^To log in at ${service.url}, open [^]*\n {4}${oidc.issuer}/device\n[^]*\n {4}[A-Z]{4}-[A-Z]{4}\n`),
    );
    const [, until = ''] = /logged in as oidc:ada at \S+ until (\S+); profile default/.exec(login.out) ?? [];
    expect(Date.parse(until) - Date.now()).toBeLessThanOrEqual(hourMs);
    expect(Date.parse(until) - Date.now()).toBeGreaterThan(hourMs / 2);
    expect((await shell('whoami')).out).toMatch(
      new RegExp(`name +oidc:ada[^]*projects +red[^]*by +token\nuntil +${until}`),
    );

    const first = await readFile(join(shell.home, 'client.json'), 'utf8');
    const again = await shell(`login ${service.url} --device --json`, {
      hear: atThePage((url) => enterCode(url, 'ada')),
    });
    expect(JSON.parse(again.out)).toMatchObject({ name: 'oidc:ada', by: 'token', profile: 'default' });
    expect(await readFile(join(shell.home, 'client.json'), 'utf8')).not.toBe(first);
    expect(JSON.parse((await shell('token list --json')).out)).toHaveLength(1);
    expect((await shell('logout')).out).toContain('its token is revoked');
  });

  it('is refused when the person says no, and nothing is kept', async () => {
    registerDevice(site());
    const shell = await shellForTest();
    const login = await shell(`login ${site().service.url} --device`, {
      hear: atThePage((url) => enterCode(url, 'ada', 'no')),
    });
    expect(login).toMatchObject({ code: 1, out: '' });
    expect(login.err).toContain(`the login at ${site().oidc.issuer} was denied`);
    await expect(readFile(join(shell.home, 'client.json'))).rejects.toThrow('ENOENT');
  });

  it('ends when nobody enters the code in time', async () => {
    registerDevice(site());
    site().oidc.deviceCodesLast(2);
    const shell = await shellForTest();
    const login = await shell(`login ${site().service.url} --device`);
    site().oidc.deviceCodesLast(600);
    expect(login).toMatchObject({ code: 4, out: '' });
    expect(login.err).toContain('the code was not entered in time; start again');
  });

  it('ends at Ctrl-C', async () => {
    registerDevice(site());
    const stop = new AbortController();
    const shell = await shellForTest();
    const hear = atThePage(() => stop.abort());
    const login = await shell(`login ${site().service.url} --device`, { signal: stop.signal, hear });
    expect(login).toMatchObject({ code: 130, out: '' });
    expect(login.err).not.toContain('corral:');
  });

  it('says that the provider is not there, and who knows why', async () => {
    const { service, oidc } = site();
    await oidc.stop();
    const shell = await shellForTest();
    const login = await shell(`login ${service.url} --device`);
    await oidc.restart();
    expect(login).toMatchObject({ code: 3, out: '' });
    expect(login.err).toContain(
      `the identity provider ${oidc.issuer} cannot be reached\n${service.url} uses this identity provider`,
    );
  });
});

describe('corral login', () => {
  it('is as docs/cli.md shows it', async () => {
    const site = await startOidcFixture('sqlite', deviceEnv);
    onTestFinished(() => site.close());
    registerDevice(site);
    site.oidc.user('vera');
    const shell = await shellForTest();
    const shown = blocks(await textOf('docs/cli.md'), 'console')[1]?.split('\n') ?? [];
    const home = 'https://corral.example.org';
    const line = shown[0]?.replace('$ corral ', '').replace(home, site.service.url) ?? '';
    const { out, err } = await shell(line, { hear: atThePage((url) => enterCode(url, 'vera')) });
    const alike = (text: string): string =>
      text
        .replaceAll(/[A-Z]{4}-[A-Z]{4}/g, 'a code')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'some time')
        .replaceAll(site.service.url, home)
        .replaceAll(site.oidc.issuer, 'https://id.example.org')
        .replace(shell.home, '~/.config/corral');
    expect(alike(err + out)).toBe(alike(shown.slice(1).join('\n')));
  });

  it('says that a service takes no logins of devices, or no passwords', async () => {
    const passwords = await serviceForTest('sqlite');
    const shell = await shellForTest();
    const login = await shell(`login ${passwords.url} --device`);
    expect(login).toMatchObject({ code: 2, out: '' });
    expect(login.err).toContain(`${passwords.url} does not support login with --device: its operator has not set`);
    expect((await shell(`login ${passwords.url} --device --username ada`)).err).toContain('leave them out');

    const env = { CORRAL_AUTH: 'oidc', CORRAL_OIDC_ISSUER: 'https://id.example.org', CORRAL_OIDC_AUDIENCE: 'corral' };
    const people = await serviceForTest('sqlite', { ...env, ...deviceEnv });
    expect((await shell(`login ${people.url}`)).err).toContain(
      `${people.url} does not support passwords; log in with --token-file, or with --device`,
    );
  });
});
