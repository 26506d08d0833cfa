import { hasPart } from '@corral/lab';
import { describe, expect, it } from 'vitest';
import { sharedChromium } from '../support/identity/chromium.ts';
import { expectNoComplaints, signIn, watchedPage } from '../support/pages.ts';
import { cleaningThat, ended, isStuckAt, leave, makeGatedSite } from '../support/services/gated-node.ts';
import { adminPassword, passwordOf, type Service } from '../support/services/service.ts';
import { done, makeNode } from '../support/services/world.ts';

describe.skipIf(!hasPart('Chromium'))('cleaning in the browser', () => {
  const newBrowser = sharedChromium();

  const opened = async (service: Service, path: string, user = 'admin', password = adminPassword) => {
    const page = await watchedPage(await newBrowser(), service);
    await page.goto(`${service.url}${path}`);
    await signIn(page, user, password);
    await page.getByText('live', { exact: true }).waitFor();
    return page;
  };

  it('is followed from step to step; a step that cannot pass is skipped with a reason, and what was found is shown', async () => {
    const { service, machine, alice } = await makeGatedSite('sqlite');
    const page = await opened(service, '/cleaning');
    await page.getByText('No node is being cleaned').waitFor();
    expect(await page.getByText('Nodes are not cleaned between projects').count()).toBe(0);
    machine.fault = { on: ['power_off'], kind: 'status', status: 500 };
    await leave(alice);
    const running = page.getByRole('list', { name: 'Being cleaned' });
    await running.getByText('step power').waitFor();
    await running.getByRole('link', { name: 'n1', exact: true }).click();
    const steps = page.getByRole('list', { name: 'Steps of the cleaning of n1' });
    await steps.getByRole('listitem', { name: 'power: running' }).waitFor();
    // Nobody may leave out a reading of ports.
    expect(await steps.getByRole('button', { name: 'Skip ports…' }).count()).toBe(0);
    await page.reload();
    await steps.getByRole('button', { name: 'Skip power…' }).click();
    const dialog = page.getByRole('dialog');
    const skip = dialog.getByRole('button', { name: 'Skip power', exact: true });
    expect(await skip.getAttribute('aria-disabled')).toBe('true');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('pulled the plug');
    await dialog.getByText(/^corral cleaning skip \S+ power 'pulled the plug'$/).waitFor();
    await skip.click();
    const skipped = steps.getByRole('listitem', { name: 'power: skipped' });
    await skipped.getByText('Skipped by admin: pulled the plug').waitFor();
    const ports = steps.getByRole('listitem', { name: 'ports: passed' });
    await ports.getByText('Evidence of ports').click();
    await ports.getByText(/nic eth0: port n1\/eth0 on switch sw0 is empty/).waitFor();
    await page.getByRole('list', { name: 'Passed lately' }).getByRole('link', { name: 'n1', exact: true }).waitFor();
    await page.getByText('No node is being cleaned').waitFor();
    expect(await steps.getByRole('button', { name: /^Skip/ }).count()).toBe(0);
    expectNoComplaints(page);
  });

  it('that failed is quarantine, with its reason; it is done again, and tenants see only that it is out of service', async () => {
    const { service, machine, alice } = await makeGatedSite('sqlite', { CORRAL_CLEANING_DEADLINE: '0.05' });
    const page = await opened(service, '/cleaning');
    machine.fault = { on: ['power_off'], kind: 'status', status: 500 };
    await leave(alice);
    const quarantined = page.getByRole('list', { name: 'Quarantined' });
    await quarantined.getByText(/^step power: not done at its deadline/).waitFor();
    await page.goto(`${service.url}/nodes/n1`);
    await page.getByRole('heading', { name: 'It cannot be reserved' }).waitFor();
    await page.getByText('quarantined', { exact: true }).waitFor();
    const tenant = await opened(service, '/nodes/n1', 'alice', passwordOf('alice'));
    await tenant.getByText('Node n1 is out of service; an administrator can put it back').waitFor();
    expect(await tenant.getByText('deadline').count()).toBe(0);
    expect(await tenant.getByRole('button', { name: 'Clean it again' }).count()).toBe(0);
    expectNoComplaints(tenant);

    machine.fault = null;
    await page.getByRole('link', { name: 'Steps and evidence' }).click();
    await page.getByRole('button', { name: 'Clean it again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Clean n1 again' }).click();
    await cleaningThat(service, ended('passed'));
    await page.getByRole('list', { name: 'Passed lately' }).getByRole('link', { name: 'n1', exact: true }).waitFor();
    await tenant.getByRole('heading', { name: 'It is free' }).waitFor();
    expectNoComplaints(page);
  });

  it('says that it is being done on the page of the node, from where the node is quarantined with a note', async () => {
    const { service, machine, alice } = await makeGatedSite('sqlite');
    machine.fault = { on: ['power_off'], kind: 'status', status: 500 };
    await leave(alice);
    await cleaningThat(service, isStuckAt('power'));
    const tenant = await opened(service, '/nodes/n1', 'alice', passwordOf('alice'));
    await tenant.getByText('Node n1 is being cleaned after its last project; try again later').waitFor();
    const page = await opened(service, '/nodes/n1');
    await page.getByText('being cleaned', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Quarantine…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('a fan is broken');
    await dialog.getByText("corral node quarantine n1 'a fan is broken'").waitFor();
    await dialog.getByRole('button', { name: 'Quarantine n1', exact: true }).click();
    await page.getByText('A fan is broken', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Clean it again' }).waitFor();
    await page.goto(`${service.url}/cleaning?node=n1`);
    await page.getByRole('list', { name: 'Quarantined' }).getByText('a fan is broken').waitFor();
    await page.getByRole('listitem', { name: 'power: failed' }).getByText('Quarantined by admin').waitFor();
    expectNoComplaints(page);
  });

  it('that is off says so and how to turn it on; a free node is quarantined in any case', async () => {
    const { service } = await makeGatedSite('sqlite', { CORRAL_CLEANING_ENABLED: 'false' });
    await makeNode(service, 'spare');
    const page = await opened(service, '/cleaning');
    await page.getByRole('heading', { name: 'Nodes are not cleaned between projects' }).waitFor();
    await page.getByText(/\[cleaning\]\s+enabled = true/).waitFor();
    await page.getByText('No node is quarantined').waitFor();
    await page.goto(`${service.url}/nodes/spare`);
    await page.getByRole('button', { name: 'Quarantine…' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('smells');
    await page.getByRole('dialog').getByRole('button', { name: 'Quarantine spare', exact: true }).click();
    await page.getByRole('heading', { name: 'It cannot be reserved' }).waitFor();
    const { body } = await done(service.admin.get('/cleanings?state=failed'));
    expect(body).toMatchObject({ enabled: false, cleanings: [{ node: 'spare', reason: 'smells' }] });
    expectNoComplaints(page);
  });

  it('is announced where a node is released, by words that are true either way to those who may not know', async () => {
    const ask = async (service: Service, user?: string) => {
      const page = await opened(service, '/nodes/n1', user, user === undefined ? undefined : passwordOf(user));
      await page.getByRole('button', { name: 'Release', exact: true }).click();
      return page;
    };
    const gated = await makeGatedSite('sqlite');
    const admin = await ask(gated.service);
    const cleaned = 'Then the service cleans it, and others can reserve it once it is clean.';
    await admin.getByRole('dialog').getByText(cleaned).waitFor();
    expectNoComplaints(admin);
    const tenant = await ask(gated.service, 'alice');
    const either = 'After that others can reserve it; a site that cleans nodes does so first.';
    await tenant.getByRole('dialog').getByText(either).waitFor();
    expectNoComplaints(tenant);
    const open = await makeGatedSite('sqlite', { CORRAL_CLEANING_ENABLED: 'false' });
    const page = await ask(open.service);
    await page.getByRole('dialog').getByText('Then others can reserve it.').waitFor();
    expectNoComplaints(page);
  });
});
