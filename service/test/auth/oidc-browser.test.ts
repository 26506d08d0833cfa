import { hasPart, oidcPasswordOf } from '@corral/lab';
import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sharedChromium } from '../support/identity/chromium.ts';
import { engines } from '../support/services/engines.ts';
import { sharedOidcFixture } from '../support/identity/oidc-fixture.ts';
import { addressOf, loginEnv, registerClient } from '../support/identity/oidc-browser-login.ts';
import { makeProject } from '../support/services/world.ts';

describe.skipIf(!hasPart('Chromium')).each(engines)('logging in with a browser, on %s', (engine) => {
  const installation = sharedOidcFixture(engine, loginEnv);
  const newBrowser = sharedChromium();
  const home = () => addressOf(installation());
  const loginPage = (returnTo: string) => `${home()}/auth/oidc/login?return_to=${encodeURIComponent(returnTo)}`;

  const fillIn = async (page: Page, user: string): Promise<void> => {
    await page.getByLabel('User').fill(user);
    await page.getByLabel('Password').fill(oidcPasswordOf(user));
    await page.getByRole('button', { name: 'Log in' }).click();
  };
  const whoami = async (page: Page): Promise<unknown> => JSON.parse(await page.locator('pre').innerText());
  const complaintsOf = (page: Page): string[] => {
    const complaints: string[] = [];
    // Browsers ask every site for an icon; that there is none is no complaint.
    const isComplaint = (text: string) => !/^Failed to load resource.*404/.test(text);
    page.on('console', (line) => {
      if (line.type() === 'error' && isComplaint(line.text())) complaints.push(line.text());
    });
    page.on('pageerror', (error) => void complaints.push(error.message));
    return complaints;
  };
  const signOut = (browser: BrowserContext) =>
    browser.request.delete(`${home()}/v0/auth/session`, { headers: { origin: home() } });

  it('from the first page to the one that was asked for, through the provider on another site, and out again', async () => {
    registerClient(installation());
    await makeProject(installation().service, 'red');
    installation().oidc.user('ada', { preferred_username: 'ada', groups: ['red'] });
    const browser = await newBrowser();
    const page = await browser.newPage();
    const complaints = complaintsOf(page);
    await page.goto(loginPage('/v0/auth/whoami'));
    expect(new URL(page.url()).origin).toBe(installation().oidc.issuer);
    await fillIn(page, 'ada');
    await page.waitForURL('**/v0/auth/whoami');
    expect(await whoami(page)).toMatchObject({ name: 'oidc:ada', admin: false, projects: ['red'], by: 'session' });
    expect(complaints).toEqual([]);

    const cookies = await browser.cookies(home());
    expect(cookies).toEqual([
      expect.objectContaining({ name: 'corral_session', httpOnly: true, sameSite: 'Strict', path: '/' }),
    ]);
    expect((await signOut(browser)).status()).toBe(200);
    expect(await browser.cookies(home())).toEqual([]);
    expect((await browser.request.get(`${home()}/v0/auth/whoami`)).status()).toBe(401);
  });

  it('the session does not go along when another site sends the browser here', async () => {
    registerClient(installation());
    installation().oidc.user('strict');
    const browser = await newBrowser();
    const page = await browser.newPage();
    await page.goto(loginPage('/v0/auth/whoami'));
    await fillIn(page, 'strict');
    await page.waitForURL('**/v0/auth/whoami');
    const elsewhere = 'http://elsewhere.invalid/';
    const body = `<a href="${home()}/v0/auth/whoami">look</a>`;
    await page.route(elsewhere, (route) => route.fulfill({ contentType: 'text/html', body }));
    await page.goto(elsewhere);
    const answer = page.waitForResponse('**/v0/auth/whoami');
    await page.getByRole('link').click();
    expect((await answer).status()).toBe(401);
    expect(await browser.cookies(home())).toHaveLength(1);
  });

  it('a user who cancels sees a page that says so, and can start again from it', async () => {
    registerClient(installation());
    installation().oidc.user('second', { preferred_username: 'second thoughts' });
    const page = await (await newBrowser()).newPage();
    await page.goto(loginPage('/v0/auth/whoami'));
    const answer = page.waitForResponse((response) => response.url().includes('/auth/oidc/callback'));
    await page.getByRole('link', { name: 'Cancel' }).click();
    expect((await answer).status()).toBe(403);
    await page.getByRole('heading', { name: 'Not signed in' }).waitFor();
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await fillIn(page, 'second');
    await page.waitForURL(`${home()}/`);
    await page.goto(`${home()}/v0/auth/whoami`);
    expect(await whoami(page)).toMatchObject({ name: 'oidc:second thoughts' });
  });

  it('the way back cannot be gone twice, nor by the back button', async () => {
    registerClient(installation());
    installation().oidc.user('twice');
    const page = await (await newBrowser()).newPage();
    await page.goto(loginPage('/v0/auth/whoami'));
    const answer = page.waitForResponse((response) => response.url().includes('/auth/oidc/callback'));
    await fillIn(page, 'twice');
    const back = (await answer).url();
    await page.waitForURL('**/v0/auth/whoami');
    expect((await page.goto(back))?.status()).toBe(400);
    await page.getByRole('heading', { name: 'This sign-in cannot be finished' }).waitFor();
    await page.goto(`${home()}/v0/auth/whoami`);
    expect(await whoami(page)).toMatchObject({ name: 'oidc:twice' });
  });
});
