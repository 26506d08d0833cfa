import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { hasPart } from '@corral/lab';
import { describe, expect, it, vi } from 'vitest';
import { type Bmc, BmcError } from '../../src/drivers/bmc-contract.ts';
import { bmcAt, ipmiBmc } from '../../src/drivers/ipmi-driver.ts';
import { faultFrom } from '../../src/drivers/ipmi/ipmi-faults.ts';
import { ipmiTargetFrom } from '../../src/drivers/ipmi/ipmi-target.ts';
import { amply, bmcOf, failureOf, openConsoleOf, scratch, simWith } from '../support/ipmi-fixture.ts';
import { anywhere, everyNameAt, onlyTo } from '../support/obmd-outbound.ts';
import { fits } from '../support/fits.ts';

describe('the info of a BMC by IPMI', () => {
  const good = { addr: 'bmc-7.example.net', user: 'corral', pass: 'p4$$ "word"' };

  it.each([
    {},
    { addr: '192.0.2.7' },
    { addr: '2001:db8::7' },
    { port: 6230, cipher: 17, privilege: 'operator', boot_mode: 'bios' },
    { port: '6230', cipher: '17' },
  ])('may be %j', (fields) => {
    expect(fits(ipmiBmc.info, { ...good, ...fields })).toBe(true);
  });

  it.each([
    { addr: '-H' },
    { addr: 'bmc;reboot' },
    { addr: 'bmc:623' },
    { addr: '' },
    { user: 'x'.repeat(17) },
    { user: '' },
    { user: 'a\nb' },
    { pass: 'x'.repeat(21) },
    { pass: 'a\u0000b' },
    { pass: 'é' },
    { port: 0 },
    { port: '65536' },
    { port: '-1' },
    { cipher: 18 },
    { cipher: '3 -v' },
    { privilege: 'root' },
    { boot_mode: 'efi' },
  ])('is not %j', (fields) => {
    expect(fits(ipmiBmc.info, { ...good, ...fields })).toBe(false);
  });
});

describe('the options of ipmitool', () => {
  const recorded = async (
    fields: object,
    call: (bmc: Bmc) => Promise<unknown>,
    outbound = onlyTo([], everyNameAt('192.0.2.7')),
  ): Promise<readonly string[]> => {
    const directory = await scratch();
    const [program, record] = [join(directory, 'tool'), join(directory, 'record')];
    await writeFile(
      program,
      `#!/bin/sh\necho Set Boot Device to pxe\necho "$*" >> ${record}\n/usr/bin/env >> ${record}\n`,
      { mode: 0o700 },
    );
    const info = { addr: 'bmc.example.net', user: 'corral', pass: 'word-of-pass', ...fields };
    await call(bmcAt({ ...ipmiTargetFrom(info), program }, outbound));
    return (await readFile(record, 'utf8')).trim().split('\n');
  };

  it('is the password in its environment, and nothing else of ours', async () => {
    const [told, ...environment] = await recorded({ port: '6230' }, (bmc) => bmc.powerOn(amply()));
    expect(told).toBe(
      '-I lanplus -C 3 -L ADMINISTRATOR -H 192.0.2.7 -p 6230 -U corral -E -N 1 -R 3 -v chassis power on',
    );
    expect(environment.map((line) => line.split('=')[0]).sort()).toEqual([
      'IPMITOOL_PASSWORD',
      'LC_ALL',
      'PATH',
      'PWD',
    ]);
    expect(environment).toContain('IPMITOOL_PASSWORD=word-of-pass');
  });

  it('are the cipher suite and the privilege that it is registered with', async () => {
    const told = await recorded({ cipher: 17, privilege: 'operator' }, (bmc) => bmc.powerOff(amply()));
    expect(told[0]).toContain('-I lanplus -C 17 -L OPERATOR ');
  });

  it.each([
    ['uefi', 'efiboot,persistent'],
    ['bios', 'persistent'],
  ])('is a boot device for %s that stays, also without a power command in the next minute', async (mode, options) => {
    const told = await recorded({ boot_mode: mode }, (bmc) => bmc.setBootDevice('pxe', amply()));
    expect(told.filter((line) => line.startsWith('-I')).map((line) => line.split(' -v ')[1])).toEqual([
      'raw 0x00 0x08 0x03 0x08',
      `chassis bootdev pxe options=${options}`,
    ]);
  });
});

describe('a boot device for one boot by IPMI', () => {
  /** An ipmitool that shows these boot flags; gives what else it was told. */
  const told = async (flags: string, fields: object = {}) => {
    const directory = await scratch();
    const [program, record] = [join(directory, 'tool'), join(directory, 'record')];
    const script = [
      '#!/bin/sh',
      `case "$*" in *'raw 0x00 0x09 '*) echo ' ${flags}' ;; *) echo "$*" >> ${record}; echo Set Boot Device to pxe ;; esac`,
    ];
    await writeFile(program, script.join('\n'), { mode: 0o700 });
    await writeFile(record, '');
    const target = { ...ipmiTargetFrom({ addr: 'bmc', user: 'u', pass: 'p', ...fields }), program };
    const bmc = bmcAt(target, onlyTo([], everyNameAt('192.0.2.7')));
    const outcome = await bmc.setNextBoot?.('pxe', amply());
    const isSet = await bmc.isNextBootSet?.(amply());
    const lines = (await readFile(record, 'utf8')).trim().split('\n');
    return {
      outcome,
      isSet,
      commands: lines.map((line) => line.split(' -v ')[1]).filter((line) => line !== undefined),
    };
  };
  const once = (options: string) => ['raw 0x00 0x08 0x03 0x08', `chassis bootdev pxe${options}`];

  it.each([
    ['uefi', ' options=efiboot'],
    ['bios', ''],
  ])('is not persistent (%s)', async (boot_mode, options) => {
    const { outcome, isSet, commands } = await told('01 05 00 00 00 00 00', { boot_mode });
    expect(commands).toEqual(once(options));
    expect([outcome, isSet]).toEqual([{ isOnce: true, forgotten: null }, false]);
  });

  it('makes the BMC forget what was set to last, which is reported', async () => {
    const { outcome, commands } = await told('01 05 e0 08 00 00 00');
    expect([outcome, commands]).toEqual([{ isOnce: true, forgotten: 'disk' }, once(' options=efiboot')]);
  });

  it('is still to come while the BMC shows it', async () => {
    expect(await told('01 05 a0 04 00 00 00')).toMatchObject({ isSet: true, outcome: { forgotten: null } });
  });

  it('is nothing to be done where the machine boots from there anyway', async () => {
    expect(await told('01 05 c0 04 00 00 00')).toEqual({
      outcome: { isOnce: true, forgotten: null },
      isSet: false,
      commands: [],
    });
  });
});

describe('a BMC by IPMI that cannot be used', () => {
  it('says to install ipmitool where there is none', async () => {
    const target = { ...ipmiTargetFrom({ addr: 'bmc', user: 'u', pass: 'p' }), program: '/nowhere/ipmitool' };
    const bmc = bmcAt(target, onlyTo([], everyNameAt('192.0.2.7')));
    const calls = [bmc.powerStatus(amply()), bmc.openConsole?.(amply())];
    for (const failure of await Promise.all(calls.map(failureOf))) {
      expect(failure).toMatchObject({
        fault: 'failed',
        message: expect.stringMatching(/cannot run ipmitool; ask an administrator to install it/) as string,
      });
    }
  });

  it('says that its address is not known if its name is not', async () => {
    const bmc = ipmiBmc.bmcOf({ addr: 'bmc.invalid', user: 'u', pass: 'p' }, anywhere);
    const failure = await failureOf(bmc.powerStatus(amply()));
    expect(failure).toMatchObject({
      fault: 'unreachable',
      message: expect.stringMatching(/address of the BMC cannot be resolved/) as string,
    });
  });
});

describe('what ipmitool says', () => {
  const session = 'Error: Unable to establish IPMI v2 / RMCP+ session';
  // A good BMC makes ipmitool say this much with -v.
  const chatter = 'Loading IANA PEN Registry...\nInvalid completion code received: Invalid command\n';

  it.each([
    [`> RAKP 2 HMAC is invalid\n${session}`, 'credentials', /user name and password/],
    [`RAKP 2 message indicates an error : unauthorized name\n${session}`, 'credentials', /user name and password/],
    [`RAKP 2 message indicates an error : unauthorized role\n${session}`, 'credentials', /operator privilege/],
    ['Set Chassis Power Control to Up/On failed: Insufficient privilege level', 'credentials', /operator privilege/],
    [
      `Error in open session response message : no cipher suite match with security algorithms\n\n${session}`,
      'unsupported',
      /another cipher/,
    ],
    [`Error in open session response message : insufficient resources for session\n\n${session}`, 'failed', /is busy/],
    [`Get Auth Capabilities error\n${session}`, 'unreachable', /does not answer/],
    ['Info: SOL payload disabled', 'unsupported', /enable it there/],
    ['Info: SOL payload already active on another session', 'failed', /somebody else/],
    ['Error: No response to keepalive - Terminating session', 'unreachable', /stopped answering/],
    ['SOL session closed by BMC', 'failed', /open it again/],
    [
      'Set Chassis Power Control to Cycle failed: Command not supported in present state',
      'failed',
      /failed to carry out the command/,
    ],
    ['Set Chassis Power Control to Soft failed: Invalid command', 'unsupported', /does not support this command/],
    ['', 'failed', /failed to carry out the command/],
  ] as const)('%j is understood', (said, fault, message) => {
    expect(faultFrom('chassis power on', chatter + said)).toMatchObject({ fault, message });
  });
});

describe.skipIf(!hasPart('ipmi_sim'))('a BMC by IPMI', () => {
  it.each([
    [{ pass: 'wrong-password' }, 'credentials', /user name and password/],
    [{ user: 'nobody' }, 'credentials', /user name and password/],
    [{ cipher: 17 }, 'unsupported', /another cipher/],
  ] as const)('that refuses %j says so, without telling secrets or its address', async (fields, fault, message) => {
    const sim = await simWith();
    const calls = [bmcOf(sim, fields).powerOn(amply()), bmcOf(sim, fields).openConsole?.(amply())];
    for (const failure of await Promise.all(calls.map(failureOf))) {
      if (!(failure instanceof BmcError)) throw new Error(String(failure));
      expect(failure).toMatchObject({ fault, message: expect.stringMatching(message) as string });
      expect(failure.message).not.toContain(sim.addr);
      expect(inspect(failure, { depth: 20 })).not.toMatch(/secret|wrong-password/);
    }
    expect(await sim.told()).toEqual([]);
  });

  it('can be used with an account that is only an operator', async () => {
    const sim = await simWith({ user: 'corral', privilege: 'operator' });
    const bmc = bmcOf(sim, { privilege: 'operator' });
    await bmc.setBootDevice('pxe', amply());
    await bmc.powerOn(amply());
    expect(await bmc.powerStatus(amply())).toBe('on');
    expect(await sim.bootDevice()).toBe('pxe');
    const terminal = await openConsoleOf(sim);
    await sim.say('login: ');
    await terminal.hears('login: ');
  });

  it.each([
    [true, 'off'],
    [false, 'on'],
  ] as const)('asks an operating system to shut down that obeys: %j', async (obeysShutdown, power) => {
    const sim = await simWith({ obeysShutdown });
    await sim.setPower('on');
    await bmcOf(sim).askToShutDown?.(amply());
    expect(await sim.shutdowns()).toBe(1);
    await vi.waitFor(async () => expect(await sim.power()).toBe(power));
  });

  it('says so when it cannot do what it is asked', async () => {
    const directory = await scratch();
    const chassis = join(directory, 'broken');
    await writeFile(chassis, '#!/bin/sh\n[ "$2" = get ] && echo "$3:0"\n', { mode: 0o700 });
    const bmc = bmcOf(await simWith({ chassis }));
    const calls = [() => bmc.powerOn(amply()), () => bmc.powerCycle(amply()), () => bmc.setBootDevice('pxe', amply())];
    for (const call of calls) {
      expect(await failureOf(call())).toMatchObject({
        fault: 'failed',
        message: expect.stringMatching(/failed to carry out the command/) as string,
      });
    }
    // That is off already.
    await bmc.powerOff(amply());
    await bmc.askToShutDown?.(amply());
  });

  it('shows its password in no command line, whatever it does', async () => {
    const sim = await simWith({ pass: 'never-to-be-seen' });
    const over = new AbortController();
    const seen = new Set<string>();
    const watching = (async () => {
      while (!over.signal.aborted) for (const line of await commandLines()) seen.add(line);
    })();
    const hasSeen = (words: RegExp) => [...seen].some((line) => line.startsWith('ipmitool') && words.test(line));
    const bmc = bmcOf(sim);
    while (!hasSeen(/power\0on/)) await bmc.powerOn(amply());
    while (!hasSeen(/bootdev\0disk/)) await bmc.setBootDevice('disk', amply());
    const terminal = await openConsoleOf(sim);
    await vi.waitFor(() => expect(hasSeen(/sol\0activate/)).toBe(true));
    await terminal.close();
    over.abort();
    await watching;
    expect([...seen].filter((line) => line.includes('never-to-be-seen'))).toEqual([]);
  });
});

const commandLines = async (): Promise<readonly string[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')));
};
