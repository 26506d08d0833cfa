import { beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/http/http-client.ts';
import { engines } from '../support/services/engines.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { connect, done, eventually, makeNetwork, makeNode, makeProject, makeUser } from '../support/services/world.ts';

interface Network {
  readonly name: string;
  readonly network_id: string;
  readonly channels: readonly string[];
  readonly owner: string;
  readonly access: readonly string[] | null;
  readonly use: string | null;
  readonly nodes: number;
  readonly nics: number;
}

describe.each(engines)('overviews of networks on %s', (engine) => {
  const service = sharedService(engine, { CORRAL_VLANS: '100-120' });
  let callers: Readonly<Record<string, Client>>;

  const networksOf = async (caller: Client | undefined): Promise<readonly Network[]> =>
    ((await done((caller ?? service().anonymous).get('/overview/networks'))).body as { networks: Network[] }).networks;

  beforeAll(async () => {
    const { admin, anonymous } = service();
    for (const project of ['red', 'blue']) await makeProject(service(), project);
    callers = {
      anonymous,
      admin,
      outsider: await makeUser(service(), 'outsider'),
      ada: await makeUser(service(), 'ada', 'red'),
      bob: await makeUser(service(), 'bob', 'blue'),
      both: await makeUser(service(), 'both', 'blue', 'red'),
    };
    await makeNetwork(service(), 'red-own', 'red');
    await makeNetwork(service(), 'blue-own', 'blue');
    await makeNetwork(service(), 'red-lent', 'red');
    await done(admin.put('/network/red-lent/access/blue'));
    await done(admin.put('/network/campus', { owner: 'admin', access: '', net_id: '' }));
    await done(admin.put('/network/red-open', { owner: 'red', access: '', net_id: '' }));
    await done(admin.put('/network/nobody', { owner: 'admin', access: 'red', net_id: '900' }));
    await done(admin.del('/network/nobody/access/red'));
    for (const node of ['red-1', 'blue-1']) {
      await makeNode(service(), node, ['eth0', 'eth1']);
      const project = node.slice(0, -2);
      await eventually(async () =>
        (await admin.post(`/project/${project}/connect_node`, { node })).status === 200 ? true : undefined,
      );
    }
    await connect(service(), 'red-1', 'eth0', 'campus');
    await connect(service(), 'red-1', 'eth1', 'campus');
    await connect(service(), 'blue-1', 'eth0', 'campus');
    await connect(service(), 'blue-1', 'eth1', 'red-lent');
  }, 60_000);

  it('shows each caller exactly the networks that show_network shows, as it shows them', async () => {
    const all = Object.keys((await done(service().admin.get('/networks'))).body as object);
    expect(all).toHaveLength(6);
    for (const [name, caller] of Object.entries(callers)) {
      const shown = await networksOf(caller);
      for (const label of all) {
        const found = shown.find((network) => network.name === label);
        const { status, body } = await caller.get(`/network/${label}`);
        expect(found === undefined, `${label} to ${name}`).toBe(status === 401);
        if (found === undefined) continue;
        const { 'connected-nodes': connected, ...rest } = body as Record<string, unknown>;
        expect(found, `${label} to ${name}`).toMatchObject(rest);
        const nics = Object.values(connected as Record<string, string[]>);
        expect([found.nodes, found.nics], `${label} to ${name}`).toEqual([nics.length, nics.flat().length]);
        expect(found.channels).toContain(`vlan/${found.network_id}`);
      }
    }
  });

  it('says why the caller may use each: own, granted, public', async () => {
    const uses = async (name: string) =>
      Object.fromEntries((await networksOf(callers[name])).map(({ name: label, use }) => [label, use]));
    expect(await uses('anonymous')).toEqual({ campus: 'public', 'red-open': 'public' });
    expect(await uses('outsider')).toEqual({ campus: 'public', 'red-open': 'public' });
    expect(await uses('ada')).toEqual({
      campus: 'public',
      'red-own': 'own',
      'red-lent': 'own',
      'red-open': 'own',
    });
    expect(await uses('bob')).toEqual({
      campus: 'public',
      'red-open': 'public',
      'blue-own': 'own',
      'red-lent': 'granted',
    });
    expect(await uses('admin')).toMatchObject({ campus: 'public', 'red-own': null, nobody: null });
  });

  it('holds everything that a project can use: what list_project_networks says, and what is public', async () => {
    for (const [name, project] of [
      ['ada', 'red'],
      ['bob', 'blue'],
    ] as const) {
      const own = (await done(service().as(name).get(`/project/${project}/networks`))).body as string[];
      const open = Object.keys((await done(service().as(name).get('/networks'))).body as object);
      const shown = (await networksOf(callers[name])).map((network) => network.name);
      expect(shown.toSorted()).toEqual([...new Set([...own, ...open])].sort());
    }
  });
});
