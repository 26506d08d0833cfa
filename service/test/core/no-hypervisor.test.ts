import { describe, expect, it, onTestFinished } from 'vitest';
import { oddHypervisor } from '../support/headnodes/faulty-hypervisor.ts';
import { makeHeadnode } from '../support/headnodes/headnode-helpers.ts';
import { engines } from '../support/services/engines.ts';
import { runSql } from '../support/services/run-sql.ts';
import { type Service, serviceForTest } from '../support/services/service.ts';
import { done, makeProject } from '../support/services/world.ts';

const none = { CORRAL_HYPERVISOR: 'none' };

const forgetOwner = (service: Service) => {
  const statement = `delete from settings where name = 'hypervisor'`;
  return runSql(service, { sqlite: statement, postgres: statement });
};

const restarted = async (service: Service, env: Record<string, string> = {}): Promise<Service> => {
  const again = await service.restart(env);
  onTestFinished(() => again.stop());
  return again;
};

describe.each(engines)('a service without a hypervisor on %s', (engine) => {
  it('lists no images, and refuses headnodes with what is to be set', async () => {
    const service = await serviceForTest(engine, none);
    await makeProject(service, 'red');
    expect((await done(service.admin.get('/headnode_images/'))).body).toEqual([]);
    const refused = await service.admin.put('/headnode/head', { project: 'red', base_img: 'base' });
    expect(refused).toMatchObject({
      status: 400,
      body: { msg: 'no headnode can be created here: no image is installed (settings "hypervisor" and "images")' },
    });
    expect((await done(service.admin.get('/drift'))).body).toMatchObject({ headnodes: { leftovers: [], fault: null } });
  });

  it('deletes headnodes that were never started, and does not start while one was started', async () => {
    const service = await serviceForTest(engine);
    await makeProject(service, 'red');
    await makeHeadnode(service, 'head', 'red');
    await makeHeadnode(service, 'other', 'red');
    await service.stop();

    const without = await restarted(service, none);
    expect(await without.admin.post('/headnode/head/start')).toMatchObject({ status: 400 });
    await done(without.admin.del('/headnode/other'));
    await without.stop();

    const simulated = await restarted(service);
    await done(simulated.admin.post('/headnode/head/start'));
    await simulated.stop();
    const refusal = 'hypervisor: it is "none", but headnode head was started with "mock" and may have a machine there';
    await expect(service.restart(none)).rejects.toThrow(refusal);
    // As versions before left it.
    await forgetOwner(service);
    await expect(service.restart(none)).rejects.toThrow(
      'hypervisor: it is "none", but headnode head was started and may have a machine; set what runs it',
    );

    const again = await restarted(service);
    await done(again.admin.post('/headnode/head/stop'));
    await again.stop();
    // Recorded by the one that started.
    await expect(service.restart(none)).rejects.toThrow(refusal);
    await expect(service.restart(oddHypervisor)).rejects.toThrow('headnode head was started with "mock"');
  });
});
