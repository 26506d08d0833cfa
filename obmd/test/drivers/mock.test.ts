import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Bmc } from '../../src/drivers/bmc-contract.ts';
import { parseAddress } from '../../src/drivers/mock/mock-address.ts';
import { mockMachine } from '../../src/drivers/mock/mock-machine.ts';
import { mockBmc } from '../../src/drivers/mock-driver.ts';
import { type Terminal, terminalOn } from '../support/console.ts';
import { startMockBmc } from '../support/mock-bmc.ts';
import { anywhere } from '../support/obmd-outbound.ts';
import { fits } from '../support/fits.ts';

const amply = () => AbortSignal.timeout(10_000);
const terminals: Terminal[] = [];
const bmcWith = (fields: string): Bmc => mockBmc.bmcOf(startMockBmc(fields).info, anywhere);
const open = async (bmc: Bmc): Promise<Terminal> => {
  if (!bmc.openConsole) throw new Error('it has no console');
  const terminal = terminalOn(await bmc.openConsole(amply()));
  terminals.push(terminal);
  return terminal;
};

afterEach(async () => {
  await Promise.all(terminals.splice(0).map((terminal) => terminal.close()));
});

describe('the address of a mock BMC', () => {
  it.each([
    '10.0.0.5',
    'n1',
    'fe80::1',
    'bmc-7.example.org',
    'mock://n1',
    'mock://n1?delay_ms=200&fail=power_on,power_off&hang=power_status&drop_console_ms=500',
    'mock://n1?fail=all&fault=unreachable',
    'mock://n1?tick_ms=10&stream_bytes_s=100000',
  ])('may be %s', (addr) => expect(fits(mockBmc.info, { addr })).toBe(true));

  it.each([
    '',
    'two words',
    'http://n1',
    'mock://',
    'mock://n1?',
    'mock://n1?fail=powr_on',
    'mock://n1?delay_ms=soon',
    'mock://n1?tick_ms=0',
    'mock://n1?fault=gone',
    'mock://n1?no_such_field=1',
    'mock://n1?fail=power_on&',
    'n1?fail=power_on',
  ])('may not be "%s"', (addr) => expect(fits(mockBmc.info, { addr })).toBe(false));

  it('names the machine, whatever it says about its BMC', () => {
    expect(parseAddress('n1').machine).toBe('n1');
    expect(parseAddress('mock://n1?fail=all').machine).toBe('n1');
  });
});

describe('a mock BMC', () => {
  it('fails in the calls that its address names, as it says, and in no other', async () => {
    const bmc = bmcWith('fail=power_on,console&fault=credentials');
    await expect(bmc.powerOn(amply())).rejects.toMatchObject({ name: 'BmcError', fault: 'credentials' });
    await expect(bmc.openConsole?.(amply())).rejects.toMatchObject({ fault: 'credentials' });
    expect(await bmc.powerStatus(amply())).toBe('off');
    await bmc.powerCycle(amply());
    expect(await bmc.powerStatus(amply())).toBe('on');
  });

  it('hangs in the calls that its address names, until the signal says otherwise', async () => {
    const bmc = bmcWith('hang=power_status');
    await bmc.powerOn(amply());
    await expect(bmc.powerStatus(AbortSignal.timeout(50))).rejects.toThrow();
  });

  it('takes its time', async () => {
    const bmc = bmcWith('delay_ms=80');
    const before = performance.now();
    await bmc.powerStatus(amply());
    expect(performance.now() - before).toBeGreaterThan(75);
    await expect(bmc.powerStatus(AbortSignal.timeout(10))).rejects.toThrow();
  });

  it('refuses a boot device that it does not have', async () => {
    await expect(bmcWith('').setBootDevice('floppy', amply())).rejects.toMatchObject({ fault: 'unsupported' });
  });

  it('is off soon after its system is asked to shut down', async () => {
    const bmc = bmcWith('');
    await bmc.powerOn(amply());
    await bmc.askToShutDown?.(amply());
    expect(await bmc.powerStatus(amply())).toBe('on');
    await vi.waitFor(async () => expect(await bmc.powerStatus(amply())).toBe('off'));
  });

  it('shares its machine with others of the same name', async () => {
    await mockBmc.bmcOf({ addr: 'shared-1' }, anywhere).powerOn(amply());
    expect(await mockBmc.bmcOf({ addr: 'mock://shared-1?delay_ms=1' }, anywhere).powerStatus(amply())).toBe('on');
  });
});

describe('the console of a mock machine', () => {
  it('shows the boot, from the device that was set, and repeats what is typed', async () => {
    const bmc = bmcWith('');
    const terminal = await open(bmc);
    await bmc.setBootDevice('pxe', amply());
    await bmc.powerOn(amply());
    await terminal.hears('booting from pxe');
    await terminal.hears('login: ');
    terminal.type('root\r');
    await terminal.hears('login: root\r\n');
  });

  it('ticks while the machine is on', async () => {
    const bmc = bmcWith('tick_ms=5');
    const terminal = await open(bmc);
    await bmc.powerOn(amply());
    await terminal.hears('tick');
    await bmc.powerOff(amply());
    await terminal.hears('power off\r\n');
    expect(terminal.heard()).toMatch(/power off\r\n$/);
  });

  it('ends by itself if the address says so', async () => {
    const terminal = await open(bmcWith('drop_console_ms=20'));
    await vi.waitFor(() => expect(terminal.isClosed).toBe(true));
  });

  it('streams as fast as the address says', async () => {
    const bmc = bmcWith('stream_bytes_s=1000000');
    const terminal = await open(bmc);
    const before = performance.now();
    await bmc.powerOn(amply());
    await vi.waitFor(() => expect(terminal.heard().length).toBeGreaterThan(300_000), { timeout: 5_000 });
    expect(performance.now() - before).toBeGreaterThan(200);
  });

  it('loses what is not read, and keeps no more than a little', async () => {
    const addr = 'mock://flood-1?stream_bytes_s=50000000';
    const bmc = mockBmc.bmcOf({ addr }, anywhere);
    const unread = await bmc.openConsole?.(amply());
    await bmc.powerOn(amply());
    await vi.waitFor(() => expect(unread?.readableLength).toBeGreaterThan(20_000));
    const full = unread?.readableLength ?? 0;
    mockMachine('flood-1').say(Buffer.alloc(1_000_000));
    expect(unread?.readableLength).toBe(full);
    unread?.destroy();
    await vi.waitFor(() => expect(mockMachine('flood-1').isWatched).toBe(false));
  });
});
