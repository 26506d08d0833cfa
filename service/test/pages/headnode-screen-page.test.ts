import { hasPart } from '@corral/lab';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HeadnodeHost, startHeadnodeHost } from '../support/headnodes/headnode-host.ts';
import { makeHeadnode } from '../support/headnodes/headnode-helpers.ts';
import { makeScreenFixture } from '../support/headnodes/screen-fixture.ts';
import { sharedChromium } from '../support/identity/chromium.ts';
import { expectNoComplaints, signIn, watchedPage } from '../support/pages.ts';
import { passwordOf, type Service, serviceForTest } from '../support/services/service.ts';
import { done, makeProject, makeUser } from '../support/services/world.ts';

const timeout = 120_000;

/** How many colours the screen in the page has now. */
const coloursOf = (page: Page): Promise<number> =>
  page.evaluate(`(() => {
    const canvas = document.querySelector('[role="application"] canvas');
    if (canvas === null || canvas.width === 0) return 0;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  })()`);

/** The viewer writes down that its connection was closed before both sides had spoken. */
const forgetClosing = ({ list }: { list: string[] }, also = /^$/): void => {
  const kept = list.filter((line) => !line.startsWith('console: Failed when connecting: ') && !also.test(line));
  list.splice(0, list.length, ...kept);
};

describe.skipIf(!hasPart('Chromium'))('the screen of a headnode in the browser', { timeout }, () => {
  const newBrowser = sharedChromium();

  const openedBy = async (user: string, service: Service, path: string) => {
    const page = await watchedPage(await newBrowser(), service);
    await page.goto(`${service.url}${path}`);
    await signIn(page, user, passwordOf(user));
    return page;
  };
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  describe.skipIf(!hasPart('libvirt'))('on libvirt', () => {
    let host: HeadnodeHost;
    beforeAll(async () => {
      host = await startHeadnodeHost();
    });
    afterAll(() => host.libvirt.stop());

    it('is a picture of the real machine, which can be opened again, filled, and only looked at', async () => {
      const service = await serviceForTest('sqlite', host.env);
      await makeProject(service, 'red');
      await makeUser(service, 'rita', 'red');
      await makeHeadnode(service, 'h', 'red');
      await done(service.admin.post('/headnode/h/start'));
      try {
        const page = await openedBy('rita', service, '/headnodes/h');
        await page.getByRole('link', { name: 'Screen' }).click();
        const connected = page.getByRole('region', { name: 'Screen of h' }).getByText('connected to h');
        await connected.waitFor({ timeout: 60_000 });
        await expect.poll(() => coloursOf(page), { timeout: 60_000 }).toBeGreaterThan(1);

        await button(page, 'Ctrl-Alt-Del').click();
        await button(page, 'Only look').click();
        expect(await button(page, 'Ctrl-Alt-Del').getAttribute('aria-disabled')).toBe('true');
        await button(page, 'Full screen').click();
        await button(page, 'Leave full screen').click();
        await button(page, 'Reconnect').click();
        await connected.waitFor({ timeout: 60_000 });
        await expect.poll(() => coloursOf(page), { timeout: 60_000 }).toBeGreaterThan(1);

        await done(service.admin.post('/headnode/h/stop'));
        await page.getByText('Headnode h is not running, so it has no screen').waitFor();
        expectNoComplaints(page);
      } finally {
        await done(service.admin.del('/headnode/h'));
      }
    });
  });

  it('says that it cannot be shown, and tries again until the headnode is stopped', async () => {
    const { service, display } = await makeScreenFixture('sqlite');
    await display.stop();
    const page = await openedBy('alice', service, '/headnodes/h/screen');
    await page
      .getByText(/^The screen of the headnode does not answer, or .*; trying again…$/)
      .waitFor({ timeout: 60_000 });
    await done(service.admin.post('/headnode/h/stop'));
    await page.getByText('Headnode h is not running, so it has no screen').waitFor();
    forgetClosing(page, /WebSocket connection|status of 400/);
    expectNoComplaints(page);
  });

  it('is closed with the reason when the person loses the project', async () => {
    const { service, display } = await makeScreenFixture('sqlite');
    const page = await openedBy('alice', service, '/headnodes/h/screen');
    const viewer = await display.viewer();
    const said = new Promise<string>((resolve) => viewer.once('data', (bytes) => resolve(bytes.toString('latin1'))));
    viewer.write('RFB 003.008\n');
    expect(await said).toBe('RFB 003.008\n');
    await done(service.admin.post('/auth/basic/user/alice/remove_project', { project: 'red' }));
    await page.getByText('You no longer have access to this').waitFor({ timeout: 60_000 });
    forgetClosing(page);
    expectNoComplaints(page);
  });
});
