import { beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { connect, eventually, makeNetwork, makeNode, makeProject, settled } from '../support/services/world.ts';

const switches = Array.from({ length: 12 }, (_, index) => `sw${index}`);
const nodeOn = (onSwitch: string): string => `node-${onSwitch}`;

/** Nobody polls: what is not woken sleeps until the test is over. */
describe.each(engines)('workers with open sessions on %s', (engine) => {
  const service = sharedService(engine, {
    CORRAL_ENGINE_POLL: '3600',
    CORRAL_ENGINE_SESSION_IDLE: '3600',
    CORRAL_ENGINE_SAVE_DELAY: '3600',
    CORRAL_ENGINE_BUDGET: '60',
    CORRAL_ENGINE_DEVICE_TIMEOUT: '20',
    CORRAL_ENGINE_LEASE: '10',
  });

  beforeAll(async () => {
    await makeProject(service(), 'red');
    await makeNetwork(service(), 'net', 'red');
    await makeNetwork(service(), 'other', 'red');
    await Promise.all(
      switches.map(async (onSwitch) => {
        await makeNode(service(), nodeOn(onSwitch), ['eth0'], onSwitch);
        await reserved(nodeOn(onSwitch));
        await connect(service(), nodeOn(onSwitch), 'eth0', 'net');
      }),
    );
  });

  /** As soon as its port was read: on a busy machine that takes longer than a call waits. */
  const reserved = (node: string): Promise<true> =>
    eventually(async () => {
      const { status } = await service().admin.post('/project/red/connect_node', { node });
      return status < 300 ? true : undefined;
    });
  const reads = async (): Promise<number> => {
    const text = await (await fetch(`${service().url}/metrics`)).text();
    return Number(/corral_database_transactions_total\{engine="\w+",kind="read"\} (\d+)/.exec(text)?.[1]);
  };
  const queueOn = (onSwitch: string) =>
    service().admin.post(`/node/${nodeOn(onSwitch)}/nic/eth0/connect_network`, {
      network: 'other',
      channel: 'vlan/101',
    });

  it('are woken by a change on their switch, and by no other', async () => {
    const before = await reads();
    const queued = await queueOn('sw3');
    await eventually(() => {
      const [port] = service()
        .simulated('sw3')
        .read([`${nodeOn('sw3')}/eth0`]);
      return port?.tagged.includes(101) ? true : undefined;
    });
    // The queue, the switch, and each again; a look of every worker would be more.
    expect((await reads()) - before).toBeLessThan(switches.length);
    expect((await settled(service(), queued)).status).toBe('DONE');
  });

  it('find what comes in while they are at work as soon as they are done with it', async () => {
    await makeNode(service(), 'early', ['eth0'], 'sw4');
    await reserved('early');
    service().simulated('sw4').faults = { delayMs: 500 };
    const first = await queueOn('sw4');
    await eventually(async () => {
      const metrics = await (await fetch(`${service().url}/metrics`)).text();
      return metrics.includes('corral_switch_lease{switch="sw4"') ? true : undefined;
    });
    const second = await service().admin.post('/node/early/nic/eth0/connect_network', { network: 'net' });
    expect((await settled(service(), first)).status).toBe('DONE');
    expect((await settled(service(), second)).status).toBe('DONE');
  });
});
