import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasPart } from '@corral/lab';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { programFile } from '../../../test/support/built-program.ts';
import { sharedChromium } from '../support/identity/chromium.ts';
import { expectNoComplaints, forgetRefusals, signIn, watchedPage } from '../support/pages.ts';
import { adminPassword, passwordOf, type Service, serviceForTest } from '../support/services/service.ts';
import { done, makeNode, makeProject, makeSwitch, makeUser } from '../support/services/world.ts';

/** An OBM daemon inside; a busy machine is not taken for a daemon that does not answer. */
const withDaemon = { CORRAL_OBMD: '127.0.0.1:0', CORRAL_OBM_TIMEOUT: '20' };

/** The dialog that is open. */
const dialog = (page: Page) => page.getByRole('dialog');

/** Presses a button of it. */
const press = (page: Page, name: string): Promise<void> =>
  dialog(page).getByRole('button', { name, exact: true }).click();

/** A step of the set-up. */
const step = (page: Page, name: string) => page.getByRole('listitem', { name, exact: true });

const isDone = (page: Page, name: string): Promise<void> =>
  step(page, name).getByRole('img', { name: 'done', exact: true }).waitFor();

const toSetUp = (page: Page): Promise<void> =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Set-up' }).click();

describe.skipIf(!hasPart('Chromium'))('set-up in the browser', { timeout: 180_000 }, () => {
  const newBrowser = sharedChromium();

  const signedIn = async (service: Service, path = '/', user = 'admin', password = adminPassword) => {
    const page = await watchedPage(await newBrowser(), service);
    await page.goto(`${service.url}${path}`);
    await signIn(page, user, password);
    return page;
  };

  it('leads from an empty service to a reserved node by clicking alone', async () => {
    const service = await serviceForTest('sqlite', withDaemon);
    const page = await signedIn(service);

    // The overview of an empty service is its set-up.
    await page.getByText('0 of 6 done').waitFor();
    await page.getByRole('region', { name: 'the example of site.yaml' }).getByText('switches:').waitFor();
    await page.getByText('corral apply site.yaml').waitFor();
    await step(page, 'Add a switch').getByRole('link', { name: 'Add a switch…' }).click();

    await page.getByLabel('Name', { exact: true }).fill('tor-1');
    await page.getByLabel('Type', { exact: true }).selectOption('mock');
    await page.getByLabel('Host name', { exact: true }).fill('tor-1.example.org');
    await page.getByLabel('User name', { exact: true }).fill('corral');
    await page.getByLabel('Password', { exact: true }).fill('a secret of the switch');
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('type')).toBe('password');
    await page
      .getByText('corral switch register tor-1 mock hostname=tor-1.example.org username=corral --password-file FILE')
      .waitFor();
    await page.getByRole('button', { name: 'Try it first' }).click();
    await page.getByText('simulated switch', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add switch' }).click();
    await page.getByText('tor-1 answers, and was read just now.').waitFor();
    await page.getByText('corral switch sweep tor-1').waitFor();
    expect(await page.content()).not.toContain('a secret of the switch');

    // A range is shown port by port before anything is sent.
    await page.getByRole('link', { name: 'Add its ports' }).click();
    await page.getByLabel('Which ports', { exact: true }).fill('1/1-4, uplink');
    const preview = page.getByRole('list', { name: 'Ports to add' }).getByRole('listitem');
    await expect.poll(() => preview.allInnerTexts()).toEqual(['1/1', '1/2', '1/3', '1/4', 'uplink']);
    expect((await done(service.admin.get('/switch/tor-1'))).body).toMatchObject({ ports: [] });
    await page.getByRole('button', { name: 'Add 5 ports' }).click();
    await page.getByRole('link', { name: 'Register a node' }).click();

    await page.getByLabel('Name', { exact: true }).fill('node-01');
    await page.getByLabel('MAC address', { exact: true }).fill('52:54:00:00:01:00');
    await page.getByLabel('Switch', { exact: true }).selectOption('tor-1');
    await page.getByLabel('Port', { exact: true }).selectOption('1/2');
    await page.getByLabel('Type of BMC', { exact: true }).selectOption('mock');
    await page.getByLabel('Address', { exact: true }).fill('10.0.0.5');
    await page
      .getByText(
        'corral node register node-01 && corral node nic register node-01 eth0 52:54:00:00:01:00 && corral port nic add tor-1 1/2 node-01 eth0 && corral bmc register node-01 mock addr=10.0.0.5',
      )
      .waitFor();
    await page.getByRole('button', { name: 'Register node', exact: true }).click();
    await page.getByRole('heading', { name: 'Node node-01 is registered' }).waitFor();
    await page.getByRole('link', { name: 'Back to the set-up' }).click();
    for (const name of ['Add a switch', 'Add its ports', 'Register a node']) await isDone(page, name);

    await step(page, 'Create a project with a member').getByRole('button', { name: 'Create a project…' }).click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('astronomy');
    await press(page, 'Create project');
    await step(page, 'Create a project with a member').getByRole('button', { name: 'Create a user…' }).click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('vera');
    await dialog(page).getByLabel('First password', { exact: true }).fill('first of vera');
    await dialog(page).getByLabel('In project', { exact: true }).selectOption('astronomy');
    await press(page, 'Create user');
    await isDone(page, 'Create a project with a member');
    await step(page, 'Create a network').getByRole('button', { name: 'Create a network…' }).click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('sky');
    await press(page, 'Create sky');
    await isDone(page, 'Create a network');

    await step(page, 'Reserve a node').getByRole('link', { name: 'Choose a node' }).click();
    await page.getByLabel('Choose node-01', { exact: true }).check();
    await page.getByRole('button', { name: 'Reserve for astronomy' }).click();
    await dialog(page).getByText('done', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await toSetUp(page);
    await page.getByText('6 of 6 done').waitFor();
    expect((await done(service.admin.get('/node/node-01'))).body).toMatchObject({
      project: 'astronomy',
      nics: [{ label: 'eth0', switch: 'tor-1', port: '1/2' }],
    });
    expect((await done(service.admin.get('/node/node-01/bmc'))).body).toMatchObject({ type: 'mock' });

    // Nothing of it is left on the overview.
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Needs you' }).waitFor();
    expect(await page.getByRole('list', { name: 'Steps' }).count()).toBe(0);
    expectNoComplaints(page);
  });

  it.each([
    ['inside', '127.0.0.1:0', ['vera', 'tor-1', 'bmc']],
    ['elsewhere', 'off', ['vera', 'tor-1', 'obmd']],
  ])('its document is one that corral apply takes, with an OBM daemon %s', async (_, obmd, secrets) => {
    const service = await serviceForTest('sqlite', { CORRAL_OBMD: obmd });
    const page = await signedIn(service, '/setup');
    const example = page.getByRole('region', { name: 'the example of site.yaml' });
    await example.getByText(obmd === 'off' ? 'admin_token_file' : 'type: ipmi').waitFor();
    const folder = join(service.dataDir, 'site');
    await mkdir(join(folder, 'secrets'), { recursive: true });
    await writeFile(join(folder, 'site.yaml'), await example.innerText());
    for (const secret of secrets) await writeFile(join(folder, 'secrets', secret), `secret of ${secret}`);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [programFile('corral'), 'apply', 'site.yaml', '--dry-run', '--json'],
      {
        cwd: folder,
        env: { CORRAL_ENDPOINT: service.url, CORRAL_USERNAME: 'admin', CORRAL_PASSWORD: adminPassword, HOME: folder },
      },
    );
    const { plan } = JSON.parse(stdout) as { readonly plan: readonly { readonly kind: string }[] };
    expect(plan.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['project', 'user', 'network', 'switch', 'port', 'node', 'nic']),
    );
  });

  it('ticks what others register, as they do', async () => {
    const service = await serviceForTest('sqlite');
    const page = await signedIn(service, '/setup');
    await page.getByText('0 of 6 done').waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await makeNode(service, 'n1', ['eth0']);
    for (const name of ['Add a switch', 'Add its ports', 'Register a node']) await isDone(page, name);
    await makeProject(service, 'red');
    await makeUser(service, 'rita', 'red');
    await isDone(page, 'Create a project with a member');
    await page.getByText('4 of 6 done').waitFor();
    expectNoComplaints(page);
  });

  it('a refusal stands beside the field that caused it', async () => {
    const service = await serviceForTest('sqlite');
    await makeSwitch(service, 'sw0');
    await done(service.admin.put('/switch/sw0/port/p1'));
    await makeNode(service, 'n1');
    const page = await signedIn(service, '/setup/switch');
    await page.getByLabel('Name', { exact: true }).fill('sw0');
    await page.getByLabel('Type', { exact: true }).selectOption('cisco-ios');
    await page.getByLabel('Host name', { exact: true }).fill('10.0.0.9');
    await page.getByLabel('Dummy VLAN', { exact: true }).fill('5000');
    await page.getByRole('button', { name: 'Add switch' }).click();
    const noteOf = (label: string) =>
      page.getByLabel(label, { exact: true }).locator('xpath=..').getByRole('alert').innerText();
    await expect.poll(() => noteOf('User name')).toMatch(/^This is required/);
    expect(await noteOf('Dummy VLAN')).toContain('a VLAN that nothing else uses');
    expect(await page.getByLabel('Host name', { exact: true }).getAttribute('aria-invalid')).toBe(null);

    // Its name, once the fields are right.
    await page.getByLabel('Type', { exact: true }).selectOption('mock');
    await page.getByLabel('User name', { exact: true }).fill('corral');
    await page.getByLabel('Password', { exact: true }).fill('a secret');
    await page.getByRole('button', { name: 'Add switch' }).click();
    await expect.poll(() => noteOf('Name')).toBe('Switch sw0 already exists');

    // One that does not answer is registered, says so, and can be mended.
    await page.getByLabel('Name', { exact: true }).fill('sw1');
    service.simulated('sw1').faults = { unreachable: true };
    await page.getByRole('button', { name: 'Add switch' }).click();
    await page.getByRole('alert').getByText('connection refused').waitFor();
    service.simulated('sw1').faults = {};
    await page.getByRole('button', { name: 'Read it again' }).click();
    await page.getByText('sw1 answers, and was read just now.').waitFor();

    // A port that is there already is not sent, and a range that is none is not either.
    await page.goto(`${service.url}/setup/ports?switch=sw0`);
    await page.getByLabel('Which ports', { exact: true }).fill('p9-1');
    await expect.poll(() => noteOf('Which ports')).toContain('runs backwards');
    await page.getByLabel('Which ports', { exact: true }).fill('p1-2');
    await page.getByRole('button', { name: 'Add 1 port' }).click();
    await page.getByRole('list', { name: 'Added ports' }).getByText('p2').waitFor();

    // A node that exists; nothing of it is made.
    await page.goto(`${service.url}/setup/node`);
    await page.getByLabel('Name', { exact: true }).fill('n1');
    await page.getByLabel('MAC address', { exact: true }).fill('52:54:00:00:01:00');
    await page.getByLabel('Address under the OBM daemon', { exact: true }).fill('http://127.0.0.1:9/node/n1');
    await page.getByLabel('Admin token of the OBM daemon', { exact: true }).fill('a token');
    await page.getByRole('button', { name: 'Register node', exact: true }).click();
    await expect.poll(() => noteOf('Name')).toBe('Node n1 already exists');
    await page.getByLabel('Address under the OBM daemon', { exact: true }).fill('ftp://127.0.0.1/node/n2');
    await page.getByLabel('Name', { exact: true }).fill('n2');
    await page.getByRole('button', { name: 'Register node', exact: true }).click();
    await expect.poll(() => noteOf('Address under the OBM daemon')).toMatch(/^This has scheme ftp; /);
    expect((await done(service.admin.get('/nodes/all'))).body).toEqual(['n1']);
    expect((await done(service.admin.get('/node/n1'))).body).toMatchObject({ nics: [] });
    forgetRefusals(page);
    // The switch that did not answer.
    expect(page.list).toEqual([expect.stringContaining('status of 502')]);
  });

  it('a form says what it needs, and refuses what cannot be right before it is sent', async () => {
    const service = await serviceForTest('sqlite', withDaemon);
    await makeNode(service, 'n1', ['eth0']);
    await done(service.admin.put('/node/n1/nic/eth1', { macaddr: '52:54:00:AA:00:01' }));
    const page = await signedIn(service, '/setup/switch');
    const field = (label: string) => page.getByLabel(label, { exact: true });
    const alertsOf = (label: string) => field(label).locator('xpath=..').getByRole('alert').allInnerTexts();
    await field('Name').fill('sw9');
    await field('Type').selectOption('cisco-ios');
    expect(await field('Host name').getAttribute('aria-required')).toBe('true');
    expect(await field('Password').getAttribute('aria-required')).toBe(null);
    await page.getByText('this or private key', { exact: true }).waitFor();
    await page.getByText('this or password', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add switch' }).click();
    await page.getByRole('alert').getByText('Give a password or a private key', { exact: true }).waitFor();
    expect(await page.getByRole('main').innerText()).not.toMatch(/API reference|The body|private_key/);
    for (const label of ['Password', 'Private key']) expect(await alertsOf(label)).toEqual([]);
    for (const label of ['User name', 'Host name']) expect(await alertsOf(label)).toHaveLength(1);

    // What is mended is not refused any more; the rest is.
    await field('User name').fill('corral');
    await expect.poll(() => alertsOf('User name')).toEqual([]);
    expect(await alertsOf('Host name')).toHaveLength(1);

    await page.goto(`${service.url}/setup/node`);
    await field('Name').fill('n2');
    const register = page.getByRole('button', { name: 'Register node', exact: true });
    await field('MAC address').fill('zz:zz');
    await page.keyboard.press('Tab');
    await expect.poll(() => alertsOf('MAC address')).toEqual([expect.stringContaining('six pairs of hexadecimal')]);
    expect(await register.getAttribute('aria-disabled')).toBe('true');
    await field('MAC address').fill('52-54-00-aa-00-01');
    await expect.poll(() => alertsOf('MAC address')).toEqual(['Nic eth1 of node n1 has this address already']);
    expect(await register.getAttribute('aria-disabled')).toBe('true');
    await field('MAC address').fill('52:54:00:aa:00:02');
    await expect.poll(() => alertsOf('MAC address')).toEqual([]);
    await register.click();
    await page.getByRole('heading', { name: 'Node n2 is registered' }).waitFor();

    await page.goto(`${service.url}/nodes/n1`);
    await page.getByRole('button', { name: 'Add a nic…' }).click();
    await dialog(page).getByLabel('Nic', { exact: true }).fill('eth2');
    await dialog(page).getByLabel('MAC address', { exact: true }).fill('52:54:00:aa:00:02');
    await dialog(page).getByRole('alert').getByText('Nic eth0 of node n2 has this address already').waitFor();
    await dialog(page).getByLabel('MAC address', { exact: true }).fill('52:54');
    await page.keyboard.press('Enter');
    await dialog(page).getByRole('alert').getByText('six pairs of hexadecimal').waitFor();
    expect((await done(service.admin.get('/node/n1'))).body).toMatchObject({
      nics: [{ label: 'eth0' }, { label: 'eth1' }],
    });
    forgetRefusals(page);
    expectNoComplaints(page);
  });

  it('what was typed is there again on the way back, but for secrets, until it is sent or begun anew', async () => {
    const service = await serviceForTest('sqlite', withDaemon);
    await makeSwitch(service, 'sw1');
    const page = await signedIn(service, '/setup/switch');
    const field = (label: string) => page.getByLabel(label, { exact: true });
    const valueOf = (label: string) => expect.poll(() => field(label).inputValue());
    const leaveAndComeBack = async (): Promise<void> => {
      await toSetUp(page);
      await step(page, 'Add a switch').waitFor();
      await page.goBack();
    };
    await field('Name').fill('sw9');
    await field('Type').selectOption('mock');
    await field('Host name').fill('sw9.example.org');
    await field('User name').fill('corral');
    await field('Password').fill('secret of sw9');
    await leaveAndComeBack();
    await valueOf('Name').toBe('sw9');
    await valueOf('Host name').toBe('sw9.example.org');
    await valueOf('User name').toBe('corral');
    await valueOf('Password').toBe('');
    const stored = `JSON.stringify([{ ...localStorage }, { ...sessionStorage }])`;
    expect(await page.evaluate<string>(stored)).not.toMatch(/sw9|secret/);
    await field('Password').fill('secret of sw9');
    await page.getByRole('button', { name: 'Add switch' }).click();
    await page.getByRole('heading', { name: 'sw9' }).first().waitFor();
    await leaveAndComeBack();
    await valueOf('Name').toBe('');

    await page.goto(`${service.url}/setup/ports?switch=sw1`);
    await field('Which ports').fill('p1-3');
    await leaveAndComeBack();
    await valueOf('Which ports').toBe('p1-3');

    await page.goto(`${service.url}/setup/node`);
    await field('Name').fill('n1');
    await field('MAC address').fill('52:54:00:00:00:09');
    await leaveAndComeBack();
    await valueOf('Name').toBe('n1');
    await valueOf('MAC address').toBe('52:54:00:00:00:09');
    await page.getByRole('button', { name: 'Start over' }).click();
    await valueOf('Name').toBe('');
    await leaveAndComeBack();
    await valueOf('MAC address').toBe('');
    expectNoComplaints(page);
  });

  it('what was registered is unplugged and deleted by clicking, in the order that the service asks for', async () => {
    const service = await serviceForTest('sqlite');
    await makeNode(service, 'n1', ['eth0']);
    const page = await signedIn(service, '/nodes/n1');
    const choose = async (action: string): Promise<void> => {
      await page.getByRole('button', { name: 'Wiring of eth0' }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    expect(await page.getByRole('button', { name: 'Delete node…' }).getAttribute('aria-disabled')).toBe('true');
    await choose('Unplug…');
    await dialog(page).getByText('corral port nic remove sw0 n1/eth0').waitFor();
    await press(page, 'Unplug eth0');
    await page.getByText('no port', { exact: true }).waitFor();
    await choose('Delete nic…');
    await dialog(page).getByText('corral node nic delete n1 eth0').waitFor();
    await press(page, 'Delete eth0');
    await page.getByText('It has no nics').waitFor();

    // A nic of an existing node, plugged into the port that is free again.
    await page.getByRole('button', { name: 'Add a nic…' }).click();
    await dialog(page).getByLabel('Nic', { exact: true }).fill('eth0');
    await dialog(page).getByLabel('MAC address', { exact: true }).fill('52:54:00:00:01:09');
    await press(page, 'Add nic');
    await choose('Plug into a port…');
    await dialog(page).getByLabel('Switch', { exact: true }).selectOption('sw0');
    await dialog(page).getByLabel('Port', { exact: true }).selectOption('n1/eth0');
    await press(page, 'Record the cable');
    await page.getByRole('link', { name: 'sw0 n1/eth0' }).waitFor();
    await choose('Unplug…');
    await press(page, 'Unplug eth0');
    await page.getByText('no port', { exact: true }).waitFor();
    await choose('Delete nic…');
    await press(page, 'Delete eth0');

    await page.getByRole('button', { name: 'Delete node…' }).click();
    await press(page, 'Delete n1');
    await page.getByText('There are no nodes yet').waitFor();
    await page.goto(`${service.url}/switches/sw0?port=n1%2Feth0`);
    await page.getByRole('button', { name: 'Delete port…' }).click();
    await press(page, 'Delete n1/eth0');
    await page.getByText('No port is registered').waitFor();
    await page.getByRole('button', { name: 'Delete…', exact: true }).click();
    await press(page, 'Delete sw0');
    await page.getByText('There are no switches yet').waitFor();
    expect((await done(service.admin.get('/switches'))).body).toEqual([]);
    expect((await done(service.admin.get('/nodes/all'))).body).toEqual([]);
    forgetRefusals(page);
    expectNoComplaints(page);
  });

  it('the BMC of a node is registered with the fields of its type, and tried', async () => {
    const service = await serviceForTest('sqlite', withDaemon);
    await done(service.admin.put('/node/n1', {}));
    const page = await signedIn(service, '/nodes/n1');
    await page.getByRole('button', { name: 'Register its BMC…' }).click();
    const field = (name: string) => dialog(page).getByLabel(name, { exact: true });
    await field('Type of BMC').selectOption('ipmi');
    await field('Address').fill('10.0.0.5');
    await field('User name').fill('a name that is too long for IPMI');
    await field('Password').fill('a secret');
    await dialog(page)
      .getByText(
        "corral bmc register n1 ipmi addr=10.0.0.5 'user=a name that is too long for IPMI' --password-file FILE",
      )
      .waitFor();
    await press(page, 'Register BMC');
    await field('User name').locator('xpath=..').getByRole('alert').getByText('1 to 16 printable ASCII').waitFor();
    expect(await field('Address').getAttribute('aria-invalid')).toBe(null);
    await field('Type of BMC').selectOption('mock');
    await press(page, 'Register BMC');
    await dialog(page).waitFor({ state: 'detached' });
    // Before that nothing can be asked of it.
    await page.getByRole('button', { name: 'Change its BMC…' }).waitFor();
    await page.getByRole('button', { name: 'Test its BMC' }).click();
    await page.getByText(/answered after .* s, with privileges: /).waitFor();
    expect((await done(service.admin.get('/node/n1/bmc'))).body).toEqual({ type: 'mock', info: { addr: '10.0.0.5' } });
    forgetRefusals(page);
    expectNoComplaints(page);
  });

  it('a tenant is offered none of it, and gets no such data', async () => {
    const service = await serviceForTest('sqlite');
    await makeProject(service, 'red');
    await makeNode(service, 'n1', ['eth0']);
    await makeUser(service, 'tom', 'red');
    const page = await watchedPage(await newBrowser(), service);
    const answers: { readonly url: string; readonly text: string }[] = [];
    page.on('response', (response) => {
      const url = response.url();
      if (/\/v0\/(?!.*stream)/.test(url))
        void response.text().then(
          (text) => answers.push({ url, text }),
          () => undefined,
        );
    });
    await page.goto(`${service.url}/`);
    await signIn(page, 'tom', passwordOf('tom'));
    await page.getByRole('heading', { name: 'My nodes' }).waitFor();
    for (const name of ['Set-up', 'Drift', 'Switches'])
      expect(await page.getByRole('link', { name, exact: true }).count()).toBe(0);
    for (const path of ['/setup', '/setup/switch', '/setup/ports', '/setup/node', '/drift']) {
      await page.goto(`${service.url}${path}`);
      await page.getByText('You may not see this').waitFor();
    }
    await page.goto(`${service.url}/nodes`);
    await page.getByRole('link', { name: 'n1' }).waitFor();
    expect(await page.getByRole('link', { name: 'Register a node…' }).count()).toBe(0);
    await page.goto(`${service.url}/nodes/n1`);
    await page.getByRole('table', { name: 'Nics' }).getByText('eth0').waitFor();
    for (const name of ['Add a nic…', 'Delete node…', 'Register its BMC…', 'Wiring of eth0'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    expect(answers.length).toBeGreaterThan(6);
    expect(answers.filter(({ url }) => /switch|drift|bmc_types/.test(url))).toEqual([]);
    expect(answers.filter(({ text }) => text.includes('n1/eth0') || text.includes('sw0'))).toEqual([]);
    expectNoComplaints(page);
  });
});
