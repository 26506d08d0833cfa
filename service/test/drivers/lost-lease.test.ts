import { hasPart } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { devices, startTrial } from '../support/switches/switch-devices.ts';

/** One driver for each way to talk to a switch. */
const types = ['cisco-ios', 'brocade', 'arista-eapi', 'junos', 'ovs'].filter((type) => {
  const needs = devices[type]?.needs ?? null;
  return needs === null || hasPart(needs);
});
const amply = (): AbortSignal => AbortSignal.timeout(30_000);

describe.each(types)('a session of %s whose lease is lost', (type) => {
  it('sends nothing more', async () => {
    const { driver, device, stop } = await startTrial(type);
    onTestFinished(stop);
    let checksLeft = Number.POSITIVE_INFINITY;
    const check = (): void => {
      if (checksLeft <= 0) throw new Error('the switch is another worker’s');
      checksLeft -= 1;
    };
    const permit = { number: 1, installation: 'lab', check };
    const session = await driver.open({ label: 'sw', config: device.fields, permit }, amply());
    onTestFinished(() => session.close());
    const port = driver.portName(device.ports[0] ?? '');
    if (typeof port !== 'string') throw new Error(port.refused);
    await session.apply([{ port, native: 100, tagged: [] }], amply());

    checksLeft = 0;
    await expect(session.apply([{ port, native: 200, tagged: [] }], amply())).rejects.toThrow('another worker’s');
    expect(await device.carried(port)).toEqual({ native: 100, tagged: [] });
    await expect(session.read([port], amply())).rejects.toThrow();
  });
});
