import { hasPart } from '@corral/lab';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedChromium } from '../support/identity/chromium.ts';
import { expectNoComplaints, forgetRefusals, signIn, watchedPage } from '../support/pages.ts';
import { adminPassword, passwordOf } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { done, makeNetwork, makeNode, makeProject, makeUser, obmd, reserve } from '../support/services/world.ts';

const dialog = (page: Page) => page.getByRole('dialog');

const press = (page: Page, name: string): Promise<void> =>
  dialog(page).getByRole('button', { name, exact: true }).click();

/** The row of a table that is about something, and nothing more. */
const rowOf = (page: Page, table: string, name: string) =>
  page
    .getByRole('table', { name: table, exact: true })
    .getByRole('row')
    .filter({ has: page.getByRole('cell', { name, exact: true }) });

const choose = async (page: Page, of: string, action: string): Promise<void> => {
  await page.getByRole('button', { name: `Actions for ${of}`, exact: true }).click();
  await page.getByRole('menuitem', { name: action }).click();
};

describe.skipIf(!hasPart('Chromium'))('quotas in the browser', () => {
  const service = sharedService('sqlite');
  const newBrowser = sharedChromium();

  const signedIn = async (user: string, password: string, path: string) => {
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(`${service().url}${path}`);
    await signIn(page, user, password);
    return page;
  };

  beforeAll(async () => {
    for (const project of ['red', 'blue']) await makeProject(service(), project);
    for (const node of ['n1', 'n2']) await makeNode(service(), node);
    await done(service().admin.put('/node/g1', { obmd, metadata: { class: 'gpu' } }));
    await reserve(service(), 'red', 'n1');
    await reserve(service(), 'red', 'g1');
    await makeNetwork(service(), 'lab', 'red');
    // Of a network of others only they have one less.
    await done(service().admin.put('/network/lab/access/blue'));
    await makeUser(service(), 'rita', 'red');
    await makeUser(service(), 'nobody-yet');
  });

  it('an administrator limits every project and one of them, members see it at once, and it holds', async () => {
    const rita = await signedIn('rita', passwordOf('rita'), '/quotas');
    await rowOf(rita, 'Quotas of red', 'nodes').getByText('2 of any number').waitFor();
    await rita.getByText('corral quota list red').waitFor();
    expect(await rita.getByRole('button', { name: /limit|default/i }).count()).toBe(0);

    const admin = await signedIn('admin', adminPassword, '/quotas');
    await admin.getByText('There are no defaults').waitFor();
    await admin.getByRole('button', { name: 'Set default…' }).click();
    await dialog(admin).getByLabel('What', { exact: true }).selectOption('Networks');
    const set = dialog(admin).getByRole('button', { name: 'Set limit', exact: true });
    expect(await set.getAttribute('aria-disabled')).toBe('true');
    await dialog(admin).getByLabel('At most').fill('1');
    await dialog(admin).getByText('corral quota set networks 1', { exact: true }).waitFor();
    await press(admin, 'Set limit');
    await rowOf(admin, 'Defaults', 'networks').getByRole('cell', { name: '1', exact: true }).waitFor();
    await rowOf(admin, 'Use of quotas', 'red').getByText('1 of 1').waitFor();
    await rowOf(admin, 'Use of quotas', 'blue').getByText('0 of 1').waitFor();

    await admin.getByRole('link', { name: 'red', exact: true }).click();
    await admin.getByRole('button', { name: 'Set limit…' }).click();
    await dialog(admin).getByLabel('What', { exact: true }).selectOption('Nodes of a class');
    await dialog(admin).getByLabel('Class', { exact: true }).fill('g'.repeat(300));
    await dialog(admin).getByLabel('At most').fill('4');
    await press(admin, 'Set limit');
    await dialog(admin).getByRole('alert').getByText('This cannot be used').waitFor();
    forgetRefusals(admin);
    await dialog(admin).getByLabel('Class', { exact: true }).fill('gpu');
    await dialog(admin).getByText('corral quota set nodes 4 --project red --class gpu').waitFor();
    await press(admin, 'Set limit');
    await rowOf(admin, 'Quotas of red', 'nodes of class gpu').getByText('1 of 4').waitFor();
    await rowOf(admin, 'Quotas of red', 'nodes of class gpu').getByText('own').waitFor();
    await rowOf(admin, 'Quotas of red', 'networks').getByText('default').waitFor();
    // Its members hear of it without loading the page anew.
    await rowOf(rita, 'Quotas of red', 'nodes of class gpu').getByText('1 of 4').waitFor();
    await rowOf(rita, 'Quotas of red', 'networks').getByRole('cell', { name: '1 of 1 all used' }).waitFor();

    await choose(admin, 'nodes', 'Set limit…');
    await dialog(admin).getByLabel('At most').fill('1');
    await press(admin, 'Set limit');
    await rowOf(rita, 'Quotas of red', 'nodes').getByRole('cell', { name: '2 of 1 over the limit' }).waitFor();
    const refused = await service().as('rita').post('/project/red/connect_node', { node: 'n2' });
    expect(refused.text).toContain('project red has 2 of 1 nodes');

    await choose(admin, 'networks', 'Set limit…');
    await dialog(admin).getByLabel('Any number, also if there is a default').check();
    await dialog(admin).getByText('corral quota set networks none --project red').waitFor();
    await press(admin, 'Set limit');
    await rowOf(rita, 'Quotas of red', 'networks').getByText('1 of any number').waitFor();

    await choose(admin, 'nodes', 'Remove limit…');
    await dialog(admin).getByText('corral quota delete nodes --project red').waitFor();
    await press(admin, 'Remove limit');
    await rowOf(rita, 'Quotas of red', 'nodes').getByText('2 of any number').waitFor();
    // A node that leaves is no longer used.
    await done(service().admin.post('/project/red/detach_node', { node: 'g1' }));
    await rowOf(rita, 'Quotas of red', 'nodes of class gpu').getByText('0 of 4').waitFor();
    await rowOf(admin, 'Quotas of red', 'nodes of class gpu').getByText('0 of 4').waitFor();

    await admin.getByRole('link', { name: 'All projects' }).click();
    await choose(admin, 'the default of networks', 'Remove limit…');
    await press(admin, 'Remove limit');
    await admin.getByText('There are no defaults').waitFor();
    for (const page of [admin, rita]) expectNoComplaints(page);
  });

  it('the way leads there from projects and from the search; outside of every project there is nothing', async () => {
    const admin = await signedIn('admin', adminPassword, '/projects');
    await choose(admin, 'blue', 'Quotas');
    await rowOf(admin, 'Quotas of blue', 'headnodes').getByText('0 of any number').waitFor();
    await admin.goto(`${service().url}/quotas?project=no-such`);
    await admin.getByText('There is no project no-such').waitFor();
    forgetRefusals(admin);
    expectNoComplaints(admin);

    const alone = await signedIn('nobody-yet', passwordOf('nobody-yet'), '/');
    await alone.getByText('live', { exact: true }).waitFor();
    await alone.keyboard.press('Control+k');
    await alone.getByRole('combobox', { name: 'Search or jump to' }).fill('quota');
    await alone.keyboard.press('Enter');
    await alone.getByText('You are in no project').waitFor();
    expectNoComplaints(alone);
  });
});
