import { startAristaEos, startCiscoIos } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sharedService } from '../../service/test/support/services/shared-service.ts';
import { adminPassword } from '../../service/test/support/services/service.ts';
import { done, makeNetwork, makeNode, makeProject } from '../../service/test/support/services/world.ts';
import { type Shell, shellForTest } from './support/shell.ts';
import { keys, terminalForTest } from './support/terminal.ts';

/** A busy machine takes longer for a login by SSH than a service in tests waits. */
const service = sharedService('sqlite', { CORRAL_ENGINE_DEVICE_TIMEOUT: '30' });
const asAdmin = () => ({
  CORRAL_ENDPOINT: service().url,
  CORRAL_USERNAME: 'admin',
  CORRAL_PASSWORD: adminPassword,
});
const registered = async (label: string) =>
  (await done(service().admin.get(`/switch/${label}`))).body as { fields: Record<string, unknown>; secrets: string[] };

/** A shell, a file with the password of a device, and the device. */
const withDevice = async <D extends { stop(): Promise<void>; readonly fields: Readonly<Record<string, unknown>> }>(
  start: () => Promise<D>,
): Promise<{ readonly shell: Shell; readonly device: D; readonly password: string; readonly fields: string }> => {
  const device = await start();
  onTestFinished(() => device.stop());
  const shell = await shellForTest(asAdmin());
  const { hostname, port, username } = device.fields;
  return {
    shell,
    device,
    password: await shell.file('pw', String(device.fields['password'])),
    fields: `hostname=${String(hostname)} port=${String(port)} username=${String(username)}`,
  };
};

describe('corral switch register', () => {
  it('sends numbers as numbers, shows the first session, and tells at once what does not work', async () => {
    const { shell, device, password, fields } = await withDevice(() => startAristaEos());
    device.serial = 'JPE14080457';
    const ran = await shell(
      `switch register leaf arista-eos ${fields} legacy_algorithms=false --password-file ${password}`,
    );
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out).toMatch(
      /switch leaf is registered\ndevice +Arista DCS-7050TX-64-R, EOS 4.20.1F\nidentity +arista JPE14080457\nprivileges +none is missing\nports +\d+ read\n/,
    );
    expect(await registered('leaf')).toMatchObject({
      fields: { port: device.fields['port'], legacy_algorithms: false },
      secrets: ['password'],
    });
    await done(service().admin.del('/switch/leaf'));

    const wrong = await shell.file('wrong', 'not it');
    const refused = await shell(`switch register leaf arista-eos ${fields} --password-file ${wrong}`);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.out).toContain('switch leaf is registered');
    expect(refused.err).toMatch(/switch leaf cannot be used as it is: .*\n.*corral switch update leaf/);
    await done(service().admin.del('/switch/leaf'));

    device.refuse(/^configure/, '% Authorization denied for command');
    const weak = await shell(`switch register leaf arista-eos ${fields} --password-file ${password}`);
    expect(weak).toMatchObject({ code: 1 });
    expect(weak.err).toContain('% Authorization denied for command');
    await done(service().admin.del('/switch/leaf'));

    const skipped = await shell(`switch register leaf arista-eos ${fields} --password-file ${wrong} --no-check`);
    expect(skipped).toEqual({ code: 0, out: '✓ switch leaf is registered\n', err: '' });
    expect(JSON.parse((await shell('switch test leaf --json')).out)).toMatchObject({ switch: 'leaf', lacks: null });
  });

  it('asks for what the type needs, and only that', async () => {
    const { device, fields } = await withDevice(() => startCiscoIos());
    const terminal = await terminalForTest(asAdmin());
    const asking = terminal.corral(`switch register ios cisco-ios ${fields}`);
    await asking.shows(/the dummy vlan of switch ios \(the number of a VLAN.*\):/s);
    asking.type(`998${keys.enter}`);
    await asking.shows('the password of switch ios:');
    asking.type(`${String(device.fields['password'])}${keys.enter}`);
    expect(await asking.exit()).toBe(0);
    expect(asking.written()).not.toContain(String(device.fields['password']));
    expect(await registered('ios')).toMatchObject({ fields: { dummy_vlan: 998 } });

    // An Open vSwitch has no password; and its socket is not there.
    const shell = await shellForTest(asAdmin());
    const bridge = await shell('switch register br ovs ovs_bridge=br0 ovsdb=unix:/nowhere/db.sock');
    expect(bridge).toMatchObject({ code: 1 });
    expect(bridge.err).toContain('/nowhere/db.sock');
  });

  it('takes secrets from files and standard input only', async () => {
    const { shell, device, password } = await withDevice(() => startAristaEos());
    const key = await shell.file('key', 'not really a key');
    const ran = await shell(
      `switch register keyed arista-eos hostname=h username=u private_key=@${key} enable_password=@${password} --no-check`,
    );
    expect(ran).toMatchObject({ code: 0 });
    expect((await registered('keyed')).secrets).toEqual(['enable_password', 'private_key']);
    expect(device.console.transcript).toEqual([]);
  });

  it.each([
    [
      'arista-eos private_key=abc',
      'a secret on the command line is visible to other users; put it in a file: private_key=@FILE',
    ],
    ['arista-eso hostname=h', 'the service does not support switches of type arista-eso; did you mean arista-eos?'],
    ['arista-eos hostnam=h', 'switches of type arista-eos have no field hostnam; did you mean hostname?'],
    ['arista-eos port=0', 'field port: "0" is invalid; expected a TCP port'],
    ['arista-eos port=1 port=2', 'field port is given twice'],
    ['arista-eos hostname=h', 'the username of switch x'],
    ['arista-eos hostname=h username=u', 'the password of switch x is required'],
    ['arista-eos hostname=h username=u --password-file /nowhere', '/nowhere does not exist'],
    ['ovs ovs_bridge=br0 --password-file pw', 'switches of type ovs have no field password'],
  ])('refuses %s', async (words, sentence) => {
    const shell = await shellForTest(asAdmin());
    const ran = await shell(`switch register x ${words}`);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain(sentence);
  });
});

describe('corral switch update', () => {
  it('takes a rotated password from a file or at the prompt, and shows the next session', async () => {
    const { shell, device, password, fields } = await withDevice(() => startAristaEos());
    device.serial = 'JPE14080458';
    await shell(`switch register spine arista-eos ${fields} --password-file ${password}`);
    device.rotatePassword('the second one');
    expect(await shell('switch test spine')).toMatchObject({ code: 1 });
    const wrong = await shell(`switch update spine username=corral password=@${password}`);
    expect(wrong).toMatchObject({ code: 1 });
    expect(wrong.out).toContain('switch spine is updated');
    expect(wrong.err).toMatch(/switch spine cannot be used as it is: .*\n.*corral switch update spine NAME=VALUE/);
    const ran = await shell(`switch update spine --password-file ${await shell.file('pw2', 'the second one')}`);
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out).toMatch(/switch spine is updated\ndevice +Arista/);

    device.rotatePassword('the third one');
    const terminal = await terminalForTest(asAdmin());
    const asking = terminal.corral('switch update spine password');
    await asking.shows('the password of switch spine:');
    asking.type(`the third one${keys.enter}`);
    expect(await asking.exit()).toBe(0);
    expect(asking.written()).not.toContain('the third one');
  });

  it('changes what is named, removes what is emptied, and leaves the rest', async () => {
    const { shell, password, fields } = await withDevice(() => startAristaEos());
    await shell(`switch register other arista-eos ${fields} enable_password=@${password} --password-file ${password}`);
    const ran = await shell('switch update other username=root enable_password= legacy_algorithms=true --no-check');
    expect(ran).toEqual({ code: 0, out: '✓ switch other is updated\n', err: '' });
    const { fields: now, secrets } = await registered('other');
    expect(now).toMatchObject({ username: 'root', legacy_algorithms: true, hostname: '127.0.0.1' });
    expect(secrets).toEqual(['password']);
  });

  it.each([
    ['', 'say what changes: NAME=VALUE'],
    ['password=abc', 'a password on the command line is visible to other users'],
    ['private_key=abc', 'put it in a file: private_key=@FILE'],
    ['hostnam=h', 'switches of type arista-eos have no field hostnam; did you mean hostname?'],
    ['colour=', 'switches of type arista-eos have no field colour'],
    ['port=0', 'field port: "0" is invalid; expected a TCP port'],
    ['port=1 port', 'field port is given twice'],
  ])('refuses %s', async (words, sentence) => {
    await service().admin.put('/switch/picky', {
      type: 'arista-eos',
      hostname: 'picky.example',
      username: 'u',
      password: 'p',
    });
    const shell = await shellForTest(asAdmin());
    const ran = await shell(`switch update picky ${words}`.trim());
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain(sentence);
  });
});

describe('corral switch test', () => {
  it('meets a switch before it is registered', async () => {
    const { shell, device, password, fields } = await withDevice(() => startAristaEos());
    const ran = await shell(
      `switch test new --type arista-eos ${fields} --password-file ${password} --port et1 --native 100 --tagged 101,102`,
    );
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out).toContain(
      'To make port Ethernet1 carry VLAN 100, tagged 101-102, this would be sent (nothing was):\n  configure\n',
    );
    expect(ran.out).toMatch(/Ethernet1 +not registered +/);
    expect(device.console.transcript).not.toContain('interface Ethernet1');
  });

  it('shows what connecting a network would send', async () => {
    await makeProject(service(), 'astronomy');
    await makeNetwork(service(), 'sky', 'astronomy');
    await makeNode(service(), 'n1', ['eth0'], 'tor');
    const shell = await shellForTest(asAdmin());
    const ran = await shell('switch test tor --dry-run n1 eth0 sky');
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out).toMatch(/n1\/eth0 +n1 eth0 +nothing\n/);
    expect(ran.out).toMatch(/ {2}set n1\/eth0 native \d+ tagged none\n {2}save\n$/);
    service().simulated('tor').faults = { refuse: ['*'] };
    const refused = await shell('switch test tor --dry-run n1 eth0 sky');
    expect(refused.out).toContain('and it would be refused: the switch refuses the change');
    service().simulated('tor').faults = { unreachable: true };
    expect(await shell('switch test tor')).toMatchObject({
      code: 1,
      err: expect.stringContaining('switch tor cannot be used as it is: connection refused') as string,
    });
  });

  it.each([
    ['tor hostname=h', 'say its type with --type TYPE'],
    ['tor --dry-run n1 eth0', '--dry-run takes three words: --dry-run NODE NIC NETWORK'],
    ['tor --native 5', '--native is of a port: say which with --port PORT'],
    ['tor --port gi1 --native five', '"five" is not a VLAN id'],
    ['tor --port gi1 --dry-run a b c', 'not both'],
  ])('refuses %s', async (words, sentence) => {
    const shell = await shellForTest(asAdmin());
    const ran = await shell(`switch test ${words}`);
    expect(ran).toMatchObject({ code: 2 });
    expect(ran.err).toContain(sentence);
  });
});
