import { startArista, startAristaEos, startCiscoNxos, startJunosSwitch } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { switchDrivers } from '../../src/drivers/switches/switch-drivers.ts';
import type { SwitchSession } from '../../src/drivers/switches/switch-contract.ts';
import { startTrial } from '../support/switches/switch-devices.ts';

const amply = () => AbortSignal.timeout(50_000);

const dryOn = async (type: string, config: Readonly<Record<string, unknown>>): Promise<SwitchSession> => {
  const driver = switchDrivers({ simulatedSwitches: 'nowhere' })[type];
  const session = await driver?.openDry?.({ label: 'sw', config }, () => undefined, amply());
  if (!session) throw new Error(`${type} cannot be tried without changing anything`);
  onTestFinished(() => session.close());
  return session;
};

describe('a switch tells its model and software', () => {
  it.each([
    ['arista-eos', 'Arista DCS-7050TX-64-R, EOS 4.20.1F'],
    ['arista-eapi', 'Arista DCS-7050TX-64-R, EOS 4.20.1F'],
    ['cisco-ios', 'Cisco WS-C2960X-48TD-L, IOS 15.2(4)E6'],
    ['cisco-nxos', 'Cisco Nexus 5548, NX-OS 7.3(8)N1(1)'],
    ['dell-os10', 'Dell S4148FE-ON, OS10 10.5.2.4'],
    ['dellnos9', 'Dell S3048-ON, OS 9.14(2.2)'],
    ['delln3000', 'Dell N3048, OS6 6.3.2.4'],
    ['powerconnect55xx', 'Dell PowerConnect 5548'],
    ['junos', 'Juniper ex4300-48t, Junos 18.4R2.7'],
  ])('%s', async (type, about) => {
    const { device, stop } = await startTrial(type);
    onTestFinished(stop);
    const silent = await dryOn(type, device.fields);
    device.serial = 'CN00000000001';
    expect(await silent.about?.(amply())).toBe(about);
  });
});

describe('what a login lacks is found out without changing anything', () => {
  it.each([
    ['cisco-nxos', () => startCiscoNxos({ series: 9500 }), '% Permission denied for the role'],
    ['arista-eos', () => startAristaEos(), '% Invalid input (privileged mode required)'],
  ])('on the command line of %s', async (type, start, words) => {
    const device = await start();
    onTestFinished(() => device.stop());
    device.refuse(/^configure/, words);
    const session = await dryOn(type, device.fields);
    const [lack = '', ...more] = (await session.lacks?.(amply())) ?? [];
    expect(lack).toContain(words);
    expect(more).toEqual([]);
    // The session can be used afterwards.
    expect(await session.read([], amply())).toEqual([]);
  });

  it('by eAPI', async () => {
    const device = await startArista({ isReadOnly: true });
    onTestFinished(() => device.stop());
    const session = await dryOn('arista-eapi', device.fields);
    expect(await session.lacks?.(amply())).toEqual(['the switch refuses "configure": Command not authorized']);
  });

  it('by NETCONF, where a lock that somebody else has is no sign of it', async () => {
    const device = await startJunosSwitch({ isReadOnly: true });
    onTestFinished(() => device.stop());
    const session = await dryOn('junos', device.fields);
    expect(await session.lacks?.(amply())).toEqual(['the user may not configure the switch: permission denied']);
    const other = await startJunosSwitch();
    onTestFinished(() => other.stop());
    other.setExclusive(true);
    expect(await (await dryOn('junos', other.fields)).lacks?.(amply())).toEqual([]);
  });
});
