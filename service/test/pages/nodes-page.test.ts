import { hasPart } from '@corral/lab';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedChromium } from '../support/identity/chromium.ts';
import { expectNoComplaints, signIn, watchedPage } from '../support/pages.ts';
import { passwordOf } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { connect, done, makeNetwork, makeNode, makeProject, makeUser, reserve } from '../support/services/world.ts';

describe.skipIf(!hasPart('Chromium'))('nodes in the browser', () => {
  const service = sharedService('sqlite');
  const newBrowser = sharedChromium();

  beforeAll(async () => {
    for (const project of ['red', 'ultramarine']) await makeProject(service(), project);
    for (const node of ['n1', 'n2', 'n10']) await makeNode(service(), node, ['eth0']);
    await makeNode(service(), 'others-node');
    await reserve(service(), 'ultramarine', 'others-node');
    await makeUser(service(), 'rita', 'red');
  });

  it('are reserved, and a change of somebody else appears by itself; others’ things are not in any answer', async () => {
    const page = await watchedPage(await newBrowser(), service());
    const answers: string[] = [];
    page.on('response', (response) => {
      if (/\/v0\/(?!.*stream)/.test(response.url()))
        void response.text().then(
          (text) => answers.push(text),
          () => undefined,
        );
    });
    await page.goto(`${service().url}/nodes?show=free`);
    await signIn(page, 'rita', passwordOf('rita'));
    // Where the person was going.
    await page.getByRole('heading', { name: 'Nodes' }).waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    const names = page.getByRole('table', { name: 'Nodes' }).getByRole('link');
    await expect.poll(() => names.allInnerTexts()).toEqual(['n1', 'n2', 'n10']);
    await page.getByLabel('Choose n2').check();
    await page.getByRole('button', { name: 'Reserve for red' }).click();
    await page.getByRole('listitem').filter({ hasText: 'n2' }).getByText('done').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => names.allInnerTexts()).toEqual(['n1', 'n10']);
    await service().admin.post('/project/red/detach_node', { node: 'n2' });
    await expect.poll(() => names.allInnerTexts()).toEqual(['n1', 'n2', 'n10']);
    // Of what others do with free nodes there is only a hint.
    await reserve(service(), 'ultramarine', 'n10');
    await expect.poll(() => names.allInnerTexts()).toEqual(['n1', 'n2']);
    expect(answers.length).toBeGreaterThan(5);
    expect(answers.filter((text) => text.includes('ultramarine'))).toEqual([]);
    expectNoComplaints(page);
  });

  it('are grouped with counts, found by a MAC address without its colons, and shown in chosen columns', async () => {
    for (const [node, rack] of [
      ['g1', 'r2'],
      ['g2', 'r10'],
      ['g3', 'r2'],
    ] as const) {
      await makeNode(service(), node);
      await done(service().admin.put(`/node/${node}/metadata/rack`, { value: rack }));
    }
    await done(service().admin.put('/node/g2/nic/eth0', { macaddr: '52:54:00:aa:bb:cc' }));
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(`${service().url}/nodes?q=g`);
    await signIn(page, 'rita', passwordOf('rita'));
    const table = page.getByRole('table', { name: 'Nodes' });
    const names = table.getByRole('link');
    const filter = page.getByLabel('Name, MAC address, metadata');
    await filter.fill('rack=r');
    await page.getByLabel('Group by').selectOption('rack');
    const groups = table.getByRole('button', { expanded: true });
    await expect.poll(() => groups.allInnerTexts()).toEqual(['rack r2\n2', 'rack r10\n1']);
    expect(await names.allInnerTexts()).toEqual(['g1', 'g3', 'g2']);
    await table.getByRole('button', { name: 'rack r2 2' }).click();
    await expect.poll(() => names.allInnerTexts()).toEqual(['g2']);
    // Grouping is in the address; what is in it is heard of by itself.
    expect(new URL(page.url()).searchParams.get('group')).toBe('metadata.rack');
    await done(service().admin.put('/node/g3/metadata/rack', { value: 'r10' }));
    await table.getByRole('button', { name: 'rack r10 2' }).waitFor();
    await filter.fill('525400AABB');
    await expect.poll(() => names.allInnerTexts()).toEqual(['g2']);

    const headings = table.getByRole('columnheader').filter({ hasText: /\w/ });
    expect(await headings.allInnerTexts()).not.toContain('MAC addresses');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'MAC addresses' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Networks' }).click();
    await page.keyboard.press('Escape');
    await table.getByText('52:54:00:aa:bb:cc').waitFor();
    await page.reload();
    await table.getByText('52:54:00:aa:bb:cc').waitFor();
    expect(await headings.allInnerTexts()).not.toContain('Networks');
    expectNoComplaints(page);
  });

  it('are released together after a question, which begins with the answer that does nothing', async () => {
    await makeNode(service(), 'r1');
    await makeNode(service(), 'r2', ['eth0'], 'sw-r');
    for (const node of ['r1', 'r2']) await reserve(service(), 'red', node);
    await makeNetwork(service(), 'r-net', 'red');
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(`${service().url}/nodes?show=mine&q=r`);
    await signIn(page, 'rita', passwordOf('rita'));
    const dialog = page.getByRole('dialog');
    const names = page.getByRole('table', { name: 'Nodes' }).getByRole('link');
    const ask = () => page.getByRole('button', { name: 'Release…' }).click();
    for (const node of ['r1', 'r2']) await page.getByLabel(`Choose ${node}`, { exact: true }).check();
    await ask();
    await dialog.getByText('r1, r2').waitFor();
    await dialog.getByText('corral release r1 r2').waitFor();
    await dialog.locator(':focus').filter({ hasText: 'Cancel' }).waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    expect(await names.allInnerTexts()).toEqual(['r1', 'r2']);
    await ask();
    // One of them cannot leave before its switch answers; this does not keep the other.
    await connect(service(), 'r2', 'eth0', 'r-net');
    service().simulated('sw-r').faults = { unreachable: true };
    await dialog.getByRole('button', { name: 'Release 2 nodes' }).click();
    const line = (node: string) => dialog.getByRole('listitem', { name: node, exact: true });
    await line('r1').getByText('released', { exact: true }).waitFor();
    await line('r2').getByText('detaching networks…').waitFor();
    await dialog.getByRole('link', { name: 'releases of red' }).click();
    const row = page.getByRole('table', { name: 'Releases of red' }).getByRole('row');
    await row.filter({ hasText: 'r2' }).getByText('detaching networks…').waitFor();
    await row.filter({ hasText: 'r1' }).getByText('released', { exact: true }).waitFor();
    service().simulated('sw-r').faults = {};
    await row.filter({ hasText: 'r2' }).getByText('released', { exact: true }).waitFor();
    await page.goto(`${service().url}/nodes?show=mine&q=r`);
    await page.getByText('No node fits').waitFor();
    expectNoComplaints(page);
  });

  it('of which one has left the project since are not released, and the refusal is shown', async () => {
    for (const node of ['p1', 'p2']) {
      await makeNode(service(), node);
      await reserve(service(), 'red', node);
    }
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(`${service().url}/nodes?show=mine&q=p`);
    await signIn(page, 'rita', passwordOf('rita'));
    const dialog = page.getByRole('dialog');
    for (const node of ['p1', 'p2']) await page.getByLabel(`Choose ${node}`, { exact: true }).check();
    await page.getByRole('button', { name: 'Release…' }).click();
    // Somebody is faster.
    await page.route('**/v0/project/red/release', async (route) => {
      await done(service().admin.post('/project/red/detach_node', { node: 'p1' }));
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'Release 2 nodes' }).click();
    await dialog.getByRole('list', { name: 'Not begun' }).getByText('Node p1 is not in project red').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('row').filter({ hasText: 'p2' }).getByText('red').waitFor();
  });

  it('are reserved and then connected together, each with its own refusal', async () => {
    for (const node of ['c1', 'c2']) await makeNode(service(), node, ['eth0', 'eth1']);
    for (const network of ['lab', 'other-lab']) await makeNetwork(service(), network, 'red');
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(`${service().url}/nodes?q=c`);
    await signIn(page, 'rita', passwordOf('rita'));
    const dialog = page.getByRole('dialog');
    for (const node of ['c1', 'c2']) await page.getByLabel(`Choose ${node}`, { exact: true }).check();
    await page.getByRole('button', { name: 'Reserve for red' }).click();
    await expect.poll(() => dialog.getByRole('listitem').allInnerTexts()).toEqual(['c1\ndone', 'c2\ndone']);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await connect(service(), 'c2', 'eth1', 'lab');

    await page.getByRole('button', { name: 'Connect…' }).click();
    const submit = dialog.getByRole('button', { name: 'Connect 2 nodes' });
    expect(await submit.getAttribute('aria-disabled')).toBe('true');
    await dialog.getByLabel('Network', { exact: true }).selectOption('lab');
    await dialog.getByLabel('Nic of each').selectOption('eth1');
    await dialog.getByText('corral node network connect c1 eth1 lab').waitFor();
    await submit.click();
    await expect
      .poll(() => dialog.getByRole('listitem').allInnerTexts())
      .toEqual(['c1\ndone', expect.stringMatching(/^c2\n.*already/)]);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('row').filter({ hasText: 'c1' }).getByText('lab').waitFor();
    expectNoComplaints({ list: page.list.filter((line) => !line.includes('409')) });
  });

  it('what is left under way does not come back into the next question', async () => {
    await makeNode(service(), 'w1');
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(`${service().url}/nodes?q=w1`);
    await signIn(page, 'rita', passwordOf('rita'));
    const dialog = page.getByRole('dialog');
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    await page.route('**/v0/project/red/connect_node', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByLabel('Choose w1', { exact: true }).check();
    await page.getByRole('button', { name: 'Reserve for red' }).click();
    await dialog.getByRole('listitem').getByText('waiting…').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    goOn();
    await page.getByRole('row').filter({ hasText: 'w1' }).getByText('red').waitFor();
    await page.getByRole('button', { name: 'Release…' }).click();
    await dialog.getByRole('button', { name: 'Release 1 node', exact: true }).click();
    await dialog.getByRole('listitem', { name: 'w1' }).getByText('released', { exact: true }).waitFor();
    expectNoComplaints(page);
  });

  it('a refusal stands beside its node', async () => {
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(`${service().url}/nodes?show=free`);
    await signIn(page, 'rita', passwordOf('rita'));
    await page.getByLabel('Choose n1', { exact: true }).check();
    // Somebody is faster.
    await page.route('**/v0/project/red/connect_node', async (route) => {
      await reserve(service(), 'ultramarine', 'n1');
      await route.continue();
    });
    await page.getByRole('button', { name: 'Reserve for red' }).click();
    await page.getByRole('listitem').filter({ hasText: 'n1' }).getByText('is not free').waitFor();
  });

  it('the end of a session asks for a new one over the page, which stays as it is', async () => {
    const context = await newBrowser();
    const page = await watchedPage(context, service());
    await page.goto(`${service().url}/nodes`);
    await signIn(page, 'rita', passwordOf('rita'));
    await page.getByLabel('Name, MAC address, metadata').fill('n1');
    await context.clearCookies();
    await page.getByRole('link', { name: 'Events' }).click();
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    await page.goBack();
    await page.getByLabel('User').fill('rita');
    await page.getByLabel('Password', { exact: true }).fill(passwordOf('rita'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Name, MAC address, metadata').inputValue()).toBe('n1');
  });
});
