import { hasPart } from '@corral/lab';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedChromium } from '../support/identity/chromium.ts';
import { expectNoComplaints, forgetRefusals, signIn, watchedPage } from '../support/pages.ts';
import { adminPassword, passwordOf, serviceForTest } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { connect, done, makeNetwork, makeNode, makeProject, makeUser, reserve } from '../support/services/world.ts';

describe.skipIf(!hasPart('Chromium'))('a node in the browser', () => {
  const service = sharedService('sqlite', { CORRAL_ENGINE_BUDGET: '60' });
  const newBrowser = sharedChromium();

  beforeAll(async () => {
    for (const project of ['red', 'blue']) await makeProject(service(), project);
    for (const node of ['n1', 'n2', 'n10']) await makeNode(service(), node, ['eth0', 'eth1']);
    await makeNetwork(service(), 'lab', 'red');
    await makeNetwork(service(), 'blue-net', 'blue');
    await makeUser(service(), 'rita', 'red');
  });

  const opened = async (user: string, password: string, path: string) => {
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(`${service().url}${path}`);
    await signIn(page, user, password);
    await page.getByText('live', { exact: true }).waitFor();
    return page;
  };

  it('is reserved, connected and given back, and everything that happens appears by itself', async () => {
    const page = await opened('rita', passwordOf('rita'), '/nodes/n2');
    const dialog = page.getByRole('dialog');
    const eth0 = page.getByRole('table', { name: 'Nics' }).getByRole('row').filter({ hasText: 'eth0' });
    let loads = 0;
    page.on('load', () => (loads += 1));

    await page.getByRole('button', { name: 'Reserve for red' }).click();
    await dialog.getByText('corral project node add red n2').waitFor();
    // What does no harm is there to be pressed.
    await dialog.locator(':focus').filter({ hasText: 'Reserve for red' }).waitFor();
    await page.keyboard.press('Enter');
    const plan = page.getByRole('list', { name: 'What a release does' }).getByRole('listitem');
    await expect.poll(() => plan.allInnerTexts()).toEqual(['take it out of project red']);

    // The switch does not answer, so that the change can be seen waiting.
    service().simulated('sw0').faults = { unreachable: true };
    await eth0.getByRole('button', { name: 'Connect eth0' }).click();
    const networks = dialog.getByLabel('Network', { exact: true }).getByRole('option');
    await expect.poll(() => networks.allInnerTexts()).toEqual(['lab']);
    await dialog.getByRole('button', { name: 'Connect to lab' }).click();
    await eth0.getByText('connecting to lab').waitFor();
    service().simulated('sw0').faults = {};
    await eth0.getByRole('link', { name: 'lab' }).waitFor();
    await eth0.getByText('connecting to lab').waitFor({ state: 'hidden' });

    await expect.poll(() => plan.allInnerTexts()).toEqual(['detach eth0 from lab', 'take it out of project red']);
    // The service does all of it, and the page follows.
    service().simulated('sw0').faults = { unreachable: true };
    await page.getByRole('button', { name: 'Release', exact: true }).click();
    await dialog.getByText('corral release n2').waitFor();
    await dialog.getByRole('button', { name: 'Release n2', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('It is being released, as rita asked.').waitFor();
    const steps = page.getByRole('list', { name: 'Steps of the release of n2' }).getByRole('listitem');
    const begun = ['detaching networks…', 'disable OBM', 'leave the project'];
    await expect.poll(() => steps.allInnerTexts()).toEqual(begun);
    expect(await page.getByRole('button', { name: 'Release', exact: true }).count()).toBe(0);
    service().simulated('sw0').faults = {};
    await page.getByRole('button', { name: 'Reserve for red' }).waitFor();
    expect(loads).toBe(0);
    expectNoComplaints(page);
  });

  it('a release that fails says what could not be done, also to others and later, and is begun again', async () => {
    await makeNode(service(), 'jammed', ['eth0'], 'sw-jammed');
    await reserve(service(), 'red', 'jammed');
    await connect(service(), 'jammed', 'eth0', 'lab');
    service().simulated('sw-jammed').faults = { refuse: ['jammed/eth0'] };
    const page = await opened('rita', passwordOf('rita'), '/nodes/jammed');
    const dialog = page.getByRole('dialog');
    const steps = page.getByRole('list', { name: 'Steps of the release of jammed' }).getByRole('listitem');
    const release = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Release', exact: true }).click();
      await dialog.getByRole('button', { name: 'Release jammed', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await release();
    await page.getByText(/^Nic eth0 could not be detached from network lab: /).waitFor();
    const failed = ['networks not detached', 'disable OBM', 'leave the project'];
    expect(await steps.allInnerTexts()).toEqual(failed);
    await page.reload();
    await expect.poll(() => steps.allInnerTexts()).toEqual(failed);

    await page.getByRole('link', { name: 'All releases' }).click();
    const row = page.getByRole('table', { name: 'Releases of red' }).getByRole('row').filter({ hasText: 'jammed' });
    await row.getByText(/^Nic eth0 could not be detached/).waitFor();
    await page.reload();
    await row.getByText(/^Nic eth0 could not be detached/).waitFor();
    expect(await row.innerText()).toContain('rita');

    await row.getByRole('link', { name: 'jammed' }).click();
    service().simulated('sw-jammed').faults = {};
    await release();
    await page.getByRole('button', { name: 'Reserve for red' }).waitFor();
    await page.goto(`${service().url}/releases?project=red`);
    const ended = row.filter({ hasText: 'networks detached' });
    await ended.getByText('released', { exact: true }).waitFor();
    expectNoComplaints(page);
  });

  it('a release that is refused says why', async () => {
    await reserve(service(), 'red', 'n1');
    const page = await opened('rita', passwordOf('rita'), '/nodes/n1');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Release', exact: true }).click();
    // As if somebody were faster. That would change the page as well, before the answer or after it.
    await page.route('**/v0/project/red/release', async (route) => {
      const { status, body } = await service().admin.post('/project/red/release', { nodes: ['n2'] });
      await route.fulfill({ status, json: body });
    });
    await dialog.getByRole('button', { name: 'Release n1', exact: true }).click();
    await dialog.getByRole('alert').getByText('Node n2 is not in project red').waitFor();
    await done(service().admin.post('/project/red/detach_node', { node: 'n1' }));
  });

  it('has its neighbours beside it in the order in which people count, and its ports only for administrators', async () => {
    const page = await opened('rita', passwordOf('rita'), '/nodes/n2');
    await page.getByRole('link', { name: 'Next node: n10' }).press('Enter');
    await page.getByRole('heading', { name: 'n10' }).waitFor();
    await page.getByRole('link', { name: 'Previous node: n2' }).waitFor();
    expect(await page.getByRole('link', { name: /^Next node/ }).count()).toBe(0);
    await page.getByRole('row').filter({ hasText: 'eth1' }).waitFor();
    expect(await page.getByText('sw0').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Add' }).count()).toBe(0);
    expectNoComplaints(page);

    const operators = await opened('admin', adminPassword, '/nodes/n10');
    await operators.getByRole('link', { name: 'sw0 n10/eth1' }).waitFor();
    expectNoComplaints(operators);
  });

  it('has metadata that administrators add, change and delete', async () => {
    await done(service().admin.put('/node/n10/metadata/rack', { value: 'r1' }));
    const page = await opened('admin', adminPassword, '/nodes/n10');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByLabel('Label', { exact: true }).fill('cores');
    await dialog.getByLabel('Value', { exact: true }).fill('64');
    await dialog.getByText('corral node metadata add n10 cores 64').waitFor();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: 'Change cores' }).waitFor();
    await page.getByRole('button', { name: 'Change rack' }).click();
    await dialog.getByLabel('Value', { exact: true }).fill('r 2');
    await dialog.getByText("corral node metadata add n10 rack 'r 2'").waitFor();
    await dialog.getByRole('button', { name: 'Change rack' }).click();
    await page.getByText('r 2', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete cores' }).click();
    await dialog.getByRole('button', { name: 'Delete cores' }).click();
    await page.getByRole('button', { name: 'Change cores' }).waitFor({ state: 'hidden' });
    const { body } = await done(service().admin.get('/node/n10'));
    expect(body).toMatchObject({ metadata: { rack: 'r 2' } });
    expectNoComplaints(page);
  });

  it('is connected to the network that one chooses, and to none by mistake', async () => {
    await makeNetwork(service(), 'campus', 'red');
    await reserve(service(), 'red', 'n10');
    const page = await opened('rita', passwordOf('rita'), '/nodes/n10');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Connect eth0' }).click();
    const network = dialog.getByLabel('Network', { exact: true });
    await expect.poll(() => network.getByRole('option').allInnerTexts()).toEqual(['Choose…', 'campus', 'lab']);
    const connectIt = dialog.getByRole('button', { name: 'Connect', exact: true });
    expect(await connectIt.getAttribute('aria-disabled')).toBe('true');
    await network.press('Enter');
    await network.selectOption('lab');
    await dialog.getByRole('button', { name: 'Connect to lab' }).click();
    await page.getByRole('row').filter({ hasText: 'eth0' }).getByRole('link', { name: 'lab' }).waitFor();
    expectNoComplaints(page);
  });

  it('one that cannot be reserved says so, and why; so does its row among those that are blocked', async () => {
    await makeNode(service(), 'b1', ['eth0']);
    service()
      .simulated('sw0')
      .write([{ port: 'b1/eth0', native: 666, tagged: [] }]);
    await done(service().admin.post('/switch/sw0/sweep'));
    const page = await opened('rita', passwordOf('rita'), '/nodes/b1');
    await page.getByRole('heading', { name: 'It cannot be reserved' }).waitFor();
    const reasons = page.getByRole('list', { name: 'Why it cannot be reserved' }).getByRole('listitem');
    const why = 'The switch port of nic eth0 was seen to carry something';
    await reasons.getByText(why).waitFor();
    expect(await page.getByRole('heading', { name: 'It is free' }).count()).toBe(0);
    await page.goto(`${service().url}/nodes?show=blocked`);
    await page.getByRole('row').filter({ hasText: 'b1' }).getByText(why).waitFor();
    expectNoComplaints(page);
  });

  it('one that was deleted is not there any more on the way back', async () => {
    await makeNode(service(), 'gone');
    const page = await opened('admin', adminPassword, '/nodes/gone');
    await page.getByRole('heading', { name: 'It is free' }).waitFor();
    await page.getByRole('button', { name: 'Delete node…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete gone', exact: true }).click();
    await page.getByRole('heading', { name: 'Nodes' }).waitFor();
    await page.goBack();
    await page.getByText('Node gone does not exist').waitFor();
    expect(await page.getByRole('button', { name: /^Reserve/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Show all nodes' }).click();
    await page.getByRole('heading', { name: 'Nodes' }).waitFor();
    forgetRefusals(page);
    expectNoComplaints(page);
  });

  it('a port that it was on, and that nobody knows the state of, keeps it from being deleted', async () => {
    await makeNode(service(), 'held', ['eth0'], 'sw-held');
    service()
      .simulated('sw-held')
      .write([{ port: 'held/eth0', native: 666, tagged: [] }]);
    await done(service().admin.post('/switch/sw-held/sweep'));
    await done(service().admin.post('/switch/sw-held/port/held/eth0/detach_nic'));
    await done(service().admin.del('/node/held/nic/eth0'));
    const page = await opened('admin', adminPassword, '/nodes/held');
    const remove = page.getByRole('button', { name: 'Delete node…' });
    await remove.waitFor();
    expect(await remove.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('link', { name: 'Look at the port that keeps it from being deleted' }).click();
    await page.getByRole('heading', { name: 'Port held/eth0' }).waitFor();
    expectNoComplaints(page);
  });

  it('says which BMC is registered, and without one offers nothing that needs it', async () => {
    // A busy machine is not taken for a daemon that does not answer.
    const own = await serviceForTest('sqlite', { CORRAL_OBMD: '127.0.0.1:0', CORRAL_OBM_TIMEOUT: '20' });
    await done(own.admin.put('/node/n1', {}));
    const page = await watchedPage(await newBrowser(), own);
    await page.goto(`${own.url}/nodes/n1`);
    await signIn(page, 'admin', adminPassword);
    const enable = page.getByRole('button', { name: 'Enable OBM' });
    const dialog = page.getByRole('dialog');
    await page.getByText('No BMC is registered.').waitFor();
    expect(await enable.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('button', { name: 'Register its BMC…' }).click();
    await dialog.getByLabel('Type of BMC', { exact: true }).selectOption('mock');
    await dialog.getByLabel('Address', { exact: true }).fill('10.0.0.5');
    await dialog.getByRole('button', { name: 'Register BMC' }).click();
    await page.getByText('10.0.0.5', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Change its BMC…' }).click();
    expect(await dialog.getByLabel('Type of BMC', { exact: true }).inputValue()).toBe('mock');
    await expect.poll(() => dialog.getByLabel('Address', { exact: true }).inputValue()).toBe('10.0.0.5');
    await dialog.getByLabel('Address', { exact: true }).fill('10.0.0.6');
    await dialog.getByText('corral bmc register n1 mock addr=10.0.0.6').waitFor();
    await dialog.getByRole('button', { name: 'Change BMC' }).click();
    await page.getByText('10.0.0.6', { exact: true }).waitFor();
    await enable.click();
    await dialog.getByRole('button', { name: 'Enable OBM' }).click();
    await page.getByRole('button', { name: 'Disable OBM' }).first().waitFor();
    expectNoComplaints(page);
  });
});
