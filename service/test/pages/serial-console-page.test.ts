import { hasPart } from '@corral/lab';
import { mockMachine } from '@corral/obmd/drivers/mock/mock-machine';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sharedChromium } from '../support/identity/chromium.ts';
import { Watcher } from '../support/obm/console-watcher.ts';
import { startServiceWithDaemon } from '../support/obm/service-with-daemon.ts';
import { expectNoComplaints, signIn, watchedPage } from '../support/pages.ts';
import { setObm } from '../support/services/obm-rack.ts';
import { passwordOf, type Service } from '../support/services/service.ts';
import { makeProject, makeUser, reserve } from '../support/services/world.ts';

/** A service with the OBM daemon inside, and rita's node n1, which is a machine that is only imagined. */
const makeScene = async (name: string, isEnabled = true) => {
  const both = await startServiceWithDaemon('sqlite', 'inside', { CORRAL_OBM_TIMEOUT: '20' });
  onTestFinished(() => both.stop());
  const { service } = both;
  await makeProject(service, 'red');
  const rita = await makeUser(service, 'rita', 'red');
  const machine = mockMachine(name);
  machine.powerOn();
  await both.addNode('n1', 'mock', { addr: `mock://${name}?tick_ms=99999999` });
  await reserve(service, 'red', 'n1');
  if (isEnabled) await setObm(rita, true);
  return { service, machine, rita };
};

const openedBy = async (context: BrowserContext, service: Service, path: string) => {
  const page = await watchedPage(context, service);
  await page.goto(`${service.url}${path}`);
  await signIn(page, 'rita', passwordOf('rita'));
  return page;
};

const connected = (page: Page): Promise<void> => page.getByText('connected to n1').waitFor({ timeout: 20_000 });
const screenOf = (page: Page) => page.getByRole('region', { name: 'Console of n1' });

/** How often a page asks from now on whether a node is on, and how many of these questions are not answered. */
const powerQuestions = (page: Page): { readonly count: number; readonly open: number } => {
  const asked = { count: 0, open: 0 };
  const isOne = (request: Request): boolean => request.url().endsWith('/power_status');
  const over = (request: Request): void => {
    if (isOne(request)) asked.open -= 1;
  };
  page.on('request', (request) => {
    if (!isOne(request)) return;
    asked.count += 1;
    asked.open += 1;
  });
  page.on('requestfinished', over);
  page.on('requestfailed', over);
  return asked;
};

describe.skipIf(!hasPart('Chromium'))('the serial console in the browser', () => {
  const newBrowser = sharedChromium();

  it('goes both ways, is taken over by a second browser that wants it, and taken back with what was printed', async () => {
    const { service, machine } = await makeScene('console-page-both');
    const first = await openedBy(await newBrowser(), service, '/nodes/n1/console');
    await connected(first);
    // Colours of every kind: each is a style that the policy of the page must allow.
    machine.say('\u001b[38;2;1;90;3mhello from the machine\u001b[0m\r\n');
    const printed = screenOf(first).getByText('hello from the machine').first();
    await printed.waitFor();
    const colours = `[...document.querySelectorAll('.xterm-rows span')].map((each) => getComputedStyle(each).color)`;
    await expect.poll(() => first.evaluate<string[]>(colours)).toContain('rgb(1, 90, 3)');
    await first.keyboard.type('uname -a');
    await first.keyboard.press('Enter');
    await expect.poll(() => machine.lastTyped).toBe('uname -a\r');

    const second = await openedBy(await newBrowser(), service, '/nodes/n1/console');
    await second.getByText('In use by you, in another window, since').waitFor();
    await first.keyboard.type('!');
    await expect.poll(() => machine.lastTyped).toBe('uname -a\r!');
    await second.getByRole('button', { name: 'Take it over' }).click();
    await connected(second);
    await screenOf(second).getByText('hello from the machine').first().waitFor();
    await first.getByText('Another client has taken over this console').waitFor();
    await second.keyboard.type('x');
    await expect.poll(() => machine.lastTyped).toBe('uname -a\r!x');

    await first.getByRole('button', { name: 'Take it back' }).click();
    await connected(first);
    await screenOf(first).getByText('what the machine printed last is repeated').first().waitFor();
    await second.getByText('Another client has taken over this console').waitFor();
    for (const page of [first, second]) expectNoComplaints(page);
  });

  it('is not taken from somebody else unasked, and a reload is not somebody else', async () => {
    const { service, machine, rita } = await makeScene('console-page-held');
    const watcher = new Watcher(service, service.admin);
    await expect.poll(() => watcher.status).toBe(200);
    const page = await openedBy(await newBrowser(), service, '/nodes/n1/console');
    await page.getByText('In use by admin, since').waitFor();
    expect(watcher.end).toBe('open');
    await page.getByRole('button', { name: 'Take it over' }).click();
    await connected(page);
    await expect.poll(() => watcher.end).toBe('clean');

    await page.reload();
    await connected(page);
    machine.say('still mine\r\n');
    await screenOf(page).getByText('still mine').first().waitFor();
    expect((await rita.get('/node/n1/console/client')).body).toMatchObject({ client: { caller: 'rita' } });
    expectNoComplaints(page);
  });

  it('is not taken from somebody else either if the service does not say at first who has it', async () => {
    const { service } = await makeScene('console-page-unanswered');
    const watcher = new Watcher(service, service.admin);
    await expect.poll(() => watcher.status).toBe(200);
    const context = await newBrowser();
    const failures = ['no answer', 'overloaded'];
    await context.route('**/console/client', (route) => {
      const failure = failures.shift();
      if (failure === undefined) return route.continue();
      return failure === 'no answer' ? route.abort() : route.fulfill({ status: 503, body: '' });
    });
    const page = await openedBy(context, service, '/nodes/n1/console');
    await page.getByText('In use by admin, since').waitFor();
    expect([failures, watcher.end]).toEqual([[], 'open']);
  });

  it('is not taken back by itself from somebody who took it while the connection was lost', async () => {
    const { service } = await makeScene('console-page-lost');
    const context = await newBrowser();
    let lose = (): Promise<void> => Promise.resolve();
    await context.routeWebSocket(/\/console$/, (line) => {
      // What the service says at the end does not arrive.
      line.connectToServer().onClose(() => undefined);
      lose = () => line.close({ code: 4999, reason: 'lost' });
    });
    const page = await openedBy(context, service, '/nodes/n1/console');
    await connected(page);
    const watcher = new Watcher(service, service.admin);
    await expect.poll(() => watcher.status).toBe(200);
    await lose();
    await page.getByText('In use by admin, since').waitFor();
    expect(watcher.end).toBe('open');
    expectNoComplaints(page);
  });

  it('asks before more than one line is pasted, and finds what was printed', async () => {
    const { service, machine } = await makeScene('console-page-paste');
    const page = await openedBy(await newBrowser(), service, '/nodes/n1/console');
    await connected(page);
    const paste = (text: string) =>
      page.evaluate(`{
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', ${JSON.stringify(text)});
        const pasted = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
        document.querySelector('textarea[aria-label="Terminal input"]').dispatchEvent(pasted);
      }`);
    await paste('one line');
    await expect.poll(() => machine.lastTyped).toBe('one line');
    await paste('\nreboot\nhalt\n');
    const dialog = page.getByRole('dialog', { name: 'Paste 3 lines?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await paste('a\nb');
    await page.getByRole('button', { name: 'Paste 2 lines' }).click();
    await expect.poll(() => machine.lastTyped).toBe('one linea\rb');

    machine.say('\r\nneedle 1\r\nneedle 2\r\n');
    await screenOf(page).getByText('needle 2').first().waitFor();
    await page.getByLabel('Find in the console').fill('needle');
    await expect.poll(() => page.getByLabel('Found').innerText()).toBe('2 of 2');
    await page.getByRole('button', { name: 'Find the previous one' }).click();
    await expect.poll(() => page.getByLabel('Found').innerText()).toBe('1 of 2');
    await page.getByRole('button', { name: 'Full screen' }).click();
    await page.getByRole('button', { name: 'Leave full screen' }).click();
    expectNoComplaints(page);
  });

  it('is opened from the page of the node, with its power, and closed when OBM is disabled', async () => {
    const { service, machine, rita } = await makeScene('console-page-power', false);
    const page = await openedBy(await newBrowser(), service, '/nodes/n1');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Enable OBM' }).click();
    await dialog.getByText('corral node obm enable n1').waitFor();
    await dialog.getByRole('button', { name: 'Enable OBM' }).click();
    const power = page.getByRole('status', { name: 'Power' });
    await expect.poll(() => power.innerText()).toBe('on');
    await page.getByRole('button', { name: 'Turn off' }).click();
    await dialog.getByRole('button', { name: 'Turn off' }).click();
    await expect.poll(() => power.innerText()).toBe('off');
    expect(machine.power).toBe('off');
    await page.getByLabel('Boot device').selectOption('disk');
    await page.getByRole('button', { name: 'Set boot device' }).click();
    await dialog.getByRole('button', { name: 'Set boot device' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Turn on' }).click();
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    await expect.poll(() => machine.bootedFrom.at(-1)).toBe('disk');

    await page.getByRole('link', { name: 'Serial console' }).click();
    await connected(page);
    await page.getByRole('button', { name: 'Force restart' }).click();
    const asked = powerQuestions(page);
    await dialog.getByRole('button', { name: 'Force restart' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(machine.bootedFrom.at(-1)).toBe('pxe');
    // After the restart, and once more when the page hears of it: later it would be refused.
    await expect.poll(() => asked.count >= 2 && asked.open === 0).toBe(true);
    await connected(page);
    // The page hears of it, and for a moment goes on with what it knew of the node.
    await page.route('**/overview/node/n1', async (each) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await each.continue();
    });
    await setObm(rita, false);
    await page.getByText('OBM of node n1 is disabled').waitFor();
    await page.getByRole('link', { name: 'n1' }).click();
    const plan = page.getByRole('list', { name: 'What a release does' });
    await expect.poll(() => plan.innerText()).toBe('take it out of project red');
    expectNoComplaints(page);
  });
});
