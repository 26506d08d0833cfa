import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { backstage, oddHypervisor } from '../support/headnodes/faulty-hypervisor.ts';
import { makeHeadnode, redService } from '../support/headnodes/headnode-helpers.ts';
import { engines } from '../support/services/engines.ts';
import type { Service } from '../support/services/service.ts';
import { done } from '../support/services/world.ts';

const again = async (service: Service, env: Record<string, string> = {}): Promise<Service> => {
  const other = await service.restart(env);
  onTestFinished(() => other.stop());
  return other;
};

beforeEach(() => backstage.reset());

describe.each(engines)('the hypervisor of a service on %s', (engine) => {
  it('cannot be replaced while a headnode that was started exists', async () => {
    const service = await redService(engine);
    await makeHeadnode(service, 'head', 'red');
    await makeHeadnode(service, 'other', 'red');
    await service.stop();

    const odd = await again(service, oddHypervisor);
    await done(odd.admin.post('/headnode/head/start'));
    await odd.stop();
    const refusal =
      'hypervisor: it is "mock", but headnode head was started with "odd" and may have a machine there; ' +
      'set "odd", and delete all headnodes that were started before you set another';
    await expect(service.restart()).rejects.toThrow(refusal);
    await expect(service.restart({ CORRAL_HYPERVISOR: 'none' })).rejects.toThrow('was started with "odd"');

    const same = await again(service, oddHypervisor);
    await done(same.admin.del('/headnode/head'));
    await same.stop();
    const mock = await again(service);
    await done(mock.admin.post('/headnode/other/start'));
    await mock.stop();
    await expect(service.restart(oddHypervisor)).rejects.toThrow('headnode other was started with "mock"');
  });
});

describe.runIf(engines.includes('postgres'))('two services with different hypervisors on one PostgreSQL', () => {
  const pair = async (...headnodes: string[]): Promise<{ mock: Service; odd: Service }> => {
    const mock = await redService('postgres');
    for (const label of headnodes) await makeHeadnode(mock, label, 'red');
    return { mock, odd: await again(mock, oddHypervisor) };
  };
  const refused = {
    status: 502,
    body: {
      type: 'HypervisorError',
      msg: 'the setting "hypervisor" of this process is "odd", but headnode head was started with "mock"; give all processes of the service the same setting',
    },
  };

  it('do not both change headnodes: the one that starts the first has them', async () => {
    const { mock, odd } = await pair('head', 'other');
    await done(mock.admin.post('/headnode/head/start'));
    const calls = ['/headnode/other/start', '/headnode/head/start', '/headnode/head/stop'] as const;
    for (const call of calls) expect(await odd.admin.post(call)).toMatchObject(refused);
    for (const label of ['head', 'other']) expect(await odd.admin.del(`/headnode/${label}`)).toMatchObject(refused);
    expect(backstage.calls.filter((call) => !call.startsWith('images') && call !== 'machines')).toEqual([]);

    await done(mock.admin.del('/headnode/head'));
    await done(odd.admin.post('/headnode/other/start'));
    expect(backstage.machines.size).toBe(1);
  });

  it('do not both get a machine when they start at the same moment', async () => {
    const { mock, odd } = await pair('head', 'other');
    const replies = await Promise.all([
      mock.admin.post('/headnode/head/start'),
      odd.admin.post('/headnode/other/start'),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 502]);
  });
});
