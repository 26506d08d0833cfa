import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startLabObmd } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { adminPassword, passwordOf, serviceForTest } from '../../service/test/support/services/service.ts';
import {
  done,
  makeNetwork,
  makeNode,
  makeProject,
  makeUser,
  reserve,
} from '../../service/test/support/services/world.ts';
import { programFile } from '../../test/support/built-program.ts';
import { keys, terminalForTest } from './support/terminal.ts';

const spinner = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/;

/** Ada's project red has node n1 with two nics on switch sw0. */
const scene = async () => {
  const service = await serviceForTest('sqlite', { CORRAL_ENGINE_BUDGET: '60', CORRAL_ENGINE_DEVICE_TIMEOUT: '30' });
  await makeProject(service, 'red');
  await makeUser(service, 'ada', 'red');
  await makeNode(service, 'n1', ['eth0', 'eth1']);
  await reserve(service, 'red', 'n1');
  await makeNetwork(service, 'lab', 'red');
  const here = { CORRAL_ENDPOINT: service.url };
  const ada = await terminalForTest({ ...here, CORRAL_USERNAME: 'ada', CORRAL_PASSWORD: passwordOf('ada') });
  const admin = await terminalForTest({ ...here, CORRAL_USERNAME: 'admin', CORRAL_PASSWORD: adminPassword });
  return { service, ada, admin };
};

/** As long as a busy machine may take. */
const patience = { timeout: 30_000, interval: 100 };
/** Long enough to see what is shown meanwhile. */
const slow = { delayMs: 4_000 };

describe('waiting for a change at a terminal', () => {
  it('shows the queue, then that the switch is being set, and in the end only what is so', async () => {
    const { service, ada } = await scene();
    service.simulated('sw0').faults = slow;
    const first = ada.corral('node network connect n1 eth0 lab');
    await first.shows(/[⠋-⠿] the switch of n1 eth0 is being set/);
    const second = ada.corral('node network connect n1 eth1 lab');
    await second.shows(/queued for the switch of n1 eth1, behind 1 change/);
    await second.shows('the switch of n1 eth1 is being set');
    for (const [index, session] of [first, second].entries()) {
      expect(await session.exit()).toBe(0);
      expect(session.screen()).toBe(`✓ nic eth${index} of n1 is on network lab`);
      expect(session.written()).not.toContain('sw0');
    }
  });

  it('names the switch and the port to administrators', async () => {
    const { service, admin } = await scene();
    service.simulated('sw0').faults = slow;
    const connecting = admin.corral('node network connect n1 eth0 lab');
    await connecting.shows('switch sw0, port n1/eth0, is being set');
    const reverting = admin.corral('port revert sw0 n1/eth1 --timeout 1');
    await reverting.shows('queued for switch sw0, behind 1 change');
    expect(await reverting.exit()).toBe(4);
    expect(reverting.screen()).toMatch(/^corral: the change is still pending after 1 s/);
    expect(reverting.screen().replaceAll('\n', ' ')).toContain('it continues: corral networking-action show');
    expect(reverting.screen()).not.toMatch(spinner);
  });

  it('tells that a switch does not answer, and that it is tried again', async () => {
    const { service, ada } = await scene();
    service.simulated('sw0').faults = { unreachable: true };
    const connecting = ada.corral('node network connect n1 eth0 lab');
    await connecting.shows(/the switch of n1 eth0 does not answer; trying again, after \d+ attempts/);
    service.simulated('sw0').faults = {};
    expect(await connecting.exit()).toBe(0);
    expect(connecting.screen()).toBe('✓ nic eth0 of n1 is on network lab');
  });

  it('a change that fails ends with the reason, and without a spinner', async () => {
    const { service, ada } = await scene();
    service.simulated('sw0').faults = { refuse: ['*'] };
    const connecting = ada.corral('node network connect n1 eth0 lab');
    expect(await connecting.exit()).toBe(1);
    expect(connecting.screen()).toMatch(/^corral: the switch refused/);
  });

  it('does not wait when that is not wanted; Ctrl-C ends the waiting and not the change', async () => {
    const { service, ada } = await scene();
    service.simulated('sw0').faults = slow;
    const queued = ada.corral('node network connect n1 eth0 lab --no-wait');
    expect(await queued.exit()).toBe(0);
    expect(queued.screen()).toMatch(/^queued: corral networking-action show [\da-f-]{36}$/);
    expect(queued.written()).not.toMatch(spinner);
    const waiting = ada.corral('node network connect n1 eth1 lab');
    await waiting.shows('queued for the switch of n1 eth1');
    waiting.type(keys.interrupt);
    expect(await waiting.exit()).toBe(130);
    expect(waiting.screen()).not.toMatch(spinner);
    const [, command = ''] = /still queued: corral (networking-action show [\da-f-]{36})/.exec(waiting.screen()) ?? [];
    await expect
      .poll(async () => {
        const shown = ada.corral(command);
        await shown.exit();
        return shown.screen();
      }, patience)
      .toMatch(/status +DONE/);
  });
});

describe('watching at a terminal', () => {
  it('events show new events until Ctrl-C', async () => {
    const { service, ada } = await scene();
    const events = ada.corral('events --follow --limit 1');
    await events.shows('network_create');
    await makeNetwork(service, 'sea', 'red');
    await events.shows(/network=sea/);
    events.type(keys.interrupt);
    expect(await events.exit()).toBe(130);
    expect(events.screen()).not.toContain('corral:');
  });

  it('a console is shown as it comes, until Ctrl-C', async () => {
    const { service, ada } = await scene();
    const obmd = await startLabObmd({ adminToken: 't', tickMs: 10 });
    onTestFinished(() => obmd.close());
    obmd.add('n1');
    await done(service.admin.put('/node/n1/obmd', { uri: obmd.uri('n1'), admin_token: 't' }));
    await done(service.admin.put('/node/n1/obm', { enabled: true }));
    await done(service.admin.post('/node/n1/power_on'));
    const console = ada.corral('node console show n1');
    await console.shows(/\S+[^]*\n\S+/);
    console.type(keys.interrupt);
    expect(await console.exit()).toBe(130);
    const limited = ada.corral('node console show n1 --timeout 1');
    expect(await limited.exit()).toBe(4);
    expect(limited.screen()).toContain('the console of node n1 was shown for 1 s');
  });

  it('a call that takes long says what it waits for, and ends by Ctrl-C or --timeout', async () => {
    const asked: string[] = [];
    const silent = createServer(({ url = '' }) => void asked.push(url));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const terminal = await terminalForTest({
      CORRAL_ENDPOINT: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    });
    const deleting = terminal.corral('node delete n1');
    await expect.poll(() => asked, patience).toEqual(['/v0/node/n1']);
    await deleting.shows(/[⠋-⠿] waiting for 127\.0\.0\.1:\d+: node n1/);
    deleting.type(keys.interrupt);
    expect(await deleting.exit()).toBe(130);
    expect(deleting.screen()).not.toMatch(spinner);
    const limited = terminal.corral('node power status n1 --timeout 1');
    await limited.shows(/waiting for 127\.0\.0\.1:\d+: node n1 power_status/);
    expect(await limited.exit()).toBe(4);
    expect(limited.screen()).toMatch(/^corral: \S+ did not answer within 1 s$/);
    const scripted = terminal.run('/bin/sh', [
      '-c',
      `"${process.execPath}" "${programFile('corral')}" node show n1 --timeout 1.5 2>"$HOME/errors" >/dev/null; cat "$HOME/errors"`,
    ]);
    await scripted.exit();
    expect(scripted.written()).not.toMatch(spinner);
    expect(scripted.screen()).toContain('did not answer within 1.5 s');
  });
});
