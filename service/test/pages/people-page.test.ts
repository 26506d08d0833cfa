import { hasPart } from '@corral/lab';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedChromium } from '../support/identity/chromium.ts';
import { expectNoComplaints, forgetRefusals, signIn, watchedPage } from '../support/pages.ts';
import { adminPassword, passwordOf } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { makeNode, makeProject, makeUser, reserve } from '../support/services/world.ts';

/** The dialog that is open. */
const dialog = (page: Page) => page.getByRole('dialog');

/** Presses a button of it. */
const press = (page: Page, name: string): Promise<void> =>
  dialog(page).getByRole('button', { name, exact: true }).click();

/** The same twice, before the request that it makes is answered. */
const pressTwice = async (page: Page, name: string, path: string): Promise<void> => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(path, async (route) => {
    await released;
    await route.continue();
  });
  await dialog(page).getByRole('button', { name, exact: true }).dblclick();
  release();
};

/** Opens a page by its name. */
const open = (page: Page, name: string): Promise<void> =>
  page
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('link', { name: new RegExp(`^${name}`) })
    .click();

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

const choose = async (page: Page, row: string, action: string): Promise<void> => {
  await page.getByRole('button', { name: `Actions for ${row}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
};

describe.skipIf(!hasPart('Chromium'))('people in the browser', () => {
  const service = sharedService('sqlite');
  const newBrowser = sharedChromium();

  /** A page of a browser of its own, signed in. */
  const signedIn = async (user: string, password: string, path = '/') => {
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(`${service().url}${path}`);
    await signIn(page, user, password);
    return page;
  };

  beforeAll(async () => {
    await makeProject(service(), 'red');
    await makeNode(service(), 'n1');
    await reserve(service(), 'red', 'n1');
    await makeUser(service(), 'rita', 'red');
  });

  it('a project and a user in it are made by clicking alone; the user has an account of their own', async () => {
    const admin = await signedIn('admin', adminPassword);
    await open(admin, 'Projects');
    await admin.getByRole('button', { name: 'Create project…' }).click();
    await dialog(admin).getByLabel('Name', { exact: true }).fill('blue');
    await dialog(admin).getByText('corral project create blue').waitFor();
    await press(admin, 'Create project');
    await rowOf(admin, 'blue').getByText('nobody').waitFor();

    await open(admin, 'Users');
    await admin.getByRole('button', { name: 'Create user…' }).click();
    await dialog(admin).getByLabel('Name', { exact: true }).fill('bert');
    await dialog(admin).getByLabel('First password').fill('first of bert');
    await dialog(admin).getByLabel('In project').selectOption('blue');
    await dialog(admin).getByText('corral user create bert && corral user project add bert blue').waitFor();
    await press(admin, 'Create user');
    await rowOf(admin, 'bert').getByText('blue').waitFor();

    const bert = await signedIn('bert', 'first of bert');
    await bert.getByRole('button', { name: 'bert' }).click();
    await bert.getByRole('menuitem', { name: 'Account' }).click();
    await bert.getByRole('heading', { name: 'Account' }).waitFor();

    // A wrong one is refused beside its field, and is not the end of the session.
    await bert.getByLabel('Current password').fill('a wrong one');
    await bert.getByLabel('New password', { exact: true }).fill('second of bert');
    await bert.getByLabel('New password again').fill('second of bert');
    await bert.getByRole('button', { name: 'Change password' }).click();
    await bert.getByText('This is not your current password').waitFor();
    forgetRefusals(bert);
    await bert.getByLabel('Current password').fill('first of bert');
    await bert.getByRole('button', { name: 'Change password' }).click();
    await bert.getByText('Your password is changed').waitFor();
    expect(await bert.getByRole('heading', { name: 'Your session has ended' }).count()).toBe(0);

    await bert.getByRole('button', { name: 'Create token…' }).click();
    await dialog(bert).getByLabel('Name', { exact: true }).fill('ci');
    await dialog(bert).getByLabel('Lasts how many days').fill('30');
    await dialog(bert).getByLabel('For project').selectOption('blue');
    await dialog(bert).getByLabel('Only for reading').check();
    await dialog(bert).getByText('corral token create ci --days 30 --project blue --read-only').waitFor();
    await press(bert, 'Create token');
    await dialog(bert).getByRole('heading', { name: 'Token ci is made' }).waitFor();
    const secret = await dialog(bert).locator('code').last().innerText();
    const byToken = () => fetch(`${service().url}/v0/auth/whoami`, { headers: { authorization: `Bearer ${secret}` } });
    const answer = await byToken();
    expect(await answer.json()).toMatchObject({ name: 'bert', projects: ['blue'], by: 'token', read_only: true });
    await press(bert, 'I have stored it');
    await rowOf(bert, 'ci').getByText('only read').waitFor();
    expect(await bert.content()).not.toContain(secret);
    await bert.getByRole('button', { name: 'Revoke ci…' }).click();
    await press(bert, 'Revoke token');
    await bert.getByText('You have no tokens').waitFor();
    expect((await byToken()).status).toBe(401);

    const elsewhere = await signedIn('bert', 'second of bert');
    await elsewhere.getByText('live', { exact: true }).waitFor();
    // No event tells a user of their own sessions: they are read when the page is opened.
    await open(bert, 'Overview');
    await bert.goBack();
    await bert.getByRole('button', { name: /^End the session of / }).click();
    await press(bert, 'End session');
    await elsewhere.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    await expect.poll(() => bert.getByRole('table', { name: 'Sessions' }).getByRole('row').count()).toBe(2);
    await rowOf(bert, 'this one').waitFor();
    for (const page of [admin, bert]) expectNoComplaints(page);
  });

  it('a form says its rules, forgets a refusal with what was refused, and sends one request for two clicks', async () => {
    await makeProject(service(), 'green');
    const admin = await signedIn('admin', adminPassword, '/users');
    await admin.getByRole('button', { name: 'Create user…' }).click();
    await dialog(admin).getByLabel('Name', { exact: true }).fill('ugo');
    await dialog(admin).getByText('8 to 1024 characters. They change it').waitFor();
    await dialog(admin).getByLabel('First password').fill('abc');
    await admin.keyboard.press('Tab');
    await dialog(admin).getByRole('alert').getByText('A password has 8 to 1024 characters').waitFor();
    const create = dialog(admin).getByRole('button', { name: 'Create user', exact: true });
    expect(await create.getAttribute('aria-disabled')).toBe('true');
    await press(admin, 'Cancel');

    await open(admin, 'Projects');
    await admin.getByRole('button', { name: 'Create project…' }).click();
    const name = dialog(admin).getByLabel('Name', { exact: true });
    const asked: string[] = [];
    admin.on('request', (request) => asked.push(request.url()));
    await name.fill('a/b');
    await name.press('Enter');
    await dialog(admin)
      .getByRole('alert')
      .getByText(/^This name cannot be used: expected 1 to 255/)
      .waitFor();
    await name.fill('admin');
    await dialog(admin).getByRole('alert').getByText('not "admin", which means the operator').waitFor();
    expect(asked.filter((url) => url.includes('/project/'))).toEqual([]);
    await name.fill('yellow');
    await expect.poll(() => dialog(admin).getByRole('alert').count()).toBe(0);
    const sent: string[] = [];
    admin.on('request', (request) => {
      if (request.method() === 'PUT') sent.push(new URL(request.url()).pathname);
    });
    await pressTwice(admin, 'Create project', '**/v0/project/yellow');
    await rowOf(admin, 'yellow').getByText('nobody').waitFor();

    // Of several projects none is chosen before somebody does.
    await open(admin, 'Networks');
    await admin.getByRole('button', { name: 'Create a network…' }).click();
    await dialog(admin).getByLabel('Name', { exact: true }).fill('sky');
    expect(await dialog(admin).getByLabel('Owner', { exact: true }).inputValue()).toBe('');
    const createSky = dialog(admin).getByRole('button', { name: 'Create sky', exact: true });
    expect(await createSky.getAttribute('aria-disabled')).toBe('true');
    await dialog(admin).getByLabel('Owner', { exact: true }).selectOption('green');
    expect(await dialog(admin).getByLabel('Who may use it').inputValue()).toBe('green');
    await pressTwice(admin, 'Create sky', '**/v0/network/sky');
    await admin.getByRole('heading', { name: 'sky' }).waitFor();
    expect(sent).toEqual(['/v0/project/yellow', '/v0/network/sky']);
    forgetRefusals(admin);
    expectNoComplaints(admin);
  });

  it('a button that says why it cannot be pressed is the same one when it can: no press is lost', async () => {
    const page = await signedIn('admin', adminPassword, '/projects');
    await page.getByRole('button', { name: 'Create project…' }).click();
    const create = dialog(page).getByRole('button', { name: 'Create project', exact: true });
    await create.hover();
    await page.getByText('Give it a name first').waitFor();
    await page.mouse.down();
    await dialog(page).getByLabel('Name', { exact: true }).fill('violet');
    await expect.poll(() => create.getAttribute('aria-disabled')).toBe(null);
    await page.mouse.up();
    await rowOf(page, 'violet').waitFor();
    expectNoComplaints(page);
  });

  it('an administrator changes what others may do, and reads why not', async () => {
    await makeUser(service(), 'otto');
    const admin = await signedIn('admin', adminPassword, '/users');
    await choose(admin, 'otto', 'Projects…');
    await dialog(admin).getByLabel('Add to project').selectOption('red');
    await press(admin, 'Add');
    await press(admin, 'Remove red…');
    await dialog(admin).getByText('corral user project remove otto red').waitFor();
    await press(admin, 'Remove otto');
    await dialog(admin).getByText('In no project.').waitFor();
    await press(admin, 'Close');

    await choose(admin, 'otto', 'Give administrative access…');
    await press(admin, 'Give access');
    await rowOf(admin, 'otto').getByText('administrator').waitFor();
    await admin.getByRole('button', { name: 'Actions for admin' }).click();
    const own = admin.getByRole('menuitem', { name: 'Take administrative access…' });
    expect(await own.getAttribute('aria-disabled')).toBe('true');
    expect(await own.innerText()).toContain('You cannot change your own admin status');
    await admin.keyboard.press('Escape');

    await choose(admin, 'otto', 'Set password…');
    await dialog(admin).getByLabel('New password').fill('short');
    await admin.keyboard.press('Enter');
    await dialog(admin).getByRole('alert').getByText('8 to 1024 characters').waitFor();
    await dialog(admin).getByLabel('New password').fill('another of otto');
    await press(admin, 'Set password');
    await dialog(admin).waitFor({ state: 'hidden' });
    const otto = await signedIn('otto', 'another of otto');
    await choose(admin, 'otto', 'Delete…');
    await press(admin, 'Delete otto');
    await rowOf(admin, 'otto').waitFor({ state: 'hidden' });
    await otto.getByRole('heading', { name: 'Your session has ended' }).waitFor();

    await open(admin, 'Projects');
    await choose(admin, 'red', 'Delete…');
    await press(admin, 'Delete red');
    await dialog(admin).getByText('Project red still has node n1; detach it first').waitFor();
    await press(admin, 'Cancel');
    await choose(admin, 'red', 'Members…');
    await dialog(admin).getByRole('button', { name: 'Remove rita…' }).waitFor();
    await press(admin, 'Close');
    await admin.getByRole('link', { name: '1 nodes of red' }).click();
    await admin.getByRole('table', { name: 'Nodes' }).getByRole('link', { name: 'n1' }).waitFor();
  });

  it('a tenant is not offered projects and users, and gets the reason at their addresses', async () => {
    const page = await signedIn('rita', passwordOf('rita'));
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    await links.filter({ hasText: 'Events' }).waitFor();
    expect(await links.filter({ hasText: /Projects|Users/ }).count()).toBe(0);
    for (const path of ['/projects', '/users', '/switches', '/switches/sw0']) {
      await page.goto(`${service().url}${path}`);
      await page.getByText('You may not see this').waitFor();
      await page.getByText('This page needs administrative access, which rita does not have.').waitFor();
      expect(await page.getByRole('button', { name: /Create/ }).count()).toBe(0);
    }
    expectNoComplaints(page);
    // A refusal by the service itself is no end of the session either.
    await makeProject(service(), 'ultramarine');
    await makeNode(service(), 'of-others');
    await reserve(service(), 'ultramarine', 'of-others');
    await page.goto(`${service().url}/nodes/of-others`);
    await page.getByText('You may not see this').waitFor();
    expect(await page.getByRole('heading', { name: 'Your session has ended' }).count()).toBe(0);
  });
});
