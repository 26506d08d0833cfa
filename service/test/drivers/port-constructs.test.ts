import type { ScriptedSwitch } from '@corral/lab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PortConfig, SwitchSession } from '../../src/drivers/switches/switch-contract.ts';
import { switchDrivers } from '../../src/drivers/switches/switch-drivers.ts';
import { carriedBy, everything } from '../../src/drivers/switches/vlan-lists.ts';
import { portConstructs } from '../support/switches/port-constructs.ts';

/*
 * What real switches have on ports. A driver that does not understand it reads the port as every VLAN, tells the
 * operator which line that is, does not open such a port, and shuts it when it is freed.
 */

const amply = () => AbortSignal.timeout(30_000);
const nothing = { native: null, tagged: [] };

describe.each(Object.entries(portConstructs))('a port of %s with', (type, { start, constructs }) => {
  let device: ScriptedSwitch;
  let session: SwitchSession;
  let used = 0;

  const open = async (): Promise<SwitchSession> => {
    const driver = switchDrivers({ simulatedSwitches: 'nowhere' })[type];
    if (!driver) throw new Error(`there is no driver ${type}`);
    return driver.open({ label: 'sw', config: device.fields }, amply());
  };
  /** A port that nobody has used yet. */
  const nextPort = (): string => device.ports[used++] ?? '';
  const read = async (port: string): Promise<PortConfig | undefined> => (await session.read([port], amply()))[0];
  const told = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    const before = device.console.transcript.length;
    await work();
    return device.console.transcript.slice(before).filter((line) => !line.startsWith('show '));
  };

  beforeAll(async () => {
    device = await start();
    session = await open();
  });
  afterAll(async () => {
    await session.close();
    await device.stop();
  });

  it.each(constructs)('$what reads as every VLAN, is not opened, and is shut when it is freed', async (construct) => {
    const port = nextPort();
    const words = construct.told.replace('PORT', port);
    await session.apply([{ port, native: 100, tagged: [] }], amply());
    expect(await read(port)).toEqual({ port, native: 100, tagged: [] });
    device.byHand.put(port, construct.lines ?? [], construct.carries);
    if (construct.elsewhere) device.byHand.putGlobal(construct.elsewhere.map((line) => line.replace('PORT', port)));

    const reading = await read(port);
    expect(reading).toMatchObject({ ...everything, unclear: expect.stringContaining(words) as string });
    const seen = new Set(carriedBy(reading ?? nothing));
    expect(carriedBy(await device.carried(port)).filter((vlan) => !seen.has(vlan))).toEqual([]);
    if (construct.elsewhere)
      expect((await session.readAll?.(amply()))?.find((state) => state.port === port)).toEqual(reading);

    const connect = { port, native: 200, tagged: [] };
    const lines = await told(async () => {
      expect(await session.apply([connect], amply())).toEqual([
        { port, applied: false, reason: expect.stringContaining(words) as string },
      ]);
    });
    expect(lines.join('\n')).not.toContain('no shutdown');

    expect(await session.apply([{ port, ...nothing }], amply())).toEqual([{ port, applied: true }]);
    expect(await device.carried(port)).toEqual(nothing);
    expect(await read(port)).toMatchObject(construct.isNeverShut ? everything : { port, ...nothing });
    expect(await session.apply([connect], amply())).toMatchObject([{ applied: false }]);
    expect(await device.carried(port)).toEqual(nothing);
  });

  it('nothing on it is shut when it is freed, whatever it seemed to carry', async () => {
    const port = nextPort();
    await session.apply([{ port, ...nothing }], amply());
    expect(await read(port)).toEqual({ port, ...nothing });
    const lines = await told(() => session.apply([{ port, ...nothing }], amply()));
    expect(lines).toContain('shutdown');
  });

  it('a log message in the middle of its answer is read again; if they do not end, that is a fault', async () => {
    const port = nextPort();
    await session.apply([{ port, native: 100, tagged: [101, 102, 200] }], amply());
    const message = {
      text: '16-Nov-2026 02:00:00 %LINK-5-CHANGED: Interface 1, changed state to down',
      to: /^show /,
    };
    const afterLine = positions[type] ?? 2;
    device.interrupt({ ...message, afterLine, times: 2 });
    expect(await read(port)).toEqual({ port, native: 100, tagged: [101, 102, 200] });
    device.interrupt({ ...message, afterLine, times: 50 });
    await expect(read(port)).rejects.toThrow('in the middle of its answer');
    device.interrupt({ ...message, afterLine, times: 0 });
    // A line that failed is not used again.
    session = await open();
  });

  it('something else said to one of its commands is not done', async () => {
    const port = nextPort();
    await session.apply([{ port, native: 100, tagged: [] }], amply());
    device.refuse(new RegExp(`^switchport .*(?:vlan|vlan add) 333$`), 'Something that nobody has seen before');
    expect(await session.apply([{ port, native: 333, tagged: [] }], amply())).toEqual([
      { port, applied: false, reason: expect.stringContaining('Something that nobody has seen before') as string },
    ]);
    expect(await device.carried(port)).toEqual(nothing);
  });
});

/** After which line of the answer a message falls into the block of the port. */
const positions: Readonly<Record<string, number>> = {
  'cisco-ios': 6,
  'cisco-nxos': 8,
  'arista-eos': 2,
  'dell-os10': 3,
};
