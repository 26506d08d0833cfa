import { readFile } from 'node:fs/promises';
import { hasPart } from '@corral/lab';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeHeadnode } from '../support/headnodes/headnode-helpers.ts';
import { sharedChromium } from '../support/identity/chromium.ts';
import { expectNoComplaints, forgetRefusals, signIn, watchedPage } from '../support/pages.ts';
import { adminPassword, passwordOf } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { connect, done, makeNetwork, makeNode, makeProject, makeUser, reserve } from '../support/services/world.ts';

describe.skipIf(!hasPart('Chromium'))('networks in the browser', () => {
  const service = sharedService('sqlite');
  const newBrowser = sharedChromium();

  beforeAll(async () => {
    for (const project of ['red', 'blue', 'ultramarine']) await makeProject(service(), project);
    for (const node of ['n1', 'n2', 'n3']) await makeNode(service(), node, ['eth0'], 'rack-switch');
    await reserve(service(), 'red', 'n1');
    await reserve(service(), 'blue', 'n2');
    await reserve(service(), 'ultramarine', 'n3');
    await makeUser(service(), 'rita', 'red');
    await makeUser(service(), 'bob', 'blue');
    await makeNetwork(service(), 'red-lab', 'red');
    await makeNetwork(service(), 'ultramarine-lab', 'ultramarine');
    await done(service().admin.put('/network/red-lab/access/blue'));
    await done(service().admin.put('/network/campus', { owner: 'admin', access: '', net_id: '' }));
    await connect(service(), 'n1', 'eth0', 'red-lab');
    await connect(service(), 'n2', 'eth0', 'red-lab');
  });

  const open = async (user: string, path: string): Promise<Awaited<ReturnType<typeof watchedPage>>> => {
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(`${service().url}${path}`);
    await signIn(page, user, user === 'admin' ? adminPassword : passwordOf(user));
    return page;
  };

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const networks = (page: Page) => page.getByRole('table', { name: 'Networks' }).getByRole('link');
  const ports = (page: Page) => page.getByRole('table', { name: 'Ports that carry it' });
  /** The row about a nic, in words. */
  const rowOf = async (page: Page, node: string): Promise<readonly string[]> =>
    (await ports(page).getByRole('row').filter({ hasText: node }).innerText()).split(/\s*\t\s*/);

  /** Writes down what the service answers, but for the stream. */
  const answersOf = (page: Page): { url: string; text: string }[] => {
    const answers: { url: string; text: string }[] = [];
    page.on('response', (response) => {
      const url = response.url();
      if (/\/v0\/(?!.*stream)/.test(url))
        void response.text().then(
          (text) => answers.push({ url, text }),
          () => undefined,
        );
    });
    return answers;
  };

  it('a tenant creates one, grants, revokes and deletes it; refusals stand where they belong', async () => {
    const page = await open('rita', '/networks');
    await button(page, 'Create a network…').click();
    const dialog = page.getByRole('dialog');
    // What only administrators may choose is not there.
    expect(await dialog.getByLabel('VLAN id').count()).toBe(0);
    await dialog.getByLabel('Name').fill('red-lab');
    await button(page, 'Create red-lab').click();
    await dialog.getByRole('alert').getByText('Network red-lab already exists').waitFor();
    expect(await dialog.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Name').fill('fresh');
    await dialog.getByText('corral network create fresh red', { exact: true }).waitFor();
    await button(page, 'Create fresh').click();
    await page.getByRole('heading', { name: 'fresh' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/networks/fresh');

    const projects = page.getByRole('list', { name: 'Projects with access' });
    await page.getByLabel('Grant access to project').fill('nobody');
    await button(page, 'Grant access').click();
    await page.getByRole('alert').getByText('nobody').waitFor();
    await page.getByLabel('Grant access to project').fill('blue');
    await button(page, 'Grant access').click();
    await button(page, 'Revoke access of blue').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke access of blue', exact: true }).click();
    await expect.poll(async () => (await projects.innerText()).split('\n')).toEqual(['red', 'owner']);

    await button(page, 'Delete…').click();
    await button(page, 'Delete fresh').click();
    await expect.poll(() => networks(page).allInnerTexts()).toEqual(['campus', 'red-lab']);
    expect((await service().admin.get('/network/fresh')).status).toBe(404);
    forgetRefusals(page);
    expectNoComplaints(page);
  });

  it('a refusal to revoke or delete is shown in the service’s own words, and nothing changed', async () => {
    const page = await open('rita', '/networks/red-lab');
    await button(page, 'Delete…').click();
    await button(page, 'Delete red-lab').click();
    await page.getByRole('alert').getByText('Network red-lab is connected to node n1; detach it first').waitFor();
    await button(page, 'Close').click();
    await button(page, 'Revoke access of blue').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke access of blue', exact: true }).click();
    await page.getByRole('alert').getByText('Node n2 of project blue is on network red-lab; detach it first').waitFor();
    expect((await service().admin.get('/network/red-lab')).body).toMatchObject({ access: ['blue', 'red'] });
  });

  it('an administrator chooses owner, access and VLAN; a VLAN that is taken is refused beside its field', async () => {
    const page = await open('admin', '/networks');
    await button(page, 'Create a network…').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('shared');
    await dialog.getByLabel('Owner').selectOption('admin');
    await dialog.getByLabel('Who may use it').selectOption('blue');
    const { vlan } = (await done(service().admin.get('/network/red-lab/reach'))).body as { vlan: number };
    await dialog.getByLabel('VLAN id').fill(String(vlan));
    await button(page, 'Create shared').click();
    await dialog.getByRole('alert').getByText(`VLAN ${vlan} belongs to network red-lab; choose another id`).waitFor();
    expect(await dialog.getByLabel('VLAN id').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('VLAN id').fill('4001');
    await dialog.getByText('corral network create shared admin --access blue --net-id 4001', { exact: true }).waitFor();
    await button(page, 'Create shared').click();
    await page.getByRole('heading', { name: 'shared' }).waitFor();
    expect((await service().admin.get('/network/shared')).body).toMatchObject({
      owner: 'admin',
      access: ['blue'],
      channels: ['vlan/native', 'vlan/4001'],
    });
    await done(service().admin.del('/network/shared'));
    await page.getByText('Network shared does not exist, or you may not see it').waitFor();
  });

  it('filter and order are in the address', async () => {
    const page = await open('admin', '/networks?sort=-network');
    await expect.poll(() => networks(page).allInnerTexts()).toEqual(['ultramarine-lab', 'red-lab', 'campus']);
    await page.getByLabel('Name, owner, VLAN, project').fill('lab');
    await expect.poll(() => networks(page).allInnerTexts()).toEqual(['ultramarine-lab', 'red-lab']);
    await page.reload();
    await expect.poll(() => networks(page).allInnerTexts()).toEqual(['ultramarine-lab', 'red-lab']);
    await page.getByLabel('Name, owner, VLAN, project').fill('');
    await page.getByRole('button', { name: /^Public/ }).click();
    await expect.poll(() => networks(page).allInnerTexts()).toEqual(['campus']);
    expectNoComplaints(page);
  });

  it('isolation is proven by the switches; a port that carries it behind the service’s back is found, and saved', async () => {
    const page = await open('admin', '/networks/red-lab');
    // What is waited for is shown as long as it takes.
    const isWaiting = page.getByText('Waiting for rack-switch to be read');
    await page.route('**/v0/network/red-lab/reach', async (route) => {
      await isWaiting.waitFor();
      await route.continue();
    });
    await button(page, 'Prove isolation').click();
    await page.getByText('Only projects blue and red can hear each other on red-lab: 2 ports on 1 switch').waitFor();
    expect(await isWaiting.count()).toBe(0);
    expect(await rowOf(page, 'n1')).toEqual([
      'as recorded',
      'n1',
      'eth0',
      'red',
      'vlan/native',
      'rack-switch',
      'n1/eth0',
      expect.any(String),
    ]);

    const simulated = service().simulated('rack-switch');
    const before = simulated.read(['n3/eth0']);
    onTestFinished(async () => {
      simulated.write(before);
      await done(service().admin.post('/switch/rack-switch/sweep'));
    });
    const [likeIt] = simulated.read(['n1/eth0']);
    if (likeIt === undefined) throw new Error('the switch has a port n1/eth0');
    simulated.write([{ ...likeIt, port: 'n3/eth0' }]);
    await button(page, 'Read the switches again').click();
    await page.getByText('Only projects blue, red and ultramarine can hear each other on red-lab: 3 ports').waitFor();
    await page.getByText('Project ultramarine has no access to red-lab, and hears it.').waitFor();
    await page.getByText('1 port carries it otherwise than recorded.').waitFor();
    // The worst is first.
    expect((await ports(page).getByRole('row').nth(1).innerText()).split(/\s*\t\s*/).slice(0, 4)).toEqual([
      'unexpected',
      'n3',
      'eth0',
      'ultramarine',
    ]);

    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Save as JSON').click()]);
    expect(download.suggestedFilename()).toMatch(/^reach-red-lab-[\w.-]+\.json$/);
    const saved = JSON.parse(await readFile(await download.path(), 'utf8')) as Record<string, string>;
    expect(saved).toMatchObject({
      report: 'network reach',
      service: service().url,
      caller: 'admin',
      answer: { network: 'red-lab', complete: true, switches: [{ switch: 'rack-switch', fault: null }] },
    });
    expect(Date.parse(saved['answered_at'] ?? '')).toBeGreaterThanOrEqual(Date.parse(saved['asked_at'] ?? ''));
    expect(saved['answer']).toHaveProperty('ports', [
      expect.objectContaining({ node: 'n1', verdict: 'as recorded' }),
      expect.objectContaining({ node: 'n2', verdict: 'as recorded' }),
      expect.objectContaining({ node: 'n3', verdict: 'unexpected', switch: 'rack-switch', port: 'n3/eth0' }),
    ]);

    // On paper: what was read with exact times, and nothing to press.
    await page.emulateMedia({ media: 'print' });
    for (const name of ['Save as JSON', 'Print', 'Delete…']) expect(await button(page, name).count()).toBe(0);
    expect(await page.getByRole('navigation').count()).toBe(0);
    await expect
      .poll(() => rowOf(page, 'n3').then((row) => row.at(-1)))
      .toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
    expectNoComplaints(page);
  });

  it('headnodes on it are in the report, its file and on paper, as recorded', async () => {
    await makeHeadnode(service(), 'head', 'ultramarine', ['eth0']);
    await done(service().admin.post('/headnode/head/hnic/eth0/connect_network', { network: 'ultramarine-lab' }));
    onTestFinished(async () => {
      await done(service().admin.del('/headnode/head'));
    });
    const page = await open('admin', '/networks/ultramarine-lab');
    await button(page, 'Prove isolation').click();
    // No port carries it.
    await page.getByText('Only project ultramarine can hear anything on ultramarine-lab: 0 ports').waitFor();
    const line = page.getByText(
      'Headnodes are as recorded, switches say nothing of them: head eth0 of ultramarine (created).',
    );
    await line.waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Save as JSON').click()]);
    expect(JSON.parse(await readFile(await download.path(), 'utf8'))).toMatchObject({
      headnodes: [{ headnode: 'head', project: 'ultramarine', hnics: ['eth0'], state: 'created' }],
    });
    await page.emulateMedia({ media: 'print' });
    expect(await line.isVisible()).toBe(true);

    // A tenant sees those of their own projects only, and the report says so.
    const tenant = await open('rita', '/networks/red-lab');
    await button(tenant, 'Prove isolation').click();
    await tenant.getByText('none is on it; those of projects of others are not shown to you.').waitFor();
    expectNoComplaints(page);
  });

  it('a switch that does not answer makes it no proof, and is named to administrators only', async () => {
    const simulated = service().simulated('rack-switch');
    simulated.faults = { unreachable: true };
    try {
      const page = await open('admin', '/networks/red-lab');
      await button(page, 'Prove isolation').click();
      await page.getByText('This is no proof: not everything could be read').waitFor();
      await page.getByText('Switch rack-switch did not answer').waitFor();
      await page.getByText('At least projects blue and red can hear each other on red-lab').waitFor();

      const tenant = await open('rita', '/networks/red-lab');
      await button(tenant, 'Prove isolation').click();
      await tenant.getByText('Administrators see which switch it is').waitFor();
      expect(await tenant.getByRole('main').innerText()).not.toContain('rack-switch');
    } finally {
      simulated.faults = {};
      await done(service().admin.post('/switch/rack-switch/sweep'));
    }
  });

  it('a tenant gets no network of others and no switch in any answer; reach is for owners', async () => {
    const page = await watchedPage(await newBrowser(), service());
    const answers = answersOf(page);
    await page.goto(`${service().url}/networks`);
    await signIn(page, 'rita', passwordOf('rita'));
    await expect.poll(() => networks(page).allInnerTexts()).toEqual(['campus', 'red-lab']);
    await networks(page).filter({ hasText: 'red-lab' }).click();
    await button(page, 'Prove isolation').click();
    await page.getByText('Only projects blue and red can hear each other on red-lab: 2 ports, read').waitFor();
    expect(await ports(page).getByRole('columnheader').allInnerTexts()).not.toContain('Switch');
    await page.goto(`${service().url}/networks/ultramarine-lab`);
    await page.getByText('Network ultramarine-lab does not exist, or you may not see it').waitFor();
    expect(answers.some(({ url }) => url.endsWith('/network/red-lab/reach'))).toBe(true);
    expect(answers.filter(({ text }) => text.includes('ultramarine') || text.includes('rack-switch'))).toEqual([]);
    expectNoComplaints(page);

    // Who may only use it, or it is public: what they cannot do is not offered.
    const user = await open('bob', '/networks/red-lab');
    await user.getByRole('heading', { name: 'Your nodes on it, as recorded' }).waitFor();
    const attachments = user.getByRole('table', { name: 'Attachments' }).getByRole('link');
    await expect.poll(() => attachments.allInnerTexts()).toEqual(['n2']);
    for (const name of ['Prove isolation', 'Delete…', 'Grant access']) expect(await button(user, name).count()).toBe(0);
    // A project may give up its own access.
    expect(await button(user, 'Revoke access of blue').count()).toBe(1);
    await user.goto(`${service().url}/networks/campus`);
    await user.getByText('The network is public: it has no access list to change.').waitFor();
    expect(await button(user, 'Prove isolation').count()).toBe(0);
    expectNoComplaints(user);
  });
});
