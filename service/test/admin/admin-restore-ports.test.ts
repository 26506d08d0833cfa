import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SimulatedSwitch } from '../../src/drivers/switches/simulated-switch.ts';
import { runAdminSuccessfully } from '../support/services/run-admin.ts';
import { expectRefusal } from '../support/http/expect-answers.ts';
import { installationForTest, whileRunning } from '../support/services/backups.ts';
import { engines } from '../support/services/engines.ts';
import type { Client } from '../support/http/http-client.ts';
import { done, eventually, obmd } from '../support/services/world.ts';

/** A database that is older than what the switches carry. */
describe.each(engines)('ports after a restore on %s', (engine) => {
  it('count as unread: nobody gets a node, nor a VLAN that is on a port', { timeout: 60_000 }, async () => {
    const installation = await installationForTest(engine, { CORRAL_VLANS: '100-101', CORRAL_ENGINE_SWEEP: '0' });
    const file = join(installation.dataDir, 'backup.gz');
    const device = new SimulatedSwitch(join(installation.dataDir, 'simulated-switches'), 'sw');
    const network = (admin: Client, label: string, project: string) =>
      admin.put(`/network/${label}`, { owner: project, access: project, net_id: '' });
    const vlans = async (admin: Client) => (await done(admin.get('/networks'))).body;

    await whileRunning(installation, async (admin) => {
      for (const project of ['red', 'blue']) await done(admin.put(`/project/${project}`));
      await done(admin.put('/switch/sw', { type: 'mock', hostname: 'sw', username: 'u', password: 'p' }));
      await done(admin.put('/node/n1', { obmd }));
      await done(admin.put('/node/n1/nic/eth0', { macaddr: '52:54:00:00:00:01' }));
      await done(admin.put('/switch/sw/port/p1'));
      await done(admin.post('/switch/sw/port/p1/connect_nic', { node: 'n1', nic: 'eth0' }));
      await done(admin.post('/project/red/connect_node', { node: 'n1' }));
      await runAdminSuccessfully(installation.env, 'backup', file);
      // What the backup does not know.
      await done(network(admin, 'red-net', 'red'));
      await done(admin.post('/node/n1/nic/eth0/connect_network', { network: 'red-net' }));
      await eventually(() => (device.read(['p1'])[0]?.native === 100 ? true : undefined));
    });
    expect(await runAdminSuccessfully(installation.env, 'restore', file, '--replace', '--yes')).toContain(
      '1 port marked as unread',
    );

    device.faults = { unreachable: true };
    await whileRunning(installation, async (admin) => {
      expect((await done(admin.get('/switch/sw/port/p1'))).body).toMatchObject({ node: 'n1', unread: true });
      const words = ['port p1 on switch sw', 'has not been read'];
      // The hypervisor is asked for its machines when the service starts, and answers.
      await eventually(async () =>
        (await network(admin, 'blue-net', 'blue')).text.includes('hypervisor') ? undefined : true,
      );
      expectRefusal(await network(admin, 'blue-net', 'blue'), 'BlockedError', ...words);
      expectRefusal(await admin.post('/project/red/detach_node', { node: 'n1' }), 'BlockedError', ...words);

      device.faults = {};
      await eventually(async () => ((await network(admin, 'blue-net', 'blue')).status === 200 ? true : undefined));
      expect(await vlans(admin)).toMatchObject({ 'blue-net': { network_id: '101' } });
      expect((await done(admin.get('/switch/sw/port/p1'))).body).toMatchObject({ drift: { native: 100 } });
      expectRefusal(await admin.post('/project/red/detach_node', { node: 'n1' }), 'BlockedError', 'VLAN 100');
    });
  });

  it('machines that the backup does not know keep their VLANs until they are gone', { timeout: 60_000 }, async () => {
    const installation = await installationForTest(engine, { CORRAL_VLANS: '100-101' });
    const file = join(installation.dataDir, 'backup.gz');
    const network = (admin: Client, label: string, project: string) =>
      admin.put(`/network/${label}`, { owner: project, access: project, net_id: '' });
    const run = async (admin: Client, headnode: string, on: string): Promise<void> => {
      await done(admin.put(`/headnode/${headnode}/hnic/eth0`));
      await done(admin.post(`/headnode/${headnode}/hnic/eth0/connect_network`, { network: on }));
      await done(admin.post(`/headnode/${headnode}/start`));
    };
    const make = (admin: Client, headnode: string) =>
      done(admin.put(`/headnode/${headnode}`, { project: 'red', base_img: 'base' }));

    await whileRunning(installation, async (admin) => {
      for (const project of ['red', 'blue']) await done(admin.put(`/project/${project}`));
      await make(admin, 'known');
      await runAdminSuccessfully(installation.env, 'backup', file);
      // What the backup does not know.
      await done(network(admin, 'red-net', 'red'));
      await run(admin, 'known', 'red-net');
      await make(admin, 'unknown');
      await run(admin, 'unknown', 'red-net');
    });
    await runAdminSuccessfully(installation.env, 'restore', file, '--replace', '--yes');

    await whileRunning(installation, async (admin) => {
      const [leftover] = await eventually(async () => {
        const { body } = await done(admin.get('/drift'));
        const { leftovers } = (body as { headnodes: { leftovers: string[] } }).headnodes;
        return leftovers.length > 0 ? leftovers : undefined;
      });
      await eventually(async () =>
        (await network(admin, 'blue-net', 'blue')).text.includes(String(leftover)) ? true : undefined,
      );
      await done(admin.del(`/headnode_leftover/${leftover}`));
      // Of the other one it is recorded that it was never started, and nothing of what it was started with.
      expectRefusal(await network(admin, 'blue-net', 'blue'), 'BlockedError', 'of headnode known');
      expectRefusal(await admin.post('/headnode/known/start'), 'BlockedError', 'of headnode known');
      await done(admin.del('/headnode/known'));
      await done(network(admin, 'blue-net', 'blue'));
    });
  });
});
