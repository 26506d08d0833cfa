import { hasPart } from '@corral/lab';
import { mockMachine } from '@corral/obmd/drivers/mock/mock-machine';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sharedChromium } from '../support/identity/chromium.ts';
import { startServiceWithDaemon } from '../support/obm/service-with-daemon.ts';
import { expectNoComplaints, signIn, watchedPage } from '../support/pages.ts';
import { passwordOf } from '../support/services/service.ts';
import { makeProject, makeUser, reserve } from '../support/services/world.ts';

describe.skipIf(!hasPart('Chromium'))('the power of several nodes in the browser', () => {
  const newBrowser = sharedChromium();

  it('is used after OBM is enabled, and turned off only after a question', async () => {
    const both = await startServiceWithDaemon('sqlite', 'inside', { CORRAL_OBM_TIMEOUT: '20' });
    onTestFinished(() => both.stop());
    const { service } = both;
    await makeProject(service, 'red');
    await makeUser(service, 'rita', 'red');
    const names = ['p1', 'p2'] as const;
    const machines = names.map((name) => mockMachine(`nodes-power-${name}`));
    for (const machine of machines) machine.powerOff();
    for (const name of names) {
      await both.addNode(name, 'mock', { addr: `mock://nodes-power-${name}?tick_ms=99999999` });
      await reserve(service, 'red', name);
    }
    const page = await watchedPage(await newBrowser(), service);
    await page.goto(`${service.url}/nodes?show=mine`);
    await signIn(page, 'rita', passwordOf('rita'));
    for (const name of names) await page.getByLabel(`Choose ${name}`, { exact: true }).check();
    const dialog = page.getByRole('dialog');
    const order = async (what: string, button: string): Promise<void> => {
      await page.getByRole('button', { name: 'Power…' }).click();
      await dialog.getByLabel('What to do').selectOption(what);
      await dialog.getByRole('button', { name: button }).click();
      await expect.poll(() => dialog.getByRole('listitem').allInnerTexts()).toEqual(['p1\ndone', 'p2\ndone']);
      await dialog.getByRole('button', { name: 'Close' }).click();
    };
    await order('Enable OBM', 'Enable OBM of 2 nodes');
    await order('Turn on', 'Turn on 2 nodes');
    expect(machines.map(({ power }) => power)).toEqual(['on', 'on']);
    await order('Turn off', 'Turn off 2 nodes');
    expect(machines.map(({ power }) => power)).toEqual(['off', 'off']);
    expectNoComplaints(page);
  });
});
