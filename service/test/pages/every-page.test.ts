import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { hasPart } from '@corral/lab';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeHeadnode } from '../support/headnodes/headnode-helpers.ts';
import { sharedChromium } from '../support/identity/chromium.ts';
import { expectNoComplaints, pagePaths, signIn, watchedPage } from '../support/pages.ts';
import { adminPassword, passwordOf } from '../support/services/service.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { connect, done, makeNetwork, makeNode, makeProject, makeUser, reserve } from '../support/services/world.ts';

/** Where each page of the router is visited. */
const visits: Readonly<Record<string, string>> = {
  '/': '/',
  '/nodes': '/nodes',
  '/nodes/$node': '/nodes/n1',
  '/nodes/$node/console': '/nodes/n1/console',
  '/claims': '/claims?project=red',
  '/releases': '/releases?project=red',
  '/racks': '/racks',
  '/networks': '/networks',
  '/networks/$network': '/networks/lab',
  '/headnodes': '/headnodes',
  '/headnodes/$headnode': '/headnodes/head',
  '/headnodes/$headnode/screen': '/headnodes/head/screen',
  '/topology': '/topology?network=lab',
  '/switches': '/switches',
  '/switches/$switch': '/switches/sw0?port=n1%2Feth0',
  '/drift': '/drift',
  '/cleaning': '/cleaning?node=n3',
  '/setup': '/setup',
  '/setup/switch': '/setup/switch',
  '/setup/ports': '/setup/ports',
  '/setup/node': '/setup/node',
  '/events': '/events',
  '/projects': '/projects',
  '/quotas': '/quotas',
  '/subscriptions': '/subscriptions',
  '/usage': '/usage?by=node',
  '/isolation': '/isolation?a=red&b=blue',
  '/users': '/users',
  '/account': '/account',
};

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What is there has been drawn, and nothing more is on its way. */
const drawn = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
};

type Theme = 'light' | 'dark';

/** What a rule of accessibility says against the page, with the elements that it means. */
const violations = async (page: Page, theme: Theme): Promise<readonly string[]> => {
  const options = {
    resultTypes: ['violations'],
    preload: false,
    // Only colours differ between the two.
    ...(theme === 'dark' ? { runOnly: ['color-contrast'] } : {}),
  };
  const found = await page.evaluate<AxeResults>(`(async () => {
    if (globalThis.axe === undefined) { ${axe} }
    return axe.run(document, ${JSON.stringify(options)});
  })()`);
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
  );
};

/** Is there more of the page than a narrow screen has room for? */
const overflows = async (page: Page): Promise<boolean> => {
  await page.setViewportSize({ width: 390, height: 844 });
  const isWider = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
  await page.setViewportSize({ width: 1280, height: 800 });
  return isWider;
};

describe.skipIf(!hasPart('Chromium'))('every page', () => {
  const service = sharedService('sqlite');
  const newBrowser = sharedChromium();

  beforeAll(async () => {
    for (const project of ['red', 'blue']) await makeProject(service(), project);
    await makeNetwork(service(), 'lab', 'red');
    for (const node of ['n1', 'n2', 'n3']) await makeNode(service(), node, ['eth0']);
    await done(service().admin.put('/node/n1/metadata/rack', { value: '"r1"' }));
    await done(service().admin.post('/node/n3/quarantine', { reason: 'a fan is broken' }));
    await reserve(service(), 'red', 'n1');
    await reserve(service(), 'blue', 'n2');
    await connect(service(), 'n1', 'eth0', 'lab');
    for (const network of ['backups', 'storage-of-the-whole-lab']) {
      await makeNetwork(service(), network, 'red');
      const { body } = await service().admin.get(`/network/${network}`);
      const { channels } = body as { readonly channels: readonly string[] };
      await connect(service(), 'n1', 'eth0', network, channels.at(-1));
    }
    await makeHeadnode(service(), 'head', 'red', ['eth0', 'eth1']);
    await done(service().admin.post('/headnode/head/hnic/eth0/connect_network', { network: 'lab' }));
    await makeUser(service(), 'rita', 'red');
    await done(service().admin.put('/quota/nodes', { limit: 4 }));
    await done(service().admin.put('/quota/nodes', { project: 'red', class: 'gpu', limit: 2 }));
    await done(service().admin.put('/quota/networks', { project: 'red', limit: 3 }));
    await done(service().admin.post('/project/red/claim', { count: 3, wait: true }));
    await done(service().admin.put('/subscription/ci', { url: 'http://127.0.0.1:9/' }));
    await done(service().admin.patch('/subscription/ci', { paused: true }));
  });

  it('has a visit here', () => {
    expect(Object.keys(visits).sort()).toEqual(
      pagePaths()
        .filter((path) => path !== '/sign-in')
        .sort(),
    );
  });

  it.each([
    ['an administrator', 'admin', adminPassword],
    ['a tenant', 'rita', passwordOf('rita')],
  ])(
    'is accessible in both themes to %s, fits a narrow screen, and asks for nothing that it may not have',
    async (_, user, password) => {
      const page = await watchedPage(await newBrowser(), service());
      const found: Record<string, readonly string[]> = {};
      const look = async (path: string, theme: Theme): Promise<void> => {
        await drawn(page);
        const complaints = [...(await violations(page, theme))];
        if (await overflows(page)) complaints.push('it is wider than a narrow screen');
        if (complaints.length > 0) found[`${path} ${theme}`] = complaints;
      };
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      await page.goto(`${service().url}/`);
      await page.getByLabel('User').waitFor();
      await look('/sign-in', 'light');
      await signIn(page, user, password);
      for (const theme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: theme });
        for (const [path, address] of Object.entries(visits)) {
          await page.goto(`${service().url}${address}`);
          await page.getByText('live', { exact: true }).waitFor();
          await look(path, theme);
        }
      }
      expect(found).toEqual({});
      expectNoComplaints(page);
    },
    240_000,
  );
});
