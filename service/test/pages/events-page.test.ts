import { hasPart } from '@corral/lab';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedChromium } from '../support/identity/chromium.ts';
import { expectNoComplaints, signIn, watchedPage } from '../support/pages.ts';
import { runSql } from '../support/services/run-sql.ts';
import { adminPassword } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { connect, done, makeNetwork, makeNode, makeProject, makeUser, reserve } from '../support/services/world.ts';

describe.skipIf(!hasPart('Chromium'))('events in the browser', () => {
  const service = sharedService('sqlite');
  const newBrowser = sharedChromium();

  beforeAll(async () => {
    for (const project of ['red', 'blue']) await makeProject(service(), project);
    await makeNetwork(service(), 'lab', 'red');
    await makeUser(service(), 'rita', 'red');
    for (const node of ['n1', 'n2', 'n3']) await makeNode(service(), node, ['eth0', 'eth1']);
    await reserve(service(), 'red', 'n1');
    await reserve(service(), 'blue', 'n2');
    await connect(service(), 'n1', 'eth0', 'lab');
  });

  it('are filtered by everything that an event has, and new ones that fit come by themselves', async () => {
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(`${service().url}/events`);
    await signIn(page, 'admin', adminPassword);
    await page.getByText('live', { exact: true }).waitFor();
    const rows = page.getByRole('table', { name: 'Events' }).getByRole('row');
    const count = (text: RegExp | string) => rows.filter({ hasText: text }).count();
    /** Asks for one property, and gives the types of what is shown. */
    const typesWith = async (label: string, value: string, expected: readonly string[]): Promise<void> => {
      await page.getByLabel(label, { exact: true }).fill(value);
      const types = page.getByRole('table', { name: 'Events' }).locator('tbody td:nth-child(4)');
      await expect.poll(async () => [...new Set(await types.allInnerTexts())].sort()).toEqual(expected);
      expect(new URL(page.url()).searchParams.get(label.toLowerCase())).toBe(value);
      await page.getByLabel(label, { exact: true }).fill('');
    };
    await typesWith('Type', 'project_create', ['project_create']);
    await typesWith('Network', 'lab', ['network_create', 'networking_action_done', 'node_connect_network']);
    await typesWith('User', 'rita', ['user_add_project', 'user_create']);
    await typesWith('Nic', 'eth1', ['node_register_nic', 'port_connect_nic']);
    await typesWith('Port', 'n2/eth1', ['port_connect_nic', 'switch_register_port']);

    await page.getByLabel('Project', { exact: true }).fill('blue');
    await expect.poll(() => count('n2')).toBeGreaterThan(0);
    await expect.poll(() => count('n1')).toBe(0);
    const before = await rows.count();
    await reserve(service(), 'red', 'n3');
    await done(service().admin.post('/project/blue/detach_node', { node: 'n2' }));
    await rows.filter({ hasText: 'project_detach_node' }).waitFor();
    expect(await rows.count()).toBe(before + 1);
    expectNoComplaints(page);
  });

  it('are shown of the last while, or between two times, which are in the address', async () => {
    const twoDays = 2 * 24 * 3_600_000;
    const old = `update events set at = at - ${twoDays} where type = 'project_create' and project = 'red'`;
    await runSql(service(), { sqlite: old, postgres: old });
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(`${service().url}/events?type=project_create`);
    await signIn(page, 'admin', adminPassword);
    const projects = page.getByRole('table', { name: 'Events' }).locator('tbody td:nth-child(5)');
    const shown = async (expected: readonly string[]) =>
      expect.poll(async () => (await projects.allInnerTexts()).sort()).toEqual(expected);
    const inAddress = (name: string) => new URL(page.url()).searchParams.get(name);
    await shown(['blue', 'red']);
    await page.getByRole('button', { name: 'Last day' }).click();
    await shown(['blue']);
    expect(inAddress('last')).toBe('day');
    // New ones that fit come by themselves.
    await makeProject(service(), 'white');
    await shown(['blue', 'white']);
    await page.getByRole('button', { name: 'Last week' }).click();
    await shown(['blue', 'red', 'white']);

    await page.getByRole('button', { name: 'From … to' }).click();
    await shown(['blue', 'white']);
    /** As the browser's clock has it, which is this machine's. */
    const local = (time: number): string =>
      new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    const dayBefore = Date.now() - twoDays / 2;
    await page.getByLabel('To').fill(local(dayBefore));
    await page.getByLabel('From').fill(local(dayBefore - twoDays));
    await shown(['red']);
    expect(inAddress('last')).toBe(null);
    expect(Math.abs(Date.parse(inAddress('to') ?? '') - dayBefore)).toBeLessThan(60_000);
    await page.reload();
    await shown(['red']);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await shown(['blue', 'red', 'white']);
    expect(inAddress('to')).toBe(null);
    expectNoComplaints(page);
  });

  it('are sentences, whose things are links', async () => {
    await makeNode(service(), 'n4', ['eth0']);
    await done(service().admin.post('/switch/sw0/port/n4/eth0/detach_nic'));
    const page = await watchedPage(await newBrowser(), service());
    await page.goto(`${service().url}/events`);
    await signIn(page, 'admin', adminPassword);
    const rows = page.getByRole('table', { name: 'Events' }).getByRole('row');
    for (const sentence of [
      /recorded that\s*n4 eth0\s*is unplugged from\s*sw0 n4\/eth0/,
      /added rita to red/,
      /registered node\s*n1/,
      /created network\s*lab/,
    ])
      await rows.filter({ hasText: sentence }).first().waitFor();
    const unplugged = rows.filter({ hasText: 'is unplugged from' });
    await expect.poll(() => unplugged.getByRole('link').allInnerTexts()).toEqual(['n4', 'sw0']);
    expectNoComplaints(page);
  });
});
