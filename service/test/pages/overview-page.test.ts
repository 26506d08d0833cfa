import { hasPart } from '@corral/lab';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedChromium } from '../support/identity/chromium.ts';
import { expectNoComplaints, signIn, watchedPage } from '../support/pages.ts';
import { adminPassword, passwordOf } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { done, makeNetwork, makeNode, makeProject, makeUser, reserve } from '../support/services/world.ts';

describe.skipIf(!hasPart('Chromium'))('the overview in the browser', () => {
  // A change has time to wait: nobody gives it up while the test looks.
  const service = sharedService('sqlite', { CORRAL_ENGINE_BUDGET: '600' });
  const newBrowser = sharedChromium();

  beforeAll(async () => {
    await makeProject(service(), 'red');
    await makeNetwork(service(), 'lab', 'red');
    for (const node of ['n1', 'n2']) await makeNode(service(), node, ['eth0']);
    await makeNode(service(), 'n3');
    await makeUser(service(), 'rita', 'red');
  });

  const open = async (user: string, password: string) => {
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(`${service().url}/`);
    await signIn(page, user, password);
    await page.getByText('live', { exact: true }).waitFor();
    return page;
  };
  const figure = (page: Page, words: string) => page.getByRole('main').getByRole('link', { name: words, exact: true });

  it('its figures follow what others do, and lead to the nodes that they count', async () => {
    const page = await open('rita', passwordOf('rita'));
    await figure(page, '3 free of 3 nodes').waitFor();
    await reserve(service(), 'red', 'n1');
    await figure(page, '2 free of 3 nodes').waitFor();
    await figure(page, '1 in your projects').waitFor();
    await figure(page, '1 reserved in all').click();
    await expect
      .poll(() => page.getByRole('table', { name: 'Nodes' }).getByRole('link').allInnerTexts())
      .toEqual(['n1']);
    expect(new URL(page.url()).search).toBe('?show=used');
    await page.goBack();
    await done(service().admin.post('/project/red/detach_node', { node: 'n1' }));
    await figure(page, '3 free of 3 nodes').waitFor();
    expectNoComplaints(page);
  });

  it('a change that waits is there with what it is, whose, and why, until it is done', async () => {
    await reserve(service(), 'red', 'n2');
    const [admin, rita] = [await open('admin', adminPassword), await open('rita', passwordOf('rita'))];
    await admin.getByText('Nothing waits for a switch').waitFor();
    await figure(admin, '0 changing their networks').waitFor();
    service().simulated('sw0').faults = { unreachable: true };
    await done(service().admin.post('/node/n2/nic/eth0/connect_network', { network: 'lab' }));
    const waiting = (page: Page) => page.getByRole('list', { name: 'Changes in flight' }).getByRole('listitem');
    await waiting(admin)
      .filter({ hasText: /connect\s*n2\s*eth0\s*to\s*lab\s*project red\s*sw0 does not answer/ })
      .waitFor();
    // Which switch it is, is not for tenants.
    await waiting(rita).filter({ hasText: 'its switch does not answer' }).waitFor();
    expect(await waiting(rita).innerText()).not.toContain('sw0');
    await figure(admin, '1 changing their networks').click();
    await expect
      .poll(() => admin.getByRole('table', { name: 'Nodes' }).getByRole('link', { name: 'n2' }).count())
      .toBe(1);
    await admin.goBack();
    await admin
      .getByRole('main')
      .getByRole('link', { name: /^0 \/ 1 switches answering/ })
      .click();
    await admin.getByRole('table', { name: 'Switches' }).getByRole('link', { name: 'sw0' }).waitFor();
    expect(new URL(admin.url()).search).toBe('?show=silent');
    await admin.goBack();
    service().simulated('sw0').faults = {};
    for (const page of [admin, rita]) await page.getByText('Nothing waits for a switch').waitFor();
    await figure(admin, '0 changing their networks').waitFor();
    for (const page of [admin, rita]) expectNoComplaints(page);
  });
});
