import { hasPart } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { devices, startTrial } from '../support/switches/switch-devices.ts';
import { behind } from '../support/switches/silent-relay.ts';

/** One of each transport: OVSDB, a command line over SSH, NETCONF, and HTTP in three dialects. */
const types = ['ovs', 'cisco-ios', 'junos', 'arista-eapi', 'dellnos9', 'brocade'] as const;

const amply = (): AbortSignal => AbortSignal.timeout(30_000);

describe.each(types)('a change on a switch of type %s that is given up', (type) => {
  const needs = devices[type]?.needs ?? null;

  it.runIf(needs === null || hasPart(needs))(
    'ends its connection by a reset: what was queued never arrives',
    async () => {
      const { driver, device, stop } = await startTrial(type);
      onTestFinished(stop);
      const { relay, fields } = await behind(device.fields);
      onTestFinished(relay.stop);
      const session = await driver.open({ label: 'sw', config: fields }, amply());
      const port = device.ports[0] ?? '';
      const before = { native: 200, tagged: [] };
      await device.tamper(port, before);
      relay.fallSilent();
      const patience = new AbortController();
      const change = session.apply([{ port, native: 100, tagged: [] }], patience.signal).then(
        () => 'done',
        () => 'given up',
      );
      await relay.sentInVain;
      patience.abort(new Error('it took too long'));
      await session.close();
      expect(await change).toBe('given up');
      expect(await relay.ending).toBe('reset');
      expect(await device.carried(port)).toEqual(before);
    },
  );
});
