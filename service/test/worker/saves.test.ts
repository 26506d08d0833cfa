import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { oddSwitches } from '../support/switches/faulty-switches.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import { aTime, carried, driftOf, metricOf, saved, setPolicy, sweep } from '../support/switches/drift-helpers.ts';
import {
  connect,
  detach,
  done,
  eventually,
  makeNetwork,
  makeNode,
  makeProject,
  obmd,
  reserve,
} from '../support/services/world.ts';

const nodes = ['n1', 'n2', 'n3', 'n4'];
const empty = { native: null, tagged: [] };
const onNet = { native: 100, tagged: [] };

/** Running configuration to startup configuration: what a switch was told survives its next reboot. */
describe.each(engines)('the configuration of a switch on %s', (engine) => {
  // These remember their ports for as long as the process lives.
  const odd = `odd-${engine}`;

  const makeWorld = async (env: Readonly<Record<string, string>> = {}): Promise<Service> => {
    const service = await serviceForTest(engine, { ...oddSwitches, ...env });
    await makeProject(service, 'red');
    await makeNetwork(service, 'net', 'red');
    for (const node of nodes) {
      await makeNode(service, node, ['eth0']);
      await reserve(service, 'red', node);
    }
    return service;
  };
  const portsOf = (service: Service) => nodes.map((node) => carried(service, 'sw0', `${node}/eth0`));
  const connectAll = (service: Service) => Promise.all(nodes.map((node) => connect(service, node, 'eth0', 'net')));

  it('is saved after a change, and a reboot loses nothing', async () => {
    const service = await makeWorld();
    await connectAll(service);
    await saved(service, 'sw0');
    service.simulated('sw0').reboot();
    expect(portsOf(service)).toEqual([onNet, onNet, onNet, onNet]);
    await detach(service, 'n1', 'eth0', 'net');
    await saved(service, 'sw0');
    service.simulated('sw0').reboot();
    expect(portsOf(service)).toEqual([empty, onNet, onNet, onNet]);
    expect((await sweep(service, 'sw0')).ports).toEqual([]);
  });

  it('is saved once for changes that come together: not while they are gathered', async () => {
    const service = await makeWorld({ CORRAL_ENGINE_SAVE_DELAY: '3600' });
    await connectAll(service);
    const { unsaved_since } = await driftOf(service, 'sw0');
    expect(unsaved_since).toEqual(aTime());
    await detach(service, 'n1', 'eth0', 'net');
    expect((await driftOf(service, 'sw0')).unsaved_since).toBe(unsaved_since);
    service.simulated('sw0').reboot();
    expect(portsOf(service)).toEqual([empty, empty, empty, empty]);
  });

  it('is not saved for reading ports, nor where the driver cannot', async () => {
    const service = await makeWorld({ CORRAL_ENGINE_SAVE_DELAY: '3600' });
    await sweep(service, 'sw0');
    expect((await driftOf(service, 'sw0')).unsaved_since).toBeNull();
    await done(service.admin.put(`/switch/${odd}`, { type: 'gappy', hostname: 'h' }));
    await done(service.admin.put('/node/n5', { obmd }));
    await done(service.admin.put('/node/n5/nic/eth0', { macaddr: 'm' }));
    await done(service.admin.put(`/switch/${odd}/port/n5`));
    await done(service.admin.post(`/switch/${odd}/port/n5/connect_nic`, { node: 'n5', nic: 'eth0' }));
    await reserve(service, 'red', 'n5');
    await connect(service, 'n5', 'eth0', 'net');
    expect((await driftOf(service, odd)).unsaved_since).toBeNull();
  });

  it('that cannot be saved shows since when, survives a restart of the service, and is saved then', async () => {
    const first = await makeWorld();
    first.simulated('sw0').faults = { saveFails: true };
    await connectAll(first);
    const { unsaved_since } = await driftOf(first, 'sw0');
    expect(unsaved_since).toEqual(aTime());
    await eventually(async () => ((await driftOf(first, 'sw0')).save_fault === null ? undefined : true));
    expect(await driftOf(first, 'sw0')).toMatchObject({
      unsaved_since,
      save_fault: 'no space left in flash',
      fault: null,
    });
    await eventually(async () => ((await metricOf(first, 'corral_switch_unsaved_seconds', 'sw0')) ? true : undefined));
    await first.stop();

    const second = await first.restart();
    try {
      expect((await driftOf(second, 'sw0')).unsaved_since).toBe(unsaved_since);
      second.simulated('sw0').faults = {};
      await saved(second, 'sw0');
      expect(await metricOf(second, 'corral_switch_unsaved_seconds', 'sw0')).toBe(0);
      second.simulated('sw0').reboot();
      expect(portsOf(second)).toEqual([onNet, onNet, onNet, onNet]);
    } finally {
      await second.stop();
    }
  });

  it('that cannot be saved can still be changed and read', async () => {
    const service = await makeWorld();
    service.simulated('sw0').faults = { saveFails: true };
    await connect(service, 'n1', 'eth0', 'net');
    const failures = () => service.log.filter((line) => line.includes('no space left in flash')).length;
    await eventually(() => (failures() >= 4 ? true : undefined));
    expect(await sweep(service, 'sw0')).toMatchObject({ ports: [], unsaved_since: aTime() });
    expect((await done(service.admin.get('/network/net/reach'))).body).toMatchObject({ complete: true });
    await connect(service, 'n2', 'eth0', 'net');
  });

  it('that a reboot lost is drift at the next sweep, and repaired where the policy says so', async () => {
    const service = await makeWorld();
    await connect(service, 'n1', 'eth0', 'net');
    await saved(service, 'sw0');
    service.simulated('sw0').faults = { saveFails: true };
    await connect(service, 'n2', 'eth0', 'net');
    await detach(service, 'n1', 'eth0', 'net');
    service.simulated('sw0').reboot();
    service.simulated('sw0').faults = {};
    expect((await sweep(service, 'sw0')).ports).toMatchObject([
      { port: 'n1/eth0', recorded: { native: null }, seen: { native: 100 } },
      { port: 'n2/eth0', recorded: { native: 100 }, seen: { native: null } },
    ]);
    expect(portsOf(service).slice(0, 2)).toEqual([onNet, empty]);
    await setPolicy(service, 'sw0', 'repair');
    await eventually(async () => ((await driftOf(service, 'sw0')).ports.length === 0 ? true : undefined));
    expect(portsOf(service).slice(0, 2)).toEqual([empty, onNet]);
    await saved(service, 'sw0');
    service.simulated('sw0').reboot();
    expect((await sweep(service, 'sw0')).ports).toEqual([]);
  });
});
