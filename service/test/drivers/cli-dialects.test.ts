import { type CiscoIosOptions, newKeyPair, type ScriptedSwitch, startCiscoIos } from '@corral/lab';
import ssh2 from 'ssh2';
import { afterEach, describe, expect, it } from 'vitest';
import { ciscoIos } from '../../src/drivers/switches/cli/cisco-ios.ts';
import { cliSwitch } from '../../src/drivers/switches/cli/cli-driver.ts';
import { loginFrom } from '../../src/drivers/switches/cli/cli-login.ts';
import { shown } from '../../src/drivers/switches/cli/terminal-text.ts';
import { CliSession } from '../../src/drivers/switches/cli/cli-session.ts';
import { vlanLists, vlansIn } from '../../src/drivers/switches/vlan-lists.ts';
import { checkOf, inBody } from '@corral/base/schema/schema-check';

const amply = () => AbortSignal.timeout(30_000);
const soon = () => AbortSignal.timeout(300);
const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const device = async (options: CiscoIosOptions = {}): Promise<ScriptedSwitch> => {
  const started = await startCiscoIos(options);
  undo.push(() => started.stop());
  return started;
};
const fieldsOf = (from: ScriptedSwitch, more: Record<string, unknown> = {}) => ({ ...from.fields, ...more });
const lineTo = async (fields: Readonly<Record<string, unknown>>, console = ciscoIos.syntax): Promise<CliSession> => {
  const line = await CliSession.open(loginFrom(fields), console, amply());
  undo.push(() => line.close());
  return line;
};
const first = 'GigabitEthernet1/0/1';

describe('a command line', () => {
  it('gives what stands between the echo and the next prompt', async () => {
    const line = await lineTo((await device()).fields);
    const { text, prompt } = await line.run(`show running-config interface ${first}`, amply());
    expect(text).toMatch(/^Building configuration\.\.\.\n\nCurrent configuration/);
    expect(text).toMatch(/\nend\n/);
    expect(text).not.toContain('show running-config');
    expect(prompt).toBe('rack7-tor#');
  });

  it('waits for output that comes in drips', async () => {
    const from = await device();
    const line = await lineTo(from.fields);
    from.console.drip({ bytes: 7, everyMs: 1 });
    const { text } = await line.run(`show running-config interface ${first}`, amply());
    expect(text).toContain(`interface ${first}\nend\n`);
    expect((await line.run('configure terminal', amply())).prompt).toBe('rack7-tor(config)#');
  });

  it('logs in to a device whose greeting comes in drips and looks like a prompt', async () => {
    const from = await device();
    from.console.drip({ bytes: 3, everyMs: 1 });
    const line = await lineTo(from.fields);
    expect((await line.run('configure terminal', amply())).prompt).toBe('rack7-tor(config)#');
  });

  it('turns the pages of a device that does not stop paging', async () => {
    const from = await device();
    const stubborn = { ...ciscoIos.syntax, setup: ['terminal width 511'] };
    const line = await lineTo(from.fields, stubborn);
    const { text } = await line.run('show running-config | section ^interface', amply());
    expect(ciscoIos.read.parse([text], null).map(({ port }) => port)).toEqual(from.ports);
    expect(text).not.toContain('More');
    from.console.drip({ bytes: 5, everyMs: 1 });
    const slow = await line.run(`show running-config interface ${first}`, amply());
    expect(slow.text).toContain(`interface ${first}\n`);
  });

  it('never sends what would be two commands', async () => {
    const from = await device();
    const line = await lineTo(from.fields);
    const before = from.console.transcript.length;
    for (const bad of ['end\nreload', 'end\rreload', 'x\u0003', 'x\u001b[A'])
      await expect(line.run(bad, amply())).rejects.toThrow('not sent');
    expect(from.console.transcript).toHaveLength(before);
  });

  it('is over when the device hangs, and says what it waited for', async () => {
    const from = await device();
    const line = await lineTo(from.fields);
    from.breakLine({ kind: 'hang' });
    await expect(line.run('configure terminal', soon())).rejects.toThrow('waiting for the switch "configure terminal"');
    await expect(line.run('end', amply())).rejects.toThrow('gave up');
  });

  it('is over when the device drops it, in the middle of a command or between two', async () => {
    const from = await device();
    const line = await lineTo(from.fields);
    from.console.drip({ bytes: 1, everyMs: 20 });
    const running = line.run('configure terminal', amply());
    from.console.drop();
    await expect(running).rejects.toThrow(/lost|failed|closed/);
    await expect(line.run('end', amply())).rejects.toThrow(/lost|failed|closed/);
  });

  it('ends immediately when it is aborted before it begins', async () => {
    const from = await device();
    await expect(CliSession.open(loginFrom(from.fields), ciscoIos.syntax, AbortSignal.abort())).rejects.toThrow();
    const line = await lineTo(from.fields);
    await expect(line.run('end', AbortSignal.abort())).rejects.toThrow('gave up');
  });

  it('can be closed twice, and in the middle of a command', async () => {
    const from = await device();
    const line = await lineTo(from.fields);
    from.breakLine({ kind: 'hang' });
    const running = line.run('end', amply());
    line.close();
    line.close();
    await expect(running).rejects.toThrow('closed');
  });
});

describe('a login', () => {
  it.each([
    ['with a password', {}, {}],
    ['with a password that the device asks for itself', { isKeyboardInteractive: true }, {}],
  ])('logs in %s', async (_, options, more) => {
    const from = await device(options);
    await lineTo(fieldsOf(from, more));
  });

  it('logs in with a key and no password', async () => {
    const { privateKey, publicKey } = newKeyPair();
    const from = await device({ publicKey });
    const rest = Object.fromEntries(Object.entries(from.fields).filter(([name]) => name !== 'password'));
    await lineTo({ ...rest, private_key: privateKey });
    await expect(lineTo({ ...rest, private_key: newKeyPair().privateKey })).rejects.toThrow(
      'rejects the login of user corral',
    );
  });

  it.each([{}, { isKeyboardInteractive: true }])('is refused with a wrong password (%j)', async (options) => {
    const from = await device(options);
    const failure = await lineTo(fieldsOf(from, { password: 'my secret' })).catch((error: unknown) => String(error));
    expect(failure).toMatch(/127\.0\.0\.1 port \d+ rejects the login of user corral/);
    expect(failure).not.toContain('my secret');
  });

  it('says nothing of a key that it cannot read', async () => {
    const from = await device();
    const failure = await lineTo(fieldsOf(from, { private_key: 'not a key' })).catch((error: unknown) => String(error));
    expect(failure).toContain('cannot connect');
    expect(failure).not.toContain('not a key');
  });

  it('takes the pinned host key, as a fingerprint or whole, and no other', async () => {
    const from = await device();
    await lineTo(fieldsOf(from, { host_key: from.console.fingerprint }));
    await lineTo(fieldsOf(from, { host_key: `${from.console.hostKey} switch one` }));
    const [type = '', blob = ''] = newKeyPair().publicKey.split(' ');
    for (const other of [`${type} ${blob}`, `SHA256:${'A'.repeat(43)}`])
      await expect(lineTo(fieldsOf(from, { host_key: other }))).rejects.toThrow(
        `shows the host key ${from.console.fingerprint}, not the one in "host_key"`,
      );
    const before = from.console.transcript.length;
    await expect(lineTo(fieldsOf(from, { host_key: 'ssh-rsa AAAA' }))).rejects.toThrow('legacy_algorithms');
    expect(from.console.transcript).toHaveLength(before);
  });

  it('enters the privileged mode with its own password, or else with that of the login', async () => {
    const own = await device({ enableSecret: 'open sesame' });
    const line = await lineTo(fieldsOf(own, { enable_password: 'open sesame' }));
    expect((await line.run('configure terminal', amply())).prompt).toBe('rack7-tor(config)#');
    const same = await device({ enableSecret: 'lab password' });
    await lineTo(same.fields);
  });

  it('says so if the privileged mode is not given', async () => {
    const from = await device({ enableSecret: 'open sesame' });
    const failure = await lineTo(fieldsOf(from, { enable_password: 'my secret' })).catch((error: unknown) =>
      String(error),
    );
    expect(failure).toContain('check "enable_password"');
    expect(failure).not.toContain('my secret');
  });
});

it('a switch that speaks only old algorithms is reached if the operator says so', async () => {
  const server = new ssh2.Server(
    {
      hostKeys: [newKeyPair().privateKey],
      algorithms: { kex: ['diffie-hellman-group14-sha1'], cipher: ['aes128-cbc'], hmac: ['hmac-sha1'] },
    },
    (client) => {
      client.on('error', () => undefined);
      client.on('authentication', (context) => context.accept());
      client.on('session', (accept) => {
        accept()
          .on('pty', (acceptPty: () => void) => acceptPty())
          .on('shell', (acceptShell) => {
            const channel = acceptShell();
            channel.write('old#');
            channel.on('data', (bytes: Buffer) => channel.write(`${bytes.toString()}old#`));
          });
      });
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  undo.push(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const fields = { hostname: '127.0.0.1', port, username: 'u', password: 'p' };
  await expect(lineTo(fields)).rejects.toThrow('"legacy_algorithms": true');
  const line = await lineTo({ ...fields, legacy_algorithms: true });
  expect(await line.run('hello', amply())).toEqual({ text: '', prompt: 'old#' });
});

describe('the fields of a command-line switch', () => {
  const check = checkOf(cliSwitch(ciscoIos).config, inBody);
  const fields = { hostname: 'h', username: 'u', password: 'p', dummy_vlan: 998 };

  it.each([
    { port: 2222 },
    { private_key: '-----BEGIN OPENSSH PRIVATE KEY-----\nx\n-----END OPENSSH PRIVATE KEY-----\n' },
    { enable_password: 'e' },
    { host_key: `SHA256:${'a'.repeat(43)}` },
    { host_key: 'ssh-ed25519 AAAAC3Nz' },
    { legacy_algorithms: true },
    { dummy_vlan: '998' },
    { dummy_vlan: 4094 },
  ])('may be %j', (more) => expect(check({ ...fields, ...more })).toEqual([]));

  it.each([
    { port: 0 },
    { port: '22' },
    { private_key: '' },
    { host_key: 'MD5:aa:bb' },
    { legacy_algorithms: 'yes' },
    { dummy_vlan: 0 },
    { dummy_vlan: '4095' },
    { dummy_vlan: '9 9' },
    { dummy_vlan: undefined },
    { hostname: 'a\nb' },
  ])('may not be %j', (more) => expect(check({ ...fields, ...more })).not.toEqual([]));
});

describe('what a terminal shows', () => {
  it.each([
    ['a\r\nb\r\r\n', 'a\nb\n'],
    ['--More--\b\b\b\b\b\b\b\b        \b\b\b\b\b\b\b\binterface x', 'interface x'],
    ['--More--\r        \r vlan 1', ' vlan 1'],
    ['\u001b[1;32msw1\u001b[0m#\u001b[K ', 'sw1#'],
    ['a\u0000b\u0007c', 'abc'],
  ])('%j is %j', (text, screen) => expect(shown(text)).toBe(screen));
});

describe('lists of VLANs', () => {
  it('are read with ranges, in any order', () => {
    expect(vlansIn('7,1-3, 10 - 11')).toEqual([1, 2, 3, 7, 10, 11]);
  });

  it.each(['', '1-', 'none', '3-1', '1,,2', '5000', '1;2'])('%j is none', (list) => {
    expect(() => vlansIn(list)).toThrow('a list of VLANs reads');
  });

  it('are written with ranges, in lines that are not too long', () => {
    expect(vlanLists([])).toEqual([]);
    expect(vlanLists([3, 1, 2, 7, 9, 10])).toEqual(['1-3,7,9-10']);
    const many = Array.from({ length: 200 }, (_, index) => 2 * index + 1000);
    const lists = vlanLists(many);
    expect(Math.max(...lists.map((list) => list.length))).toBeLessThanOrEqual(160);
    expect(lists.flatMap(vlansIn)).toEqual(many);
  });
});
