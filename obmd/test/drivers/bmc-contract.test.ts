import { existsSync } from 'node:fs';
import { inspect } from 'node:util';
import { hasPart } from '@corral/lab';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Bmc, type BmcDriver, BmcError } from '../../src/drivers/bmc-contract.ts';
import { bmcDrivers } from '../../src/drivers/bmc-drivers.ts';
import { testBmcs } from '../support/bmcs.ts';
import type { TestBmc } from '../support/test-bmc.ts';
import { type Terminal, terminalOn } from '../support/console.ts';
import { fits } from '../support/fits.ts';
import { deferred } from '../support/deferred.ts';
import { anywhere } from '../support/obmd-outbound.ts';

const drivers: Readonly<Record<string, BmcDriver>> = bmcDrivers;
const runnable = testBmcs.filter(({ part }) => part === null || hasPart(part));
const amply = () => AbortSignal.timeout(50_000);

/** The beginning of what each kind of BMC says of itself. */
const expectedIdentities: Readonly<Record<string, RegExp>> = {
  ipmi: /^IPMI 2\.0, .*firmware \d/,
  redfish: /^Redfish 1\.15\.0, .*system \S+$/,
  libvirt: /^libvirt with \w+ [\d.]+, domain \S+ \(\w+/,
  mock: /^mock BMC of machine \S+$/,
};

it('every driver of the registry has a BMC to be tried on', () => {
  expect([...new Set(testBmcs.map(({ type }) => type))].sort()).toEqual(Object.keys(drivers).sort());
});

describe.each(Object.entries(drivers))('the registry entry %s', (type, driver) => {
  const fields: readonly string[] = Object.keys((driver.info as { properties?: object }).properties ?? {});

  it('takes no field that it does not know', () => {
    expect(driver.info).toHaveProperty('additionalProperties', false);
    expect(fits(driver.info, { no_such_field: 1 })).toBe(false);
  });

  it('keeps secret only what it has', () => {
    expect(fields).toEqual(expect.arrayContaining([...driver.secrets]));
  });

  it('has a page in the documents', () => {
    expect(existsSync(new URL(`../../../docs/obmd/${type}.md`, import.meta.url))).toBe(true);
  });
});

describe.each(runnable)('the BMC driver on $name', (kind) => {
  const { type } = kind;
  let device: TestBmc;
  let bmc: Bmc;
  const bmcs: Bmc[] = [];
  const terminals: Terminal[] = [];

  const driver = (): BmcDriver => {
    const found = drivers[type];
    if (!found) throw new Error(`no driver for BMCs of type ${type}`);
    return found;
  };
  const bmcWith = (info: TestBmc['info']): Bmc => {
    const made = driver().bmcOf(info, anywhere);
    bmcs.push(made);
    return made;
  };
  const expectPower = (power: 'on' | 'off'): Promise<void> =>
    vi.waitFor(async () => expect(await device.power()).toBe(power), { timeout: 20_000, interval: 50 });
  const open = async (from: Bmc): Promise<Terminal> => {
    if (!from.openConsole) throw new Error('it has no console');
    const terminal = terminalOn(await from.openConsole(amply()));
    terminals.push(terminal);
    return terminal;
  };
  const expectTyped = (text: string): Promise<void> =>
    vi.waitFor(async () => expect(await device.typed()).toContain(text), { timeout: 20_000, interval: 20 });

  beforeAll(async () => {
    device = await kind.start();
  });
  beforeEach(() => {
    bmc = bmcWith(device.info);
  });
  afterEach(async () => {
    await device.recover();
    await Promise.all(terminals.splice(0).map((terminal) => terminal.close()));
    await Promise.all(bmcs.splice(0).map(async (one) => one.close?.()));
  });
  afterAll(() => device.stop());

  it('says what answers there, and what the registered user may do', async () => {
    const { answered, privileges } = await bmc.identify(amply());
    expect(answered).toMatch(expectedIdentities[type] ?? /\w/);
    expect(privileges).toMatch(/^(administrator|Operator|read and write|all)$/);
    expect(await device.power()).toBe(await bmc.powerStatus(amply()));
  });

  it('accepts the info that reaches its device, and nothing unknown beside', () => {
    expect(fits(driver().info, device.info)).toBe(true);
    expect(fits(driver().info, { ...device.info, no_such_field: 1 })).toBe(false);
  });

  it.each(['on', 'off'] as const)('says that a machine is %s', async (power) => {
    await device.setPower(power);
    expect(await bmc.powerStatus(amply())).toBe(power);
  });

  it('turns a machine on, also one that is on', async () => {
    await device.setPower('off');
    await bmc.powerOn(amply());
    await expectPower('on');
    await bmc.powerOn(amply());
    await expectPower('on');
    expect(await bmc.powerStatus(amply())).toBe('on');
  });

  it('turns a machine off, also one that is off', async () => {
    await device.setPower('on');
    await bmc.powerOff(amply());
    await expectPower('off');
    await bmc.powerOff(amply());
    await expectPower('off');
    expect(await bmc.powerStatus(amply())).toBe('off');
  });

  it.each(['on', 'off'] as const)('cycles a machine that is %s, which ends on', async (power) => {
    await device.setPower(power);
    const before = await device.boots?.();
    await bmc.powerCycle(amply());
    if (before !== undefined) {
      await vi.waitFor(async () => expect(await device.boots?.()).toBeGreaterThan(before), { timeout: 20_000 });
    }
    await expectPower('on');
  });

  it('sets each of its boot devices, on a machine that is off and on one that is on', async () => {
    expect(bmc.bootDevices.length).toBeGreaterThan(0);
    for (const power of ['off', 'on'] as const) {
      await device.setPower(power);
      for (const name of [...bmc.bootDevices, ...bmc.bootDevices]) {
        await bmc.setBootDevice(name, amply());
        expect([name, null]).toContain(await device.bootDevice());
      }
      expect(await device.power()).toBe(power);
    }
  });

  it('boots once from what is set for the next boot, and then from what was set to last', async () => {
    const again = async (): Promise<string | undefined> => {
      await device.setPower('off');
      await bmc.powerOn(amply());
      await expectPower('on');
      return device.bootedFrom?.();
    };
    if (!bmc.setNextBoot) throw new Error('every BMC of today can');
    await device.setPower('off');
    await bmc.setBootDevice('disk', amply());
    expect(await bmc.setNextBoot('pxe', amply())).toMatchObject({ isOnce: true });
    const booted = await again();
    if (booted === undefined) return;
    expect(booted).toBe('pxe');
    // Whatever a BMC has forgotten over it, what it boots from now is not the network.
    expect(await again()).not.toBe('pxe');
    await bmc.setBootDevice('disk', amply());
    const { forgotten } = await bmc.setNextBoot('pxe', amply());
    if (forgotten !== null) expect(await bmc.isNextBootSet?.(amply())).toBe(true);
    expect(await again()).toBe('pxe');
    if (forgotten !== null) {
      expect(await bmc.isNextBootSet?.(amply())).toBe(false);
      await bmc.setBootDevice(forgotten, amply());
    }
    expect(await again()).toBe('disk');
  });

  it('asks the operating system to shut down, if it can', async () => {
    if (!bmc.askToShutDown) return;
    await device.setPower('on');
    await bmc.askToShutDown(amply());
    // It may still be at it.
    await device.setPower('off');
  });

  it('takes calls at the same time', async () => {
    await device.setPower('on');
    await Promise.all([
      bmc.powerStatus(amply()),
      bmc.powerOn(amply()),
      bmc.setBootDevice(bmc.bootDevices[0] ?? '', amply()),
      bmc.powerStatus(amply()),
    ]);
    await expectPower('on');
  });

  it('can be closed twice, and without having been used', async () => {
    await bmc.close?.();
    await bmc.close?.();
    const used = bmcWith(device.info);
    await used.powerStatus(amply());
    await used.close?.();
    await used.close?.();
  });

  it('says when its user name and password are not accepted, without telling them', async () => {
    if (device.badSecret === null) return;
    const error = await bmcWith(device.badSecret)
      .powerStatus(amply())
      .then(
        () => null,
        (thrown: unknown) => thrown,
      );
    if (!(error instanceof BmcError)) throw new Error(`it was ${String(error)}`);
    expect(error.fault).toBe('credentials');
    const told = inspect(error, { depth: 20 });
    for (const secret of driver().secrets) {
      const value = device.badSecret[secret];
      if (typeof value === 'string') expect(told).not.toContain(value);
    }
    for (const place of ['addr', 'url', 'uri']) {
      const value = device.badSecret[place];
      if (typeof value === 'string') expect(error.message).not.toContain(value);
    }
  });

  describe('while the device hangs', () => {
    const calls: Readonly<Record<string, (one: Bmc, signal: AbortSignal) => Promise<unknown>>> = {
      powerStatus: (one, signal) => one.powerStatus(signal),
      powerOn: (one, signal) => one.powerOn(signal),
      setBootDevice: (one, signal) => one.setBootDevice(one.bootDevices[0] ?? '', signal),
      openConsole: async (one, signal) => {
        // One that has no console answers at once, and is asked for its power instead.
        if (one.openConsole) terminals.push(terminalOn(await one.openConsole(signal)));
        else await one.powerStatus(signal);
      },
    };

    it.each(Object.keys(calls))('%s ends soon after its signal, and the device works afterwards', async (call) => {
      await device.setPower('on');
      const before = await deferred();
      // So that what is kept between calls is there; the other one below is new.
      await bmc.powerStatus(amply());
      await device.hang();
      for (const one of [bmc, bmcWith(device.info)]) {
        const ended = new AbortController();
        const timer = setTimeout(() => ended.abort(new Error('too late')), 300);
        let abortedAt = 0;
        ended.signal.addEventListener('abort', () => (abortedAt = Date.now()));
        await expect(calls[call]?.(one, ended.signal)).rejects.toMatchObject({ fault: 'unreachable' });
        clearTimeout(timer);
        if (abortedAt > 0) expect(Date.now() - abortedAt).toBeLessThan(5_000);
      }
      await device.recover();
      await vi.waitFor(async () => expect(await bmc.powerStatus(amply())).toBe('on'), { timeout: 20_000 });
      await Promise.all(bmcs.map(async (one) => one.close?.()));
      await expectHeld(before);
    });

    it('a signal that has ended already reaches nothing', async () => {
      await device.setPower('on');
      await expect(bmc.powerStatus(AbortSignal.abort())).rejects.toThrow();
      await expect(bmc.powerOff(AbortSignal.abort())).rejects.toThrow();
      expect(await device.power()).toBe('on');
    });
  });

  describe('its console, if it has one', () => {
    it('carries bytes both ways', async () => {
      if (!bmc.openConsole) return;
      await device.setPower('on');
      const terminal = await open(bmc);
      await device.say('hello from the machine\r\n');
      await terminal.hears('hello from the machine');
      terminal.type('hello machine\r');
      await expectTyped('hello machine');
      // Twice: ipmi_sim takes the first packet of the next session for a repetition if this one had a single packet.
      terminal.type('and hello again\r');
      await expectTyped('and hello again');
    });

    it('leaves nothing behind when it is let go, and opens again', async () => {
      if (!bmc.openConsole) return;
      await device.setPower('on');
      const before = await deferred();
      for (const text of ['once', 'again', 'and again']) {
        const terminal = await open(bmc);
        await device.say(`${text}\r\n`);
        await terminal.hears(text);
        await terminal.close();
      }
      await bmc.close?.();
      await expectHeld(before);
    });

    it('is taken from the client that left it open', async () => {
      if (!bmc.openConsole) return;
      await device.setPower('on');
      const left = await open(bmc);
      await device.say('for the first\r\n');
      await left.hears('for the first');
      const taken = await open(bmcWith(device.info));
      await device.say('for the second\r\n');
      await taken.hears('for the second');
      taken.type('typed by the second\r');
      await expectTyped('typed by the second');
      expect(left.heard()).not.toContain('for the second');
    });

    it('leaves the other calls alone', async () => {
      if (!bmc.openConsole) return;
      await device.setPower('on');
      const terminal = await open(bmc);
      expect(await bmc.powerStatus(amply())).toBe('on');
      await bmc.setBootDevice(bmc.bootDevices[0] ?? '', amply());
      await device.say('still there\r\n');
      await terminal.hears('still there');
    });
  });

  const expectHeld = (before: Awaited<ReturnType<typeof deferred>>): Promise<void> =>
    vi.waitFor(
      async () => {
        const now = await deferred();
        expect(now.children.filter((pid) => !before.children.includes(pid))).toEqual([]);
        expect(now.sockets).toBeLessThanOrEqual(before.sockets);
      },
      { timeout: 10_000, interval: 50 },
    );
});
