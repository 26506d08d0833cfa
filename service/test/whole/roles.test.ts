import { describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { runToEnd } from '../support/services/service-program.ts';
import { type Service, serviceForTest, startWith } from '../support/services/service.ts';
import {
  connect,
  detach,
  done,
  makeNetwork,
  makeNode,
  makeProject,
  reserve,
  settled,
} from '../support/services/world.ts';

const statusAt = async (url: string): Promise<number> => (await fetch(url)).status;

describe.runIf(engines.includes('postgres'))('processes with a role, on one PostgreSQL', () => {
  /** Another process on the same database and data directory, which ends with the test. */
  const besideIt = async ({ env }: Service, role: string): Promise<Service> => {
    const other = await startWith({ ...env, CORRAL_ROLE: role });
    onTestFinished(() => other.stop());
    return other;
  };

  const oneNode = async (api: Service): Promise<void> => {
    await makeProject(api, 'red');
    await makeNode(api, 'n1', ['eth0']);
    await makeNetwork(api, 'net', 'red');
    await reserve(api, 'red', 'n1');
  };

  it('an api process accepts what a worker does, which answers no calls', async () => {
    const api = await serviceForTest('postgres', { CORRAL_ROLE: 'api' });
    const first = await besideIt(api, 'worker');
    await oneNode(api);
    await first.stop();
    const queued = await done(api.admin.post('/node/n1/nic/eth0/connect_network', { network: 'net' }));
    const { status_id: id } = queued.body as { status_id: string };
    // Longer than an engine waits before it looks by itself.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await done(api.admin.get(`/networking_action/${id}`))).body).toMatchObject({ status: 'PENDING' });

    const second = await besideIt(api, 'worker');
    expect(await settled(api, queued)).toMatchObject({ status: 'DONE' });
    for (const path of ['readyz', 'healthz', 'metrics']) expect(await statusAt(`${second.url}/${path}`)).toBe(200);
    expect((await second.admin.get('/projects')).status).toBe(404);
    expect(await statusAt(`${second.url}/reference`)).toBe(404);
  });

  it('workers learn of new work at once, and one goes on when another stops', async () => {
    const api = await serviceForTest('postgres', { CORRAL_ROLE: 'api', CORRAL_ENGINE_POLL: '600' });
    const workers = [await besideIt(api, 'worker'), await besideIt(api, 'worker')];
    await oneNode(api);
    await connect(api, 'n1', 'eth0', 'net');
    await workers[0]?.stop();
    await detach(api, 'n1', 'eth0', 'net');
  });
});

describe('a role', () => {
  it.each([
    [{ CORRAL_ROLE: 'worker' }, /role: "worker" requires PostgreSQL/],
    [{ CORRAL_ROLE: 'both' }, /CORRAL_ROLE: "both" is invalid; expected all or api or worker/],
  ])('that cannot be is refused: %o', async (env, why) => {
    const { code, output } = await runToEnd(env);
    expect(code).toBe(2);
    expect(output).toMatch(why);
  });
});
