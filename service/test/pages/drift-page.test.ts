import { hasPart } from '@corral/lab';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedChromium } from '../support/identity/chromium.ts';
import { expectNoComplaints, signIn, watchedPage } from '../support/pages.ts';
import { adminPassword } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { connect, done, makeNetwork, makeNode, makeProject, reserve } from '../support/services/world.ts';

describe.skipIf(!hasPart('Chromium'))('drift in the browser', () => {
  const service = sharedService('sqlite');
  const newBrowser = sharedChromium();

  beforeAll(async () => {
    await makeProject(service(), 'red');
    await makeNetwork(service(), 'lab', 'red');
    for (const node of ['n1', 'n2', 'n3']) await makeNode(service(), node, ['eth0']);
    await makeNode(service(), 'n4', ['eth0'], 'sw1');
    await reserve(service(), 'red', 'n3');
    await connect(service(), 'n3', 'eth0', 'lab');
  });

  const openDrift = async () => {
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(`${service().url}/drift`);
    await signIn(page, 'admin', adminPassword);
    await page.getByText('live', { exact: true }).waitFor();
    return page;
  };

  it('made behind the service’s back is seen side by side, the oldest reading first, and put back', async () => {
    const page = await openDrift();
    await page.getByText('Every port carries what is recorded').waitFor();
    service()
      .simulated('sw0')
      .write([
        { port: 'n1/eth0', native: 666, tagged: [] },
        { port: 'n2/eth0', native: null, tagged: [777] },
        { port: 'n3/eth0', native: 888, tagged: [] },
      ]);
    service()
      .simulated('sw1')
      .write([{ port: 'n4/eth0', native: 999, tagged: [] }]);
    await page.getByRole('button', { name: 'Read all switches now' }).click();
    await page.getByText('2 of 2 switches read just now').waitFor();
    const rowOf = (port: string) => page.getByRole('row').filter({ hasText: port });
    await rowOf('sw0 n1/eth0').getByText('VLAN 666', { exact: true }).waitFor();
    await rowOf('sw0 n2/eth0').getByText('VLAN 777', { exact: true }).waitFor();
    await rowOf('sw0 n3/eth0').getByText('lab', { exact: true }).waitFor();
    await rowOf('sw1 n4/eth0').getByText('VLAN 999', { exact: true }).waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).getByText('4 need attention').waitFor();

    // sw0 is read again, so what is known of sw1 is older now.
    await done(service().admin.post('/switch/sw0/sweep'));
    await page.reload();
    await rowOf('sw1 n4/eth0').waitFor();
    const first = page.getByRole('table', { name: 'Drift' }).getByRole('row').nth(1);
    await expect.poll(() => first.innerText()).toContain('sw1 n4/eth0');

    // One of them.
    await page.getByRole('button', { name: 'Put back sw1 n4/eth0…' }).click();
    await page.getByRole('dialog').getByText('corral port revert sw1 n4/eth0').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Put back sw1 n4/eth0' }).click();
    // Behind a dialog no row is found, whether or not it is there.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await rowOf('sw1 n4/eth0').waitFor({ state: 'detached' });
    expect(service().simulated('sw1').read(['n4/eth0'])).toEqual([{ port: 'n4/eth0', native: null, tagged: [] }]);

    // Several, of which one says what it loses.
    for (const port of ['n1', 'n2', 'n3']) await page.getByLabel(`Choose sw0 ${port}/eth0`).check();
    await page.getByRole('button', { name: 'Put back 3 ports…' }).click();
    const losing = page.getByRole('list', { name: 'Ports that lose recorded networks' }).getByRole('listitem');
    await expect.poll(() => losing.count()).toBe(1);
    await losing.getByText('lab').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Put back 3 ports', exact: true }).click();
    await page.getByText('Every port carries what is recorded').waitFor();
    for (const port of ['n1/eth0', 'n2/eth0', 'n3/eth0'])
      expect(service().simulated('sw0').read([port])).toEqual([{ port, native: null, tagged: [] }]);
    expectNoComplaints(page);
  });

  it('of a switch that does not answer is old, and the page says so', async () => {
    const page = await openDrift();
    service().simulated('sw1').faults = { unreachable: true };
    await page.getByRole('button', { name: 'Read all switches now' }).click();
    await page.getByText(/1 of 2 switches read just now; Switch sw1 could not be read: connection refused/).waitFor();
    await page.getByRole('list', { name: 'Switches that cannot be read' }).getByText('sw1').waitFor();
    service().simulated('sw1').faults = {};
    await page.getByRole('button', { name: 'Read all switches now' }).click();
    await page.getByText('2 of 2 switches read just now').waitFor();
    await page.getByRole('list', { name: 'Switches that cannot be read' }).waitFor({ state: 'detached' });
  });

  it('on a port without a nic is repaired by its switch, which the page says and does', async () => {
    await makeNode(service(), 'n5', ['eth0'], 'sw1');
    service()
      .simulated('sw1')
      .write([{ port: 'n5/eth0', native: 555, tagged: [] }]);
    await done(service().admin.post('/switch/sw1/sweep'));
    await done(service().admin.post('/switch/sw1/port/n5/eth0/detach_nic'));
    const page = await openDrift();
    const row = page.getByRole('row').filter({ hasText: 'sw1 n5/eth0' });
    await row.getByText('no nic').waitFor();
    expect(await row.getByRole('button', { name: 'Put back' }).count()).toBe(0);
    await page.getByLabel('Choose sw1 n5/eth0').check();
    await page.getByRole('button', { name: 'Put back 1 port…' }).hover();
    await page.getByText('no nic is connected to port n5/eth0 of switch sw1; repair it instead').waitFor();
    await page.getByRole('button', { name: 'Repair sw1 n5/eth0…' }).click();
    await page.getByRole('dialog').getByText('corral switch policy sw1 repair').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Repair drift by itself' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await row.waitFor({ state: 'detached' });
    expect(service().simulated('sw1').read(['n5/eth0'])).toEqual([{ port: 'n5/eth0', native: null, tagged: [] }]);
    expectNoComplaints(page);
  });
});
