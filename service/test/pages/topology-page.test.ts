import { hasPart } from '@corral/lab';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedChromium } from '../support/identity/chromium.ts';
import { expectNoComplaints, signIn, watchedPage } from '../support/pages.ts';
import { adminPassword, passwordOf } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { connect, makeNetwork, makeNode, makeProject, makeUser, reserve } from '../support/services/world.ts';

/** What is drawn now, to be compared. */
const pictureOf = (page: Page): Promise<string> =>
  page.evaluate(`document.querySelector('[role="application"] canvas').toDataURL()`);

const coloursOf = (page: Page): Promise<number> =>
  page.evaluate(`(() => {
    const canvas = document.querySelector('[role="application"] canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  })()`);

const number = (index: number): string => String(index).padStart(4, '0');

/** A large site, as the overviews would tell of it: the second cable of every node is in the next switch. */
const largeSite = (count: { readonly nodes: number; readonly switches: number; readonly networks: number }) => {
  const nodes = Array.from({ length: count.nodes }, (_, index) => ({
    name: `node-${number(index)}`,
    project: `project-${index % 20}`,
    nics: [0, 1].map((nic) => ({
      label: `eth${nic}`,
      macaddr: `02:00:00:00:${(index >> 8).toString(16).padStart(2, '0')}:${(index & 255).toString(16).padStart(2, '0')}`,
      networks: { 'vlan/native': `net-${number((index + nic * 7) % count.networks)}` },
      port: `${index}-${nic}`,
      switch: `sw-${(index + nic) % count.switches}`,
      pending: null,
    })),
    metadata: {},
    obm_enabled: false,
    blocked: [],
  }));
  const networks = Array.from({ length: count.networks }, (_, index) => ({
    name: `net-${number(index)}`,
    network_id: String(index + 100),
    channels: ['vlan/native'],
    owner: `project-${index % 20}`,
    access: [`project-${index % 20}`],
    use: null,
    nodes: 0,
    nics: 0,
  }));
  const switches = Array.from({ length: count.switches }, (_, index) => ({
    name: `sw-${index}`,
    type: 'mock',
    policy: 'report',
    state: 'ok',
    swept_at: null,
    fault: null,
    ports: 0,
    drifting: 0,
    suspect: 0,
    unread: 0,
    in_doubt: 0,
  }));
  return {
    nodes: { event: 1, nodes, others: [], next: null },
    networks: { event: 1, networks },
    switches: { event: 1, switches, next: null },
  };
};

describe.skipIf(!hasPart('Chromium'))('the topology in the browser', () => {
  const service = sharedService('sqlite');
  const newBrowser = sharedChromium();

  beforeAll(async () => {
    for (const project of ['red', 'blue']) await makeProject(service(), project);
    for (const node of ['n1', 'n2', 'n3', 'n4']) await makeNode(service(), node, ['eth0'], 'rack-switch');
    for (const node of ['n1', 'n2', 'n3']) await reserve(service(), 'red', node);
    await reserve(service(), 'blue', 'n4');
    await makeUser(service(), 'rita', 'red');
    await makeNetwork(service(), 'red-lab', 'red');
    await makeNetwork(service(), 'red-storage', 'red');
    await makeNetwork(service(), 'blue-lab', 'blue');
    for (const node of ['n1', 'n2']) await connect(service(), node, 'eth0', 'red-lab');
    await connect(service(), 'n4', 'eth0', 'blue-lab');
  });

  const pageOf = async () => watchedPage(await newBrowser(), service());
  const open = async (page: Page, user: string, path: string): Promise<void> => {
    await page.goto(`${service().url}${path}`);
    await signIn(page, user, user === 'admin' ? adminPassword : passwordOf(user));
  };
  const shown = (page: Page) => page.getByRole('status', { name: 'Shown' });
  const says = (page: Page, text: string) => expect.poll(() => shown(page).innerText()).toBe(text);
  const listed = (page: Page): Promise<string[]> =>
    page.getByRole('table', { name: 'Connections' }).locator('a[href^="/nodes/"]').allInnerTexts();
  const picture = (page: Page) => page.getByRole('application', { name: 'Picture of the topology' });
  const searchOf = (page: Page, name: string): string | null => new URL(page.url()).searchParams.get(name);

  it('highlights what a network touches, and follows what happens', async () => {
    const page = await pageOf();
    await open(page, 'admin', '/topology?network=red-lab');
    await says(page, 'red-lab touches 1 switch, 2 nodes');
    expect(await listed(page)).toEqual(['n1', 'n2']);
    await expect.poll(() => coloursOf(page)).toBeGreaterThan(2);
    await connect(service(), 'n3', 'eth0', 'red-lab');
    await says(page, 'red-lab touches 1 switch, 3 nodes');
    await expect.poll(() => listed(page)).toEqual(['n1', 'n2', 'n3']);
    await page.getByLabel('Network', { exact: true }).selectOption('blue-lab');
    await says(page, 'blue-lab touches 1 switch, 1 node');
    expect(searchOf(page, 'network')).toBe('blue-lab');
    expectNoComplaints(page);
  });

  it('is moved and zoomed by keys, finds by name, and takes clicks', async () => {
    const page = await pageOf();
    await open(page, 'admin', '/topology');
    await says(page, '1 switch, 4 nodes, 3 networks');
    await picture(page).focus();
    await expect.poll(() => coloursOf(page)).toBeGreaterThan(2);
    const whole = await pictureOf(page);
    for (const key of ['+', 'ArrowLeft', 'ArrowUp']) {
      const before = await pictureOf(page);
      await page.keyboard.press(key);
      await expect.poll(() => pictureOf(page)).not.toBe(before);
    }
    await page.keyboard.press('0');
    await expect.poll(() => pictureOf(page)).toBe(whole);

    // What was found alone is in the middle, so a click there is a click on it.
    await page.getByLabel('Find by name or MAC address').fill('red-storage');
    await says(page, '1 switch, 4 nodes, 3 networks; 1 found');
    await expect.poll(() => pictureOf(page)).not.toBe(whole);
    await picture(page).click();
    await says(page, 'red-storage touches 0 nodes; 1 found');
    await page.getByLabel('Find by name or MAC address').fill('n4');
    await expect.poll(() => searchOf(page, 'q')).toBe('n4');
    await says(page, 'red-storage touches 0 nodes; 1 found');
    await picture(page).click();
    await page.getByRole('heading', { name: 'n4' }).waitFor();
    await page.goBack();
    await page.getByLabel('Project', { exact: true }).selectOption('blue');
    await expect.poll(() => searchOf(page, 'project')).toBe('blue');
    await page.goto(`${service().url}/topology?project=blue`);
    await expect.poll(() => listed(page)).toEqual(['n4']);
    expectNoComplaints(page);
  });

  it('shows a tenant no switches and nothing of others', async () => {
    const page = await pageOf();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await open(page, 'rita', '/topology');
    await says(page, '3 nodes, 2 networks');
    expect(await listed(page)).toEqual(['n1', 'n2', 'n3']);
    expect(await page.getByRole('button', { name: 'Plugged into' }).count()).toBe(0);
    expect(await page.getByLabel('Network', { exact: true }).innerText()).not.toContain('blue-lab');
    expect(asked.filter((url) => url.includes('/overview/switch'))).toEqual([]);
    expectNoComplaints(page);
  });

  it('draws a thousand nodes on thirty switches, and finds one of them', async () => {
    const page = await pageOf();
    const site = largeSite({ nodes: 1_000, switches: 30, networks: 40 });
    for (const [name, body] of Object.entries(site))
      await page.route(`**/v0/overview/${name}*`, (route) => route.fulfill({ json: body }));
    await open(page, 'admin', '/topology');
    await says(page, '30 switches, 1000 nodes, 40 networks');
    await expect.poll(() => coloursOf(page)).toBeGreaterThan(8);
    const whole = await pictureOf(page);
    await page.getByLabel('Find by name or MAC address').fill('node-0777');
    await says(page, '30 switches, 1000 nodes, 40 networks; 1 found');
    await expect.poll(() => pictureOf(page)).not.toBe(whole);
    expect(await listed(page)).toEqual(['node-0777']);
    await page.getByLabel('Find by name or MAC address').fill('');
    await page.getByLabel('Network', { exact: true }).selectOption('net-0003');
    // Three by the first cable of its nodes, three by the second, which is not the one that they are drawn under.
    await says(page, 'net-0003 touches 6 switches, 50 nodes');
    expectNoComplaints(page);
  });
});
