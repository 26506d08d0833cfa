import { hasPart } from '@corral/lab';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Receiver, signatureOf, startReceiver } from '../support/http/webhook-receiver.ts';
import { sharedChromium } from '../support/identity/chromium.ts';
import { startRelay } from '../support/mail/mail-relay.ts';
import { expectNoComplaints, forgetRefusals, signIn, watchedPage } from '../support/pages.ts';
import { runSql } from '../support/services/run-sql.ts';
import { adminPassword, passwordOf, type Service, serviceForTest } from '../support/services/service.ts';
import { done, eventually, makeNode, makeProject, makeUser, reserve } from '../support/services/world.ts';

const forProjects = { CORRAL_WEBHOOKS_PROJECT_TARGETS: '127.0.0.0/8' };

/** A service with project red, whose member is rita. */
const siteOfRed = async (env: Readonly<Record<string, string>>): Promise<Service> => {
  const service = await serviceForTest('sqlite', env);
  await makeProject(service, 'red');
  await makeUser(service, 'rita', 'red');
  return service;
};

const sql = (service: Service, statement: string): Promise<unknown[]> =>
  runSql(service, { sqlite: statement, postgres: statement });

const rowOf = (page: Page, subscription: string) =>
  page.getByRole('table', { name: 'Subscriptions' }).getByRole('row').filter({ hasText: subscription });

/** Chooses what can be done with a subscription; answers with the dialog that asks. */
const ask = async (page: Page, subscription: string, action: string) => {
  await page.getByRole('button', { name: `Actions for ${subscription}` }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
  return page.getByRole('dialog');
};

/** The secret that a dialog shows once, which is closed then. */
const storedSecret = async (page: Page): Promise<string> => {
  const dialog = page.getByRole('dialog');
  const secret = await dialog.getByText(/^whsec_/).innerText();
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.getByText(secret).count()).toBe(0);
  return secret;
};

/** Has a test message sent, and answers with it. */
const testMessage = async (page: Page, subscription: string, receiver: Receiver) => {
  const dialog = await ask(page, subscription, 'Send a test…');
  await dialog.getByRole('button', { name: 'Send test' }).click();
  await dialog.getByText('Delivered: the receiver answered 204').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await dialog.waitFor({ state: 'detached' });
  const message = receiver.taken.findLast(({ type }) => type === 'subscription_test');
  if (message === undefined) throw new Error('no test message arrived');
  return message;
};

describe.skipIf(!hasPart('Chromium'))('subscriptions in the browser', () => {
  const newBrowser = sharedChromium();

  const opened = async (service: Service, user = 'admin', password = adminPassword) => {
    const page = await watchedPage(await newBrowser(), service);
    await page.goto(`${service.url}/subscriptions`);
    await signIn(page, user, password);
    return page;
  };

  it('post to an address, signed with a secret that is shown once, and by two while it is rotated', async () => {
    const service = await siteOfRed(forProjects);
    const receiver = await startReceiver();
    const page = await opened(service, 'rita', passwordOf('rita'));
    await page.getByText('There are no subscriptions').waitFor();
    await page.getByRole('button', { name: 'Create subscription…' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name', { exact: true }).fill('ci');
    await form.getByLabel('Address', { exact: true }).fill('ftp://127.0.0.1/');
    await form.getByRole('button', { name: 'Create subscription', exact: true }).click();
    await form.getByRole('alert').getByText('This is not an http or https address').waitFor();
    await form.getByLabel('Address', { exact: true }).fill(receiver.url);
    await form.getByText('Only some events').click();
    await form.getByLabel('Types', { exact: true }).fill('project_connect_node, node_released');
    const types = '--types project_connect_node,node_released';
    await form.getByText(`corral subscription create ci '${receiver.url}' --project red ${types}`).waitFor();
    await form.getByRole('button', { name: 'Create subscription', exact: true }).click();
    forgetRefusals(page);
    const secret = await storedSecret(page);
    const row = rowOf(page, 'ci');
    await row.getByText('types project_connect_node, node_released').waitFor();
    await row.getByText('active').waitFor();

    const message = await testMessage(page, 'ci', receiver);
    expect(message.signatures).toEqual([signatureOf(message, secret)]);

    const rotate = await ask(page, 'ci', 'Rotate secret…');
    await rotate.getByRole('button', { name: 'Rotate secret', exact: true }).click();
    await rotate.getByText('ci has a new secret').waitFor();
    const next = await storedSecret(page);
    const both = await testMessage(page, 'ci', receiver);
    expect(both.signatures).toEqual([signatureOf(both, next), signatureOf(both, secret)]);
    expectNoComplaints(page);
  });

  it('are paused, resumed, changed, and deleted after a question', async () => {
    const service = await siteOfRed(forProjects);
    const filter = { types: ['project_connect_node'] };
    await done(service.admin.put('/subscription/ci', { url: 'http://127.0.0.1:9/', project: 'red', filter }));
    const page = await opened(service, 'rita', passwordOf('rita'));
    const row = rowOf(page, 'ci');
    await row.getByText('types project_connect_node').waitFor();
    const pause = await ask(page, 'ci', 'Pause…');
    await pause.getByText('corral subscription pause ci').waitFor();
    await pause.getByRole('button', { name: 'Pause', exact: true }).click();
    await row.getByText('paused').waitFor();
    const resume = await ask(page, 'ci', 'Resume…');
    await resume.getByText('Why it is paused: rita paused it.').waitFor();
    await resume.getByLabel('Skip what happened meanwhile').check();
    await resume.getByText('corral subscription resume ci --from-now').waitFor();
    await resume.getByRole('button', { name: 'Resume', exact: true }).click();
    await row.getByText('active').waitFor();

    const change = await ask(page, 'ci', 'Change…');
    await change.getByLabel('Types', { exact: true }).fill('');
    await change.getByText('corral subscription update ci --all').waitFor();
    await change.getByRole('button', { name: 'Change subscription' }).click();
    await row.getByText('all', { exact: true }).waitFor();

    const remove = await ask(page, 'ci', 'Delete…');
    await remove.getByText('corral subscription delete ci').waitFor();
    await remove.getByRole('button', { name: 'Cancel' }).click();
    await remove.waitFor({ state: 'detached' });
    expect((await done(service.admin.get('/subscriptions'))).body).toHaveLength(1);
    await (await ask(page, 'ci', 'Delete…')).getByRole('button', { name: 'Delete ci', exact: true }).click();
    await page.getByText('There are no subscriptions').waitFor();
    expect((await done(service.admin.get('/subscriptions'))).body).toEqual([]);
    expectNoComplaints(page);
  });

  it('that are changed keep the filters that no field has', async () => {
    const service = await siteOfRed({});
    const filter = { types: ['node_released'], project: 'red', nic: 'eth0' };
    await done(service.admin.put('/subscription/ci', { url: 'http://127.0.0.1:9/', filter }));
    const page = await opened(service);
    const change = await ask(page, 'ci', 'Change…');
    await change.getByText('It stays limited to project red, nic eth0.').waitFor();
    await change.getByLabel('Types', { exact: true }).fill('node_released, node_quarantined');
    // The command line would take those away.
    expect(await change.getByText('corral subscription update').count()).toBe(0);
    await change.getByRole('button', { name: 'Change subscription', exact: true }).click();
    await change.waitFor({ state: 'detached' });
    const { body } = await done(service.admin.get('/subscription/ci'));
    expect(body).toMatchObject({ filter: { ...filter, types: ['node_released', 'node_quarantined'] } });
    expectNoComplaints(page);
  });

  it('that fail say how the last attempt ended; what was given up is listed, and sent again', async () => {
    const service = await siteOfRed(forProjects);
    const receiver = await startReceiver();
    receiver.react = () => 500;
    await makeNode(service, 'n1');
    const filter = { types: ['project_connect_node'] };
    await done(service.admin.put('/subscription/ci', { url: receiver.url, project: 'red', filter }));
    const page = await opened(service, 'rita', passwordOf('rita'));
    const row = rowOf(page, 'ci');
    await row.getByText('nothing yet').waitFor();
    await reserve(service, 'red', 'n1');
    await row.getByText('failing').waitFor();
    await row.getByText('answered 500').waitFor();
    // Instead of waiting for a day, and for the next attempt.
    await sql(service, `update events set at = at - ${2 * 86_400_000}`);
    await eventually(async () => {
      await sql(service, 'update subscriptions set retry_at = 0 where attempts > 0');
      const { body } = await done(service.admin.get('/subscription/ci/dead_letters'));
      return (body as unknown[]).length === 1 ? true : undefined;
    });
    await row.getByText('1 given up').waitFor();
    const dialog = await ask(page, 'ci', 'Deliveries');
    const letters = dialog.getByRole('region', { name: 'Dead letters' });
    await letters.getByText('project_connect_node').waitFor();
    await letters.getByText(/^answered 500; given up/).waitFor();
    const resend = letters.getByRole('button', { name: /^Resend event \d+$/ });
    await resend.click();
    await letters.getByText('Not delivered: the receiver answered 500').waitFor();
    receiver.react = () => 204;
    await resend.click();
    await letters.getByText(/^None\./).waitFor();
    expect(receiver.taken.map(({ type }) => type)).toEqual(['project_connect_node']);
    expectNoComplaints(page);
  });

  it('say in plain words what the operator has not set up; administrators read which setting that is', async () => {
    const service = await siteOfRed({});
    const create = async (page: Page) => {
      await page.getByRole('button', { name: 'Create subscription…' }).click();
      const form = page.getByRole('dialog');
      await form.getByLabel('Name', { exact: true }).fill('ci');
      await form.getByLabel('Address', { exact: true }).fill('http://127.0.0.1/');
      return form;
    };
    const member = await opened(service, 'rita', passwordOf('rita'));
    const form = await create(member);
    await form.getByRole('button', { name: 'Create subscription', exact: true }).click();
    await form.getByRole('alert').getByText('so they cannot be posted anywhere').waitFor();
    expect(await form.innerText()).not.toContain('project_targets');
    await form.getByLabel('How', { exact: true }).selectOption('Mailed to you');
    await form.getByRole('button', { name: 'Create subscription', exact: true }).click();
    await form.getByRole('alert').getByText('so events cannot be mailed').waitFor();
    forgetRefusals(member);
    expectNoComplaints(member);
    const admin = await opened(service);
    const theirs = await create(admin);
    await theirs.getByLabel('Events of', { exact: true }).selectOption('red');
    await theirs.getByRole('button', { name: 'Create subscription', exact: true }).click();
    await theirs.getByRole('alert').getByText('has not set webhooks.project_targets').waitFor();
    forgetRefusals(admin);
    expectNoComplaints(admin);
  });

  it('mail to yourself; others of the project see neither the address nor a secret, and can have nothing sent', async () => {
    const relay = await startRelay();
    const service = await siteOfRed(relay.env);
    await makeUser(service, 'rolf', 'red');
    await done(service.admin.patch('/auth/basic/user/rita/mail', { address: 'rita@example.org' }));
    const page = await opened(service, 'rita', passwordOf('rita'));
    await page.getByRole('button', { name: 'Create subscription…' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name', { exact: true }).fill('mine');
    await form.getByLabel('How', { exact: true }).selectOption('Mailed to you');
    await form.getByText('corral subscription mail mine --project red').waitFor();
    await form.getByRole('button', { name: 'Create subscription', exact: true }).click();
    await rowOf(page, 'mine').getByText('rita@example.org (rita)').waitFor();
    const test = await ask(page, 'mine', 'Send a test…');
    await test.getByRole('button', { name: 'Send test' }).click();
    await test.getByText('Delivered: the receiver answered 250').waitFor();
    expect(relay.taken.map(({ to }) => to)).toEqual([['rita@example.org']]);
    expectNoComplaints(page);

    const other = await opened(service, 'rolf', passwordOf('rolf'));
    await rowOf(other, 'mine').getByText('the mail of rita').waitFor();
    expect(await other.locator('body').innerText()).not.toContain('rita@example.org');
    const refused = await ask(other, 'mine', 'Send a test…');
    await refused.getByRole('button', { name: 'Send test' }).click();
    await refused.getByRole('alert').getByText('only user rita or an administrator can do this').waitFor();
    await refused.getByRole('button', { name: 'Close' }).last().click();
    await other.getByRole('button', { name: 'Actions for mine' }).click();
    await other.getByRole('menuitem', { name: 'Pause…' }).waitFor();
    expect(await other.getByRole('menuitem', { name: 'Rotate secret…' }).count()).toBe(0);
    forgetRefusals(other);
    expectNoComplaints(other);
  });
});
