import { setTimeout as sleep } from 'node:timers/promises';
import { startRedfish } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { daemonForTest, done, refusal } from './support/daemon.ts';
import { makeScriptedNode } from './support/scripted-bmc-node.ts';
import { engines } from './support/obmd-engines.ts';
import { makeNode, newTenant, type Tenant } from './support/token-holder.ts';
import { soon } from './support/console-watchers.ts';

const bootOnce = (tenant: Tenant, bootdev: string) =>
  tenant.daemon.send('PUT', tenant.path('boot_device'), { body: { bootdev, once: true } });

describe('a boot device for one boot', () => {
  it('is for the next boot, and the daemon says so', async () => {
    const daemon = await daemonForTest('sqlite');
    const { tenant, machine } = await makeNode(daemon, 'n1');
    await done(tenant.bootFrom('disk'));
    expect((await done(bootOnce(tenant, 'pxe'))).body).toEqual({ once: true });
    for (const order of ['power_on', 'power_off', 'power_on']) await done(tenant.order(order));
    expect(machine.bootedFrom).toEqual(['pxe', 'disk']);
  });

  it('lasts where the BMC cannot, and the daemon says so', async () => {
    const { tenant, bmc } = await makeScriptedNode();
    expect((await done(bootOnce(tenant, 'pxe'))).body).toEqual({ once: false });
    expect(bmc.done).toEqual(['pxe']);
  });

  it('is one that the node has, and not the end of another', async () => {
    const daemon = await daemonForTest('sqlite');
    const { tenant } = await makeNode(daemon, 'n1');
    for (const device of ['floppy', 'none'])
      expect(await refusal(bootOnce(tenant, device))).toBe('400 BadArgumentError');
  });
});

describe.each(engines)(
  'a boot device that lasts, which the BMC forgets over one for the next boot, on %s',
  (engine) => {
    const start = async () => {
      const service = await startRedfish({ powerMs: 0 });
      onTestFinished(() => service.stop());
      const daemon = await daemonForTest(engine, { env: { CORRAL_OBMD_CALL_TIMEOUT: '5' } });
      await done(daemon.admin('PUT', '/node/n1', { type: 'redfish', info: service.info }));
      const tenant = await newTenant(daemon, 'n1');
      await done(tenant.bootFrom('disk'));
      return { service, daemon, tenant };
    };
    const lasting = { enabled: 'Continuous', target: 'Hdd' };

    it('is set again when that boot has been, also by a daemon that was started since', async () => {
      const { service, daemon, tenant } = await start();
      await done(bootOnce(tenant, 'pxe'));
      await daemon.stop();
      expect(service.machine.boot).toMatchObject({ enabled: 'Once', target: 'Pxe' });
      const again = await daemon.again();
      try {
        await done(tenant.at(again).order('power_cycle', { force: true }));
        await soon(() => service.machine.boot).toMatchObject(lasting);
        await done(tenant.at(again).order('power_cycle', { force: true }));
        await soon(() => service.machine.boot).toMatchObject(lasting);
        expect(service.machine.bootedFrom).toEqual(['Pxe', 'Pxe']);
      } finally {
        await again.stop();
      }
    });

    it.each(['another choice', 'a new token'])('is not set again after %s', async (since) => {
      const { service, daemon, tenant } = await start();
      await done(bootOnce(tenant, 'pxe'));
      if (since === 'another choice') await done(tenant.bootFrom('none'));
      else await newTenant(daemon, 'n1');
      service.machine.setPower('on');
      const asked = service.asked().length;
      // Longer than it takes until the BMC would be looked at.
      await sleep(1_200);
      expect(service.asked().slice(asked)).toEqual([]);
      expect(service.machine.boot.enabled).toBe('Disabled');
    });
  },
);
