import { hasPart } from '@corral/lab';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedChromium } from '../support/identity/chromium.ts';
import { expectNoComplaints, forgetRefusals, signIn, watchedPage } from '../support/pages.ts';
import { adminPassword, passwordOf } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { makeProject, makeUser } from '../support/services/world.ts';

describe.skipIf(!hasPart('Chromium'))('the frame of the pages', () => {
  const service = sharedService('sqlite');
  const newBrowser = sharedChromium();

  beforeAll(async () => {
    for (const project of ['physics', 'genomics']) await makeProject(service(), project);
    await makeUser(service(), 'rita', 'physics');
  });

  it('an address of no page says so, with the way to all pages', async () => {
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(`${service().url}/nosuchpage/at-all`);
    await signIn(page, 'admin', adminPassword);
    await page.getByRole('heading', { name: 'There is no page here', level: 1 }).waitFor();
    expect(await page.getByRole('main').count()).toBe(1);
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Topology' }).click();
    await page.getByRole('heading', { name: 'Topology', level: 1 }).waitFor();
    forgetRefusals(page);
    expectNoComplaints(page);
  });

  it('a page whose scripts do not arrive says what to do, and is replaced when they do', async () => {
    const page = await watchedPage(await newBrowser(), service());
    await page.route('**/assets/*.js', (route) => route.abort());
    await page.goto(service().url);
    const line = page.getByRole('main').getByText('Loading… If this stays, reload the page.');
    await line.waitFor();
    await page.unroute('**/assets/*.js');
    await page.reload();
    await page.getByLabel('User').waitFor();
    expect(await line.count()).toBe(0);
  });

  it('projects are found by name: all of them by administrators, their own by tenants', async () => {
    const find = async (user: string, password: string, text: string) => {
      const page = await watchedPage(await newBrowser(), service());
      await page.goto(service().url);
      await signIn(page, user, password);
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search or jump to' }).fill(text);
      return { page, found: page.getByRole('option', { name: `project ${text}` }) };
    };
    const admin = await find('admin', adminPassword, 'genomics');
    await admin.found.click();
    await admin.page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
    await admin.page.getByRole('status').getByText('1 of 2').waitFor();
    expectNoComplaints(admin.page);

    const tenant = await find('rita', passwordOf('rita'), 'physics');
    await tenant.found.click();
    await expect
      .poll(() => new URL(tenant.page.url()).pathname + new URL(tenant.page.url()).search)
      .toBe('/nodes?project=physics');
    expectNoComplaints(tenant.page);
    const other = await find('rita', passwordOf('rita'), 'genomics');
    await other.page.getByText('Nothing has that name').waitFor();
    expect(await other.found.count()).toBe(0);
  });

  it('actions are found by what they do, and only by those who may', async () => {
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(service().url);
    await signIn(page, 'rita', passwordOf('rita'));
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search or jump to' });
    await field.fill('create a user');
    await page.getByText('Nothing has that name').waitFor();
    await field.fill('password');
    await page.getByRole('option', { name: 'action Change your password' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
    expectNoComplaints(page);
  });
});
