import { hasPart } from '@corral/lab';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeHeadnode } from '../support/headnodes/headnode-helpers.ts';
import { sharedChromium } from '../support/identity/chromium.ts';
import { expectNoComplaints, forgetRefusals, signIn, watchedPage } from '../support/pages.ts';
import { adminPassword, passwordOf, serviceForTest, type Service } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { done, makeNetwork, makeProject, makeUser } from '../support/services/world.ts';

describe.skipIf(!hasPart('Chromium'))('headnodes in the browser', () => {
  const service = sharedService('sqlite');
  const newBrowser = sharedChromium();

  beforeAll(async () => {
    for (const project of ['red', 'blue']) await makeProject(service(), project);
    await makeUser(service(), 'rita', 'red');
    await makeUser(service(), 'bob', 'blue');
    await makeNetwork(service(), 'red-lab', 'red');
    await done(service().admin.put('/network/red-lab/access/blue'));
    await done(service().admin.put('/network/fixed', { owner: 'admin', access: '', net_id: '1234' }));
  });

  const open = async (user: string, path: string, of: Service = service()) => {
    const page = await watchedPage(await newBrowser(), of);
    await page.goto(`${of.url}${path}`);
    await signIn(page, user, user === 'admin' ? adminPassword : passwordOf(user));
    return page;
  };

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const state = (page: Page) => page.getByRole('status', { name: 'State' });
  const hnics = (page: Page) => page.getByRole('table', { name: 'Hnics' });
  const headnodes = (page: Page) => page.getByRole('table', { name: 'Headnodes' }).locator('a[href^="/headnodes/"]');
  /** Presses a button, and the one of the question that it asks. */
  const answer = async (page: Page, name: string, verb: string, command: string): Promise<void> => {
    await button(page, name).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(command, { exact: true }).waitFor();
    await dialog.getByRole('button', { name: verb, exact: true }).click();
  };
  const closed = (page: Page) => page.getByRole('dialog').waitFor({ state: 'hidden' });

  it('a tenant creates one, puts it on a network, starts, stops and deletes it; refusals are the service’s', async () => {
    await makeHeadnode(service(), 'taken', 'red');
    const page = await open('rita', '/headnodes');
    const dialog = page.getByRole('dialog');
    await button(page, 'Create a headnode…').click();
    await dialog.getByLabel('Name', { exact: true }).fill('taken');
    await button(page, 'Create taken').click();
    await dialog.getByRole('alert').getByText('Headnode taken already exists').waitFor();
    await dialog.getByLabel('Name', { exact: true }).fill('engine');
    await dialog.getByText('corral headnode create engine red base', { exact: true }).waitFor();
    await button(page, 'Create engine').click();
    await page.getByRole('heading', { name: 'engine' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/headnodes/engine');
    expect(await state(page).innerText()).toBe('not started yet');

    for (const hnic of ['eth0', 'eth1']) {
      await button(page, 'Add an hnic…').click();
      await dialog.getByText(`corral headnode nic create engine ${hnic}`, { exact: true }).waitFor();
      await dialog.getByRole('button', { name: `Add ${hnic}` }).click();
      await hnics(page).getByText(hnic, { exact: true }).waitFor();
      await closed(page);
    }
    await answer(page, 'Remove eth1', 'Remove eth1', 'corral headnode nic delete engine eth1');
    await hnics(page).getByText('eth1', { exact: true }).waitFor({ state: 'hidden' });
    await closed(page);

    await button(page, 'Connect eth0').click();
    await dialog.getByLabel('Network', { exact: true }).selectOption('fixed');
    await dialog.getByRole('button', { name: 'Connect to fixed' }).click();
    await dialog
      .getByRole('alert')
      .getByText('Network fixed has an id that an administrator assigned; headnodes attach only to networks')
      .waitFor();
    await dialog.getByLabel('Network', { exact: true }).selectOption('red-lab');
    await dialog.getByText('corral headnode network connect engine eth0 red-lab', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Connect to red-lab' }).click();
    await hnics(page).getByRole('link', { name: 'red-lab' }).waitFor();
    await closed(page);
    const words = 'Detach eth0 from red-lab';
    await answer(page, words, words, 'corral headnode network detach engine eth0');
    await button(page, 'Connect eth0').waitFor();
    await closed(page);

    await answer(page, 'Start', 'Start', 'corral headnode start engine');
    await expect.poll(() => state(page).innerText()).toBe('running');
    await closed(page);
    // What cannot be done any more says why, in the service's words.
    await button(page, 'Add an hnic…').hover();
    await page.getByText('headnode engine has already been started; it can only be deleted').waitFor();
    expect(await button(page, 'Connect eth0').getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('link', { name: 'Screen' }).waitFor();

    await answer(page, 'Stop', 'Stop', 'corral headnode stop engine');
    await expect.poll(() => state(page).innerText()).toBe('stopped');
    await closed(page);
    await button(page, 'Start').hover();
    await page.getByText('headnode engine was stopped and cannot be started again').waitFor();
    await answer(page, 'Delete…', 'Delete engine', 'corral headnode delete engine');
    await expect.poll(() => headnodes(page).allInnerTexts()).toEqual(['taken']);
    forgetRefusals(page);
    expectNoComplaints(page);
  });

  it('what others do appears by itself, on the list and on the page of one', async () => {
    const { admin } = service();
    const list = await open('admin', '/headnodes?q=live-');
    await list.getByText('No headnode fits').waitFor();
    await makeHeadnode(service(), 'live-1', 'red', ['eth0']);
    await list.getByRole('link', { name: 'live-1' }).click();
    await expect.poll(() => state(list).innerText()).toBe('not started yet');
    await done(admin.post('/headnode/live-1/hnic/eth0/connect_network', { network: 'red-lab' }));
    await hnics(list).getByRole('link', { name: 'red-lab' }).waitFor();
    await done(admin.post('/headnode/live-1/start'));
    await expect.poll(() => state(list).innerText()).toBe('running');
    await list.getByRole('list', { name: 'History' }).getByText('started').waitFor();
    await done(admin.post('/headnode/live-1/stop'));
    await expect.poll(() => state(list).innerText()).toBe('stopped');
    await done(admin.del('/headnode/live-1'));
    await list.getByText('Headnode live-1 does not exist, or you may not see it').waitFor();
    expectNoComplaints(list);
  });

  it('a tenant sees none of others, not on a network that both use and in no answer', async () => {
    await makeHeadnode(service(), 'crimson', 'red', ['eth0']);
    await done(service().admin.post('/headnode/crimson/hnic/eth0/connect_network', { network: 'red-lab' }));
    await makeHeadnode(service(), 'azure', 'blue', ['eth0']);
    await done(service().admin.post('/headnode/azure/hnic/eth0/connect_network', { network: 'red-lab' }));
    const page = await watchedPage(await newBrowser(), service());
    const answers: string[] = [];
    page.on('response', (response) => {
      if (/\/v0\/(?!.*stream)/.test(response.url()))
        void response.text().then(
          (text) => answers.push(text),
          () => undefined,
        );
    });
    await page.goto(`${service().url}/headnodes`);
    await signIn(page, 'bob', passwordOf('bob'));
    await expect.poll(() => headnodes(page).allInnerTexts()).toEqual(['azure']);
    await page.getByRole('link', { name: 'Networks' }).click();
    await page.getByRole('link', { name: 'red-lab' }).click();
    const onIt = page.getByRole('list', { name: 'Headnodes on it' });
    await onIt.getByRole('link', { name: 'azure' }).waitFor();
    await page.getByText('Nothing is on it').waitFor();
    expect(await onIt.getByRole('link').allInnerTexts()).toEqual(['azure']);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('headnode');
    await page.getByRole('option', { name: 'headnode azure' }).waitFor();
    await page.getByRole('combobox').fill('crimson');
    await page.getByText('Nothing has that name').waitFor();
    await page.goto(`${service().url}/headnodes/crimson/screen`);
    await page.getByText('Headnode crimson does not exist, or you may not see it').waitFor();
    expect(answers.some((text) => text.includes('azure'))).toBe(true);
    expect(answers.filter((text) => text.includes('crimson'))).toEqual([]);
    expectNoComplaints(page);
  });

  it('a service without a hypervisor says why none can be made', async () => {
    const bare = await serviceForTest('sqlite', { CORRAL_HYPERVISOR: 'none' });
    await makeProject(bare, 'red');
    await makeUser(bare, 'rita', 'red');
    const page = await open('rita', '/headnodes', bare);
    await page.getByText('No headnode can be created here: no image is installed').waitFor();
    expect(await button(page, 'Create a headnode…').getAttribute('aria-disabled')).toBe('true');
    expectNoComplaints(page);
  });
});
