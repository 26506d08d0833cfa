import { startArista, startAristaEos } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SwitchTestView } from '../../src/core/switch-test.ts';
import { engines } from '../support/services/engines.ts';
import { message, refusal, sharedService } from '../support/services/shared-service.ts';
import { sweep } from '../support/switches/drift-helpers.ts';
import { done, makeNetwork, makeNode, makeProject, makeSwitch, makeUser } from '../support/services/world.ts';

const aMock = { type: 'mock', hostname: 'h', username: 'u', password: 'a mock password' };

describe.each(engines)('the test of a switch on %s', (engine) => {
  const service = sharedService(engine);
  const tested = async (label: string, body: object = {}): Promise<SwitchTestView> =>
    (await done(service().admin.post(`/switch/${label}/test`, body))).body as SwitchTestView;

  it('tells what a registered switch is, and what its ports carry', async () => {
    await makeNode(service(), 'n1', ['eth0'], 'sw-1');
    await done(service().admin.put('/switch/sw-1/port/spare'));
    service()
      .simulated('sw-1')
      .write([{ port: 'n1/eth0', native: 7, tagged: [8, 9] }]);
    expect(await tested('sw-1')).toEqual({
      switch: 'sw-1',
      type: 'mock',
      fault: null,
      identity: null,
      about: 'simulated switch',
      lacks: [],
      ports: [
        { port: 'n1/eth0', registered: true, node: 'n1', nic: 'eth0', carries: { native: 7, tagged: '8-9' } },
        { port: 'spare', registered: true, node: null, nic: null, carries: { native: null, tagged: '' } },
      ],
      dry_run: null,
    });
  });

  it('shows what would be sent for a network, and changes nothing', async () => {
    await makeProject(service(), 'p-2');
    await makeNetwork(service(), 'net-2', 'p-2');
    await makeNode(service(), 'n2', ['eth0'], 'sw-2');
    const before = (await done(service().admin.get('/events?limit=1'))).body;
    const { dry_run: native } = await tested('sw-2', { dry_run: { node: 'n2', nic: 'eth0', network: 'net-2' } });
    const vlan = native?.native ?? 0;
    expect(native).toEqual({
      ...{ port: 'n2/eth0', native: vlan, tagged: '', refused: null },
      sends: [`set n2/eth0 native ${vlan} tagged none`, 'save'],
    });
    const channel = `vlan/${vlan}`;
    const { dry_run: tagged } = await tested('sw-2', {
      dry_run: { node: 'n2', nic: 'eth0', network: 'net-2', channel },
    });
    expect(tagged?.sends).toEqual([`set n2/eth0 native none tagged ${vlan}`, 'save']);
    expect(service().simulated('sw-2').read(['n2/eth0'])).toEqual([{ port: 'n2/eth0', native: null, tagged: [] }]);
    expect((await done(service().admin.get('/events?limit=1'))).body).toEqual(before);
  });

  it('is made before a switch is registered, which it does not do', async () => {
    service()
      .simulated('sw-3')
      .write([{ port: 'gi1', native: 5, tagged: [] }]);
    const { ports, dry_run } = await tested('sw-3', {
      as: aMock,
      dry_run: { port: 'gi1', native: 100, tagged: [102, 101] },
    });
    expect(ports).toEqual([
      { port: 'gi1', registered: false, node: null, nic: null, carries: { native: 5, tagged: '' } },
    ]);
    expect(dry_run?.sends).toEqual(['set gi1 native 100 tagged 101,102', 'save']);
    expect(await refusal(service().admin.get('/switch/sw-3'))).toBe('404 NotFoundError');
  });

  it('tells a fault with what was found out before it, and without secrets', async () => {
    await makeSwitch(service(), 'sw-4');
    const device = service().simulated('sw-4');
    device.faults = { drop: true };
    expect(await tested('sw-4')).toMatchObject({
      about: 'simulated switch',
      fault: 'connection reset by peer',
      ports: [],
    });
    device.faults = { refuse: ['gi1'] };
    const { dry_run } = await tested('sw-4', { dry_run: { port: 'gi1', native: 100, tagged: [] } });
    expect(dry_run).toMatchObject({ refused: 'the switch refuses the change', sends: [] });
    device.faults = { unreachable: true };
    expect(await tested('sw-4')).toMatchObject({ fault: 'connection refused', about: null, lacks: null });
  });

  it('tells that a device is registered already', async () => {
    await makeSwitch(service(), 'sw-5');
    service().simulated('sw-5').serial = 'S5';
    await sweep(service(), 'sw-5');
    service().simulated('sw-5-again').serial = 'S5';
    const { identity, fault } = await tested('sw-5-again', { as: aMock });
    expect(identity).toBe('S5');
    expect(fault).toBe('it is the same device as switch sw-5; delete one of the two records');
    expect((await tested('sw-5')).fault).toBeNull();
  });

  it('refuses what it cannot make sense of, and all who are no administrators', async () => {
    await makeNode(service(), 'n6', ['eth0'], 'sw-6');
    await makeSwitch(service(), 'sw-6-other');
    await makeProject(service(), 'p-6');
    await makeNetwork(service(), 'net-6', 'p-6');
    const test = (label: string, body: object) => service().admin.post(`/switch/${label}/test`, body);
    const dry_run = { node: 'n6', nic: 'eth0', network: 'net-6' };
    expect(await refusal(test('sw-6-none', {}))).toBe('404 NotFoundError');
    expect(await message(test('sw-6-other', { dry_run }))).toBe(
      'nic eth0 of node n6 is on switch sw-6, not on sw-6-other',
    );
    expect(await message(test('sw-6', { dry_run: { ...dry_run, channel: 'vlan/1' } }))).toContain('is not legal');
    expect(await refusal(test('sw-6', { dry_run: { ...dry_run, network: 'none' } }))).toBe('404 NotFoundError');
    expect(await refusal(test('sw-6', { dry_run: { port: 'gi1', native: 4095, tagged: [] } }))).toBe(
      '400 ValidationError',
    );
    expect(await message(test('sw-6', { as: { type: 'mock', hostname: 'h' } }))).toContain('username');
    expect(await message(test('sw-6', { as: { type: 'mokc' } }))).toContain('expected one of');
    const ada = await makeUser(service(), 'ada', 'p-6');
    expect(await refusal(ada.post('/switch/sw-6/test', {}))).toBe('401 AuthorizationError');
  });
});

describe('the test of a switch that is a real device', () => {
  // A busy machine takes longer for a login by SSH than a service in tests waits.
  const service = sharedService('sqlite', { CORRAL_ENGINE_DEVICE_TIMEOUT: '30' });
  const tested = async (body: object): Promise<SwitchTestView> =>
    (await done(service().admin.post('/switch/new/test', body))).body as SwitchTestView;

  it('shows the commands, and the device carries what it did', async () => {
    const device = await startAristaEos();
    onTestFinished(() => device.stop());
    const as = { type: 'arista-eos', ...device.fields };
    const dry_run = { port: 'et1', native: 100, tagged: [] };
    const { fault, lacks, ports, dry_run: shown } = await tested({ as, dry_run });
    expect({ fault, lacks }).toEqual({ fault: null, lacks: [] });
    expect(ports.length).toBe(device.ports.length);
    expect(shown?.port).toBe('Ethernet1');
    expect(shown?.sends).toEqual(
      expect.arrayContaining(['configure', 'vlan 100', 'interface Ethernet1', 'switchport access vlan 100', 'end']),
    );
    expect(device.console.transcript).not.toContain('vlan 100');
    const { password, ...rest } = as as typeof as & { password?: string };
    const wrong = await tested({ as: { ...rest, password: `${password ?? ''} no longer` } });
    expect(wrong.fault).toMatch(/login|authentication/i);
    expect(JSON.stringify(wrong)).not.toContain('no longer');
  });

  it('shows no password of a request', async () => {
    const device = await startArista({ enablePassword: 'xyz' });
    onTestFinished(() => device.stop());
    const as = { type: 'arista-eapi', ...device.fields, enable_password: 'xyz' };
    const { dry_run, fault } = await tested({ as, dry_run: { port: 'Ethernet1/1', native: 100, tagged: [] } });
    expect(fault).toBeNull();
    expect(dry_run?.sends.join('\n')).toContain('"cmd":"enable","input":"[secret]"');
    expect(JSON.stringify(dry_run)).not.toContain('xyz');
  });
});
