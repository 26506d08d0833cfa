import { hasPart } from '@corral/lab';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedChromium } from '../support/identity/chromium.ts';
import { expectNoComplaints, forgetRefusals, signIn, watchedPage } from '../support/pages.ts';
import { passwordOf } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import {
  connect,
  done,
  makeNetwork,
  makeNode,
  makeProject,
  makeSwitch,
  makeUser,
  reserve,
} from '../support/services/world.ts';

describe.skipIf(!hasPart('Chromium'))('a switch in the browser', () => {
  const service = sharedService('sqlite');
  const newBrowser = sharedChromium();

  beforeAll(async () => {
    await makeProject(service(), 'red');
    await makeNetwork(service(), 'lab', 'red');
    await makeNode(service(), 'n1', ['eth0']);
    await makeNode(service(), 'n2', ['eth0']);
    await reserve(service(), 'red', 'n1');
    await makeUser(service(), 'oona');
    await service().admin.patch('/auth/basic/user/oona', { is_admin: true });
    await makeUser(service(), 'tom', 'red');
  });

  const openSwitch = async (path: string) => {
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(`${service().url}${path}`);
    await signIn(page, 'oona', passwordOf('oona'));
    return page;
  };

  it('its panel shows what each port carries, as it changes, and is walked with arrow keys', async () => {
    const page = await openSwitch('/switches/sw0');
    const panel = page.getByRole('group', { name: 'Ports of sw0' });
    await panel.getByRole('button', { name: 'n1/eth0: n1 eth0; no network' }).waitFor();
    await connect(service(), 'n1', 'eth0', 'lab');
    await panel.getByRole('button', { name: 'n1/eth0: n1 eth0; lab', exact: true }).click();
    await page.getByRole('heading', { name: 'Port n1/eth0' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('heading', { name: 'Port n2/eth0' }).waitFor();
    expect(new URL(page.url()).searchParams.get('port')).toBe('n2/eth0');
    expectNoComplaints(page);
  });

  it('drift made behind the service’s back is seen, compared and put back', async () => {
    const page = await openSwitch('/switches/sw0?port=n2%2Feth0');
    await page.getByText('live', { exact: true }).waitFor();
    service()
      .simulated('sw0')
      .write([{ port: 'n2/eth0', native: 666, tagged: [] }]);
    await page.getByRole('button', { name: 'Read now' }).click();
    const panel = page.getByRole('group', { name: 'Ports of sw0' });
    await panel.getByRole('button', { name: 'n2/eth0: n2 eth0; no network; drift' }).waitFor();
    await page.getByText('VLAN 666', { exact: true }).waitFor();
    await page.getByText('corral port revert sw0 n2/eth0').waitFor();
    await page.getByRole('button', { name: 'Put it back as recorded' }).click();
    await panel.getByRole('button', { name: 'n2/eth0: n2 eth0; no network', exact: true }).waitFor();
    expect(service().simulated('sw0').read(['n2/eth0'])).toEqual([{ port: 'n2/eth0', native: null, tagged: [] }]);
    expectNoComplaints(page);
  });

  it('one that fails says why, and answers again by itself', async () => {
    const page = await openSwitch('/switches/sw0');
    service().simulated('sw0').faults = { unreachable: true };
    await page.getByRole('button', { name: 'Read now' }).click();
    await page.getByText('unreachable for').waitFor();
    service().simulated('sw0').faults = {};
    await page.getByRole('button', { name: 'Read now' }).click();
    await page.getByText('answers', { exact: true }).waitFor();
  });

  it('of one that was never read nothing is claimed, and its ports are read before they are changed', async () => {
    service().simulated('sw-silent').faults = { unreachable: true };
    await makeNode(service(), 'n3', ['eth0'], 'sw-silent');
    const page = await openSwitch('/switches/sw-silent?port=n3%2Feth0');
    await page.getByText('not known yet', { exact: true }).waitFor();
    expect(await page.getByText('saved', { exact: true }).count()).toBe(0);
    await page.getByRole('heading', { name: 'Port n3/eth0' }).waitFor();
    const read = page.getByRole('button', { name: 'Read the switch now' });
    await read.click();
    await page.getByRole('alert').getByText('sw-silent').waitFor();
    service().simulated('sw-silent').faults = {};
    await page.getByRole('button', { name: 'Read now' }).click();
    await page.getByText('saved', { exact: true }).waitFor();
    await read.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Put it back as recorded' }).waitFor();
  });

  it('repairs drift by itself only after a question', async () => {
    await makeSwitch(service(), 'sw-policy');
    const page = await openSwitch('/switches/sw-policy');
    const policy = async () => (await done(service().admin.get('/overview/switch/sw-policy'))).body;
    await page.getByRole('button', { name: 'Repair drift by itself…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('corral switch policy sw-policy repair').waitFor();
    expect(await policy()).toMatchObject({ policy: 'report' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await policy()).toMatchObject({ policy: 'report' });
    await page.getByRole('button', { name: 'Repair drift by itself…' }).click();
    await dialog.getByRole('button', { name: 'Repair drift by itself', exact: true }).click();
    await page.getByText('repairs drift', { exact: true }).waitFor();
    expect(await policy()).toMatchObject({ policy: 'repair' });
    expectNoComplaints(page);
  });

  it('changes the fields that are typed, leaves secrets that are not, and says why not', async () => {
    await makeSwitch(service(), 'sw-moved');
    const page = await openSwitch('/switches/sw-moved');
    const shown = async () => (await done(service().admin.get('/switch/sw-moved'))).body;
    await page.getByRole('button', { name: 'Change…' }).click();
    const dialog = page.getByRole('dialog');
    const change = dialog.getByRole('button', { name: 'Change sw-moved' });
    const address = dialog.getByLabel('Host name');
    expect(await address.inputValue()).toBe('sw-moved');
    await address.fill('');
    await change.click();
    await dialog.getByRole('alert').first().waitFor();
    expect(await shown()).toMatchObject({ fields: { hostname: 'sw-moved' } });
    forgetRefusals(page);
    await address.fill('elsewhere');
    await dialog.getByText('corral switch update sw-moved hostname=elsewhere').waitFor();
    await change.click();
    await dialog.waitFor({ state: 'detached' });
    expect(await shown()).toMatchObject({ fields: { hostname: 'elsewhere', username: 'operator' } });

    await page.getByRole('button', { name: 'Change…' }).click();
    await dialog.getByLabel('Password').fill('a new one');
    await dialog.getByText('corral switch update sw-moved --password-file FILE').waitFor();
    await change.click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await done(service().admin.get('/events?type=switch_update&switch=sw-moved'));
    expect(body).toMatchObject({
      events: [{ detail: { fields: ['password'] } }, { detail: { fields: ['hostname'] } }],
    });
    expectNoComplaints(page);
  });

  it('its ports are deleted together after a question, and each refusal is beside its port', async () => {
    await makeNode(service(), 'n6', ['eth0'], 'sw-many');
    for (const port of ['p1', 'p2', 'p3']) await done(service().admin.put(`/switch/sw-many/port/${port}`));
    await done(service().admin.post('/switch/sw-many/sweep'));
    const page = await openSwitch('/switches/sw-many');
    for (const port of ['n6/eth0', 'p1', 'p2']) await page.getByLabel(`Choose ${port}`, { exact: true }).check();
    await page.getByRole('button', { name: 'Delete 3 ports…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 3 ports' });
    await dialog.getByText('corral port delete sw-many p1').waitFor();
    await dialog.getByRole('button', { name: 'Delete 3 ports' }).click();
    const outcomes = dialog.getByRole('list', { name: 'Delete ports' }).getByRole('listitem');
    await outcomes.filter({ hasText: 'Nic eth0 of node n6 is on port n6/eth0; detach it first' }).waitFor();
    await expect.poll(() => outcomes.filter({ hasText: 'done' }).count()).toBe(2);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('Choose p1', { exact: true }).waitFor({ state: 'detached' });
    await page.getByText('1 chosen').waitFor();
    const { port_list } = (await done(service().admin.get('/overview/switch/sw-many'))).body as {
      port_list: readonly { readonly port: string }[];
    };
    expect(port_list.map(({ port }) => port)).toEqual(['n6/eth0', 'p3']);
    forgetRefusals(page);
    expectNoComplaints(page);
  });

  it('one that was deleted is not there any more on the way back', async () => {
    await makeSwitch(service(), 'sw-gone');
    const page = await openSwitch('/switches/sw-gone');
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete sw-gone', exact: true }).click();
    await page.getByRole('heading', { name: 'Switches', exact: true }).waitFor();
    await page.goBack();
    await page.getByText('Switch sw-gone does not exist').waitFor();
    expect(await page.getByRole('button', { name: 'Read now' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Show all switches' }).waitFor();
    forgetRefusals(page);
    expectNoComplaints(page);
  });

  it('nothing of it is in a tenant’s pages or in an answer to them', async () => {
    const page = await watchedPage(await newBrowser(), service());
    const answers: string[] = [];
    page.on('response', (response) => {
      if (/\/v0\/(?!.*stream)/.test(response.url()))
        void response.text().then(
          (text) => answers.push(text),
          () => undefined,
        );
    });
    await page.goto(`${service().url}/`);
    await signIn(page, 'tom', passwordOf('tom'));
    await page.getByRole('link', { name: 'n1' }).first().waitFor();
    expect(await page.getByRole('link', { name: 'Switches' }).count()).toBe(0);
    await page.goto(`${service().url}/switches/sw0`);
    await page.getByText('You may not see this').waitFor();
    expect(answers.length).toBeGreaterThan(4);
    expect(answers.filter((text) => text.includes('n1/eth0') || text.includes('hostname'))).toEqual([]);
  });
});
