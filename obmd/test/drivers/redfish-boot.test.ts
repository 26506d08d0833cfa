import type { LabRedfish } from '@corral/lab';
import { describe, expect, it } from 'vitest';
import { amply, changesAsked, expectFault, ofSystem, startTrial } from '../support/redfish-fixture.ts';

const patches = (service: LabRedfish) => service.asked().filter(({ method }) => method === 'PATCH');

describe('the boot device of a machine behind Redfish', () => {
  it('lasts until it is set to something else', async () => {
    const { service, bmc } = await startTrial();
    await bmc.setBootDevice('pxe', amply());
    expect(service.machine.boot).toEqual({ enabled: 'Continuous', target: 'Pxe', mode: 'UEFI' });
    await bmc.powerOn(amply());
    await bmc.powerCycle(amply());
    expect(service.machine.boot).toMatchObject({ enabled: 'Continuous', target: 'Pxe' });
    await bmc.setBootDevice('disk', amply());
    expect(service.machine.boot).toMatchObject({ enabled: 'Continuous', target: 'Hdd' });
    await bmc.setBootDevice('none', amply());
    expect(service.machine.boot).toMatchObject({ enabled: 'Disabled' });
  });

  it('is for one boot where it is meant to be, and what it makes the BMC forget is reported', async () => {
    const { service, bmc } = await startTrial();
    expect(await bmc.setNextBoot?.('pxe', amply())).toEqual({ isOnce: true, forgotten: null });
    expect(service.machine.boot).toMatchObject({ enabled: 'Once', target: 'Pxe' });
    await bmc.powerOn(amply());
    expect([service.machine.bootedFrom, service.machine.boot.enabled]).toEqual([['Pxe'], 'Disabled']);
    await bmc.setBootDevice('disk', amply());
    expect(await bmc.setNextBoot?.('pxe', amply())).toEqual({ isOnce: true, forgotten: 'disk' });
    await bmc.setBootDevice('pxe', amply());
    expect(await bmc.setNextBoot?.('pxe', amply())).toEqual({ isOnce: true, forgotten: null });
    expect(service.machine.boot).toMatchObject({ enabled: 'Continuous', target: 'Pxe' });
  });

  it('lasts where the BMC cannot do it for one boot, which is reported', async () => {
    const { service, bmc } = await startTrial({ oddities: { bootEnabled: ['Disabled', 'Continuous'] } });
    expect(await bmc.setNextBoot?.('pxe', amply())).toEqual({ isOnce: false, forgotten: null });
    expect(service.machine.boot).toMatchObject({ enabled: 'Continuous', target: 'Pxe' });
  });

  it('is for the next boot where the BMC takes no more', async () => {
    const { service, bmc } = await startTrial({ oddities: { bootEnabled: ['Disabled', 'Once'] } });
    await bmc.setBootDevice('pxe', amply());
    expect(service.machine.boot).toMatchObject({ enabled: 'Once', target: 'Pxe' });
    expect(patches(service)).toHaveLength(1);
  });

  it('is for the next boot where the BMC refuses more without having said so, and its mode is not touched', async () => {
    const { service, bmc } = await startTrial({ flavour: 'hpe' });
    await bmc.setBootDevice('pxe', amply());
    expect(service.machine.boot).toMatchObject({ enabled: 'Once', target: 'Pxe' });
    await bmc.setBootDevice('disk', amply());
    expect(service.machine.boot).toMatchObject({ enabled: 'Continuous', target: 'Hdd' });
    await bmc.setBootDevice('none', amply());
    expect(service.machine.boot).toMatchObject({ enabled: 'Disabled' });
    expect(JSON.stringify(patches(service))).not.toContain('BootSourceOverrideMode');
  });

  it('leaves the mode as it is where a BMC would forget it', async () => {
    const { service, bmc } = await startTrial({ flavour: 'supermicro' });
    for (const device of bmc.bootDevices) {
      await bmc.setBootDevice(device, amply());
      expect(service.machine.boot.mode).toBe('UEFI');
    }
  });

  it('is said with the mode where it is refused without', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'status', status: 400, times: 1, on: { method: 'PATCH' } });
    await bmc.setBootDevice('pxe', amply());
    const sent = { BootSourceOverrideEnabled: 'Continuous', BootSourceOverrideTarget: 'Pxe' };
    expect(patches(service).map(({ body }) => body)).toEqual([
      { Boot: sent },
      { Boot: { ...sent, BootSourceOverrideMode: 'UEFI' } },
    ]);
  });

  it('is set beside the system where the BMC keeps it there', async () => {
    const { service, bmc } = await startTrial({ flavour: 'ami' });
    await bmc.setBootDevice('pxe', amply());
    expect(service.machine.boot).toMatchObject({ enabled: 'Continuous', target: 'Pxe' });
    expect(changesAsked(service).at(-1)).toBe('PATCH /redfish/v1/Systems/Self/SD');
  });

  it('is refused in words of its own when the BMC takes it in no form', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'status', status: 400, body: 'not now', on: { method: 'PATCH' } });
    const error = await expectFault(bmc.setBootDevice('pxe', amply()), 'failed', /refused to change the boot device/);
    expect(error.cause).toMatchObject({ message: 'HTTP 400: not now' });
  });

  it('is none that the BMC does not offer', async () => {
    const { service, bmc } = await startTrial({ oddities: { bootTargets: ['None', 'Pxe'] } });
    await expectFault(bmc.setBootDevice('disk', amply()), 'unsupported', /cannot make this machine boot from disk/);
    await expectFault(bmc.setBootDevice('floppy', amply()), 'unsupported', /boot devices .* are disk, pxe, none/);
    expect(changesAsked(service)).toEqual([]);
  });

  it('is set also where the BMC does not say what it offers', async () => {
    const { service, bmc } = await startTrial({ oddities: { etags: 'none' } });
    const edit = (document: Record<string, unknown>) => ({ ...document, Boot: {} });
    service.fault({ kind: 'edit', on: { method: 'GET', path: ofSystem }, edit });
    await bmc.setBootDevice('pxe', amply());
    expect(service.machine.boot).toMatchObject({ enabled: 'Continuous', target: 'Pxe' });
    await bmc.setBootDevice('none', amply());
    expect(service.machine.boot).toMatchObject({ enabled: 'Disabled' });
  });

  it.each([undefined, null, 'Pxe', 7])('cannot be set where the BMC shows %j for it', async (Boot) => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'edit', on: { path: ofSystem }, edit: (document) => ({ ...document, Boot }) });
    await expectFault(bmc.setBootDevice('pxe', amply()), 'unsupported', /does not allow the boot device to be changed/);
  });

  it('is reported as failed when the BMC accepts it and continues to show another', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'status', status: 200, body: '{}', on: { method: 'PATCH' } });
    await expectFault(bmc.setBootDevice('pxe', amply()), 'failed', /refused to change the boot device/);
  });
});

describe('a change of the boot device', () => {
  it('is made to the system that was read', async () => {
    const { service, bmc } = await startTrial();
    await bmc.setBootDevice('pxe', amply());
    expect(patches(service).map(({ ifMatch }) => ifMatch)).toEqual(['"1"']);
  });

  it('is made again when somebody else was faster', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'touch', times: 3, on: { method: 'PATCH' } });
    await bmc.setBootDevice('pxe', amply());
    expect(service.machine.boot).toMatchObject({ enabled: 'Continuous', target: 'Pxe' });
    expect(patches(service).map(({ ifMatch }) => ifMatch)).toEqual(['"1"', '"2"', '"3"', '"4"']);
  });

  it('is given up when somebody else always is', async () => {
    const { service, bmc } = await startTrial();
    service.fault({ kind: 'touch', on: { method: 'PATCH' } });
    await expectFault(bmc.setBootDevice('pxe', amply()), 'failed', /refused to change the boot device/);
    expect(patches(service).length).toBeLessThan(10);
  });

  it('goes on with other forms of the ETag when the BMC does not know its own', async () => {
    const { service, bmc } = await startTrial({ oddities: { etags: 'weak' } });
    service.fault({ kind: 'status', status: 412, times: 2, on: { method: 'PATCH' } });
    await bmc.setBootDevice('pxe', amply());
    expect(service.machine.boot).toMatchObject({ target: 'Pxe' });
    expect(patches(service).map(({ ifMatch }) => ifMatch)).toEqual(['W/"1"', '"1"', undefined]);
  });

  it('takes the ETag from the document where there is no header', async () => {
    const { service, bmc } = await startTrial({ oddities: { needsIfMatch: true } });
    service.fault({ kind: 'headers', headers: { etag: undefined } });
    await bmc.setBootDevice('pxe', amply());
    expect(patches(service).map(({ ifMatch }) => ifMatch)).toEqual(['"1"']);
  });

  it('says that any state will do where a condition is needed and no ETag is shown', async () => {
    const { service, bmc } = await startTrial({ oddities: { needsIfMatch: true, etags: 'none' } });
    await bmc.setBootDevice('pxe', amply());
    expect(patches(service).map(({ ifMatch }) => ifMatch)).toEqual([undefined, '*']);
  });

  it('is no header of the BMC’s making', async () => {
    const { service, bmc } = await startTrial({ oddities: { etags: 'none' } });
    const edit = (document: Record<string, unknown>) => ({ ...document, '@odata.etag': 'a\r\nX-Evil: 1' });
    service.fault({ kind: 'edit', on: { path: ofSystem }, edit });
    await bmc.setBootDevice('pxe', amply());
    expect(patches(service).map(({ ifMatch }) => ifMatch)).toEqual([undefined]);
  });
});
