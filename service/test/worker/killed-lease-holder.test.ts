import { type LabSwitch, startCiscoIos } from '@corral/lab';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDyingProgram } from '../support/services/dying-program.ts';
import { engines } from '../support/services/engines.ts';
import { basic, type Client, clientOf } from '../support/http/http-client.ts';
import { startProgram } from '../support/services/service-program.ts';
import { adminPassword, type Service, serviceForTest } from '../support/services/service.ts';
import { message, refusal } from '../support/services/shared-service.ts';
import { runSql } from '../support/services/run-sql.ts';
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
  settled,
} from '../support/services/world.ts';

const same = (statement: string) => ({ sqlite: statement, postgres: statement });
const adminOf = ({ url }: { readonly url: string }): Client => clientOf(url, basic('admin', adminPassword));

/** Another process on the same database, which ends with the test. */
const replicaOf = async (service: Service): Promise<Service> => {
  const replica = await service.restart();
  onTestFinished(() => replica.stop());
  return replica;
};

const writesOf = async ({ url }: Service): Promise<number> => {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/corral_database_transactions_total\{[^}]*kind="write"\} (\d+)/.exec(metrics)?.[1]);
};

/** Asks a service whether it lives, twenty times a second, and keeps the slowest answer. */
const watchHealth = ({ url }: Service): { readonly stop: () => Promise<number> } => {
  let slowestMs = 0;
  const asked: Promise<unknown>[] = [];
  const watch = setInterval(() => {
    const began = performance.now();
    asked.push(fetch(`${url}/healthz`).then(() => (slowestMs = Math.max(slowestMs, performance.now() - began))));
  }, 50);
  onTestFinished(() => clearInterval(watch));
  return {
    stop: async () => {
      clearInterval(watch);
      await Promise.all(asked);
      return slowestMs;
    },
  };
};

const leaseMs = 3_000;

describe.each(engines)('after kill -9 of a process that works on a switch, on %s', (engine) => {
  it('the others wait for its lease without being slow or writing, and go on with its work', async () => {
    const first = await serviceForTest(engine, {
      CORRAL_ENGINE_LEASE: String(leaseMs / 1_000),
      CORRAL_ENGINE_BUDGET: '60',
      CORRAL_ENGINE_DEVICE_TIMEOUT: '30',
    });
    await makeProject(first, 'red');
    await makeNetwork(first, 'net', 'red');
    await makeNode(first, 'n1', ['eth0']);
    await reserve(first, 'red', 'n1');
    first.simulated('sw0').faults = { hang: true };
    await first.stop();

    const holder = await startProgram(first.env);
    onTestFinished(async () => {
      await holder.kill('SIGKILL');
    });
    await done(adminOf(holder).post('/node/n1/nic/eth0/connect_network', { network: 'net' }));
    const held = same(`select name from leases where name like 'switch/%' and expires_at > 0`);
    await eventually(async () => ((await runSql(first, held)).length > 0 ? true : undefined));
    const replica = await replicaOf(first);
    await holder.kill('SIGKILL');
    first.simulated('sw0').faults = {};

    const health = watchHealth(replica);
    const before = await writesOf(replica);
    const shown = await eventually(async () => {
      const { body } = await done(replica.admin.get('/node/n1'));
      return JSON.stringify(body).includes('"vlan/native":"net"') ? await writesOf(replica) : undefined;
    });
    // Without a pause it was dead for as long as the lease lasted.
    expect(await health.stop()).toBeLessThan(1_000);
    // On PostgreSQL a worker also renews its seat, which is no sign of trying.
    expect(shown - before).toBeLessThanOrEqual(engine === 'sqlite' ? 16 : 24);
  });

  it('what it wrote to a switch that cannot refuse it holds node and VLAN until nothing can arrive', async () => {
    const lateMs = 4_000;
    const device: LabSwitch = await startCiscoIos();
    onTestFinished(() => device.stop());
    const port = encodeURIComponent(device.ports[0] ?? '');
    const first = await serviceForTest(engine, {
      CORRAL_ENGINE_LATE_WRITE: String(lateMs / 1_000),
      CORRAL_ENGINE_BUDGET: '60',
      CORRAL_ENGINE_DEVICE_TIMEOUT: '20',
    });
    await makeProject(first, 'red');
    await makeNetwork(first, 'net', 'red');
    await done(first.admin.put('/switch/ios', { type: 'cisco-ios', ...device.fields }));
    await done(first.admin.put(`/switch/ios/port/${port}`));
    await done(first.admin.put('/node/n1', { obmd }));
    await done(first.admin.put('/node/n1/nic/eth0', { macaddr: '52:54:00:00:00:01' }));
    await done(first.admin.post(`/switch/ios/port/${port}/connect_nic`, { node: 'n1', nic: 'eth0' }));
    expect((await settled(first, await first.admin.post(`/switch/ios/port/${port}/revert`))).status).toBe('DONE');
    await reserve(first, 'red', 'n1');
    await first.stop();

    const dying = await startDyingProgram(first.env, 'ports changed', 1);
    onTestFinished(() => dying.kill());
    await done(adminOf(dying).post('/node/n1/nic/eth0/connect_network', { network: 'net' }));
    expect(await dying.death).toBe('SIGKILL');
    const killedAt = performance.now();
    const replica = await replicaOf(first);
    await eventually(async () => {
      const { body } = await done(replica.admin.get('/node/n1'));
      return JSON.stringify(body).includes('"vlan/native":"net"') ? true : undefined;
    });
    await detach(replica, 'n1', 'eth0', 'net');

    const release = () => replica.admin.post('/project/red/detach_node', { node: 'n1' });
    expect(await refusal(release())).toBe('409 BlockedError');
    expect(await message(release())).toContain('may still arrive');
    expect(await refusal(replica.admin.del('/network/net'))).toBe('409 BlockedError');
    await eventually(async () => ((await release()).status === 200 ? true : undefined));
    expect(performance.now() - killedAt).toBeGreaterThan(lateMs);
    await done(replica.admin.del('/network/net'));
    expect(await device.carried(device.ports[0] ?? '')).toEqual({ native: null, tagged: [] });
    await reserve(replica, 'red', 'n1');
    await makeNetwork(replica, 'other', 'red');
    await connect(replica, 'n1', 'eth0', 'other');
  });
});
