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

describe.skipIf(!hasPart('Chromium'))('isolation of two projects in the browser', () => {
  const service = sharedService('sqlite');
  const newBrowser = sharedChromium();

  beforeAll(async () => {
    for (const project of ['physics', 'genomics', 'chemistry']) await makeProject(service(), project);
    for (const node of ['n1', 'n2', 'n3']) await makeNode(service(), node, ['eth0'], 'rack-switch');
    await reserve(service(), 'physics', 'n1');
    await reserve(service(), 'genomics', 'n2');
    await reserve(service(), 'chemistry', 'n3');
    await makeUser(service(), 'rita', 'physics');
    for (const project of ['physics', 'genomics', 'chemistry']) await makeNetwork(service(), `${project}-lab`, project);
    await done(service().admin.put('/network/campus', { owner: 'admin', access: '', net_id: '' }));
    await connect(service(), 'n1', 'eth0', 'physics-lab');
    await connect(service(), 'n2', 'eth0', 'genomics-lab');
    await connect(service(), 'n3', 'eth0', 'chemistry-lab');
  });

  const open = async (user: string, path: string): Promise<Awaited<ReturnType<typeof watchedPage>>> => {
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(`${service().url}${path}`);
    await signIn(page, user, user === 'admin' ? adminPassword : passwordOf(user));
    return page;
  };

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const found = (page: Page) => page.getByRole('list', { name: 'What was found' }).getByRole('listitem');
  const networks = (page: Page) => page.getByRole('table', { name: 'Networks of the two' });
  /** Verdict and name of each network that was compared. */
  const standings = async (page: Page): Promise<readonly (readonly string[])[]> =>
    (await networks(page).getByRole('row').allInnerTexts()).slice(1).map((row) => row.split(/\s*\t\s*/).slice(0, 2));

  /** Puts ports on what another one carries, behind the service's back, until the test is over. */
  const putLike = (model: string, ports: readonly string[], change: { native?: number } = {}): void => {
    const simulated = service().simulated('rack-switch');
    const before = simulated.read([...ports]);
    onTestFinished(async () => {
      simulated.write(before);
      await done(service().admin.post('/switch/rack-switch/sweep'));
    });
    const [like] = simulated.read([model]);
    if (like === undefined) throw new Error(`the switch has a port ${model}`);
    simulated.write(ports.map((port) => ({ ...like, ...change, port })));
  };

  it('two projects are chosen, and are apart; a port on the VLAN of the other is found, and saved', async () => {
    const page = await open('admin', '/projects');
    await page.getByRole('link', { name: 'Prove isolation' }).click();
    await page.getByRole('heading', { name: 'Isolation', level: 1 }).waitFor();
    expect(await button(page, 'Prove isolation').getAttribute('aria-disabled')).toBe('true');
    await page.getByLabel('One project').selectOption('physics');
    await page.getByLabel('The other').selectOption('genomics');
    await expect.poll(() => new URL(page.url()).search).toBe('?a=physics&b=genomics');
    await button(page, 'Prove isolation').click();
    await page.getByRole('status').getByText('They are apart.', { exact: true }).waitFor();
    expect(await standings(page)).toEqual([
      ['apart', 'campus'],
      ['apart', 'genomics-lab'],
      ['apart', 'physics-lab'],
    ]);
    expect(await found(page).allInnerTexts()).toEqual([
      'Both may use campus, which is public: either can connect to it.',
    ]);

    putLike('n1/eth0', ['n2/eth0']);
    await button(page, 'Read the switches again').click();
    await page.getByRole('alert').getByText('They can hear each other on physics-lab.', { exact: true }).waitFor();
    expect((await standings(page))[0]).toEqual(['together', 'physics-lab']);
    expect(await found(page).first().innerText()).toBe(
      'physics-lab: n1 eth0 of physics (rack-switch n1/eth0) and n2 eth0 of genomics (rack-switch n2/eth0).',
    );

    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Save as JSON').click()]);
    expect(download.suggestedFilename()).toMatch(/^isolation-physics-genomics-[\w.-]+\.json$/);
    expect(JSON.parse(await readFile(await download.path(), 'utf8'))).toMatchObject({
      report: 'isolation of two projects',
      service: service().url,
      caller: 'admin',
      projects: ['physics', 'genomics'],
      verdict: 'together',
      sentence: 'They can hear each other on physics-lab',
      unread: [],
      switches: [{ switch: 'rack-switch', fault: null, drift: { ports: [{ node: 'n2' }] } }],
    });

    // On paper: the verdict, and nothing to press.
    await page.emulateMedia({ media: 'print' });
    for (const name of ['Save as JSON', 'Print', 'Read the switches again'])
      expect(await button(page, name).count()).toBe(0);
    expect(await page.getByRole('alert').innerText()).toBe('They can hear each other on physics-lab.');
    expectNoComplaints(page);
  });

  it('both on a network of somebody else, or on a VLAN that is no network’s, is found too', async () => {
    const page = await open('admin', '/isolation?a=physics&b=genomics');
    putLike('n3/eth0', ['n1/eth0', 'n2/eth0']);
    await button(page, 'Prove isolation').click();
    await page.getByRole('alert').getByText('They can hear each other on chemistry-lab.', { exact: true }).waitFor();
    putLike('n3/eth0', ['n1/eth0', 'n2/eth0'], { native: 3999 });
    await button(page, 'Read the switches again').click();
    await page.getByRole('alert').getByText('They can hear each other on VLAN 3999.', { exact: true }).waitFor();
    expectNoComplaints(page);
  });

  it('a headnode counts as what is recorded of it', async () => {
    await done(service().admin.put('/network/physics-lab/access/genomics'));
    await makeHeadnode(service(), 'head', 'genomics', ['eth0']);
    await done(service().admin.post('/headnode/head/hnic/eth0/connect_network', { network: 'physics-lab' }));
    onTestFinished(async () => {
      await done(service().admin.del('/headnode/head'));
      await done(service().admin.del('/network/physics-lab/access/genomics'));
    });
    const page = await open('admin', '/isolation?a=genomics&b=physics');
    await button(page, 'Prove isolation').click();
    await page.getByRole('alert').getByText('They can hear each other on physics-lab.', { exact: true }).waitFor();
    await found(page).getByText('headnode head eth0 of genomics (as recorded)').waitFor();
    expectNoComplaints(page);
  });

  it('a switch that does not answer makes it no proof', async () => {
    const simulated = service().simulated('rack-switch');
    simulated.faults = { unreachable: true };
    onTestFinished(async () => {
      simulated.faults = {};
      await done(service().admin.post('/switch/rack-switch/sweep'));
    });
    const page = await open('admin', '/isolation?a=physics&b=genomics');
    await button(page, 'Prove isolation').click();
    await page.getByRole('alert').getByText('This is no proof: Switch rack-switch').waitFor();
    expect(await page.getByText('They are apart').count()).toBe(0);
    expect((await standings(page)).map(([standing]) => standing)).toEqual(['not known', 'not known', 'not known']);
    page.list.splice(0, page.list.length, ...page.list.filter((line) => !/status of 5\d\d/.test(line)));
    expectNoComplaints(page);
  });

  it('is for administrators, and says what is wrong with a choice', async () => {
    const page = await open('admin', '/isolation?a=physics&b=nobody');
    await button(page, 'Prove isolation').hover();
    await page.getByText('Project nobody does not exist').waitFor();
    const tenant = await open('rita', '/isolation?a=physics&b=genomics');
    await tenant.getByText('This page needs administrative access').waitFor();
    expect(await button(tenant, 'Prove isolation').count()).toBe(0);
    forgetRefusals(tenant);
    expectNoComplaints(tenant);
  });
});
