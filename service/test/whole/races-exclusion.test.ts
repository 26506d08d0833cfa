import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/http/http-client.ts';
import {
  allSettled,
  type Replicas,
  replicaSetups,
  networksOf,
  rounds,
  startReplicas,
} from '../support/services/replicas.ts';
import { done, makeNetwork, makeNode, makeProject, makeSwitch, makeUser, reserve } from '../support/services/world.ts';

/** Two calls of which only one may succeed, on things made for this round. */
interface Rivals {
  readonly one: (caller: Client) => Promise<Answer>;
  readonly other: (caller: Client) => Promise<Answer>;
  /** What must hold whoever won; `isOne` says that the first did. */
  readonly after?: (isOne: boolean) => Promise<void>;
}

type Race = readonly [string, (ground: Replicas, turn: number) => Promise<Rivals>];

/** A node of project red, alone on its port. */
const makeReserved = async ({ service }: Replicas, node: string): Promise<void> => {
  await makeNode(service, node, ['eth0']);
  await reserve(service, 'red', node);
};

const connecting = (node: string, network: string) => (caller: Client) =>
  caller.post(`/node/${node}/nic/eth0/connect_network`, { network });

const onNetworks: readonly Race[] = [
  [
    'a network is deleted and a nic connected to it',
    async (ground, turn) => {
      await makeReserved(ground, `n${turn}`);
      await makeNetwork(ground.service, `net${turn}`, 'red');
      return {
        one: (caller) => caller.del(`/network/net${turn}`),
        other: connecting(`n${turn}`, `net${turn}`),
        after: async (isDeleted) => {
          const networks = await networksOf(ground.service, `n${turn}`, 'eth0');
          expect(networks).toEqual(isDeleted ? {} : { 'vlan/native': `net${turn}` });
        },
      };
    },
  ],
  [
    'a node leaves its project and its nic is connected',
    async (ground, turn) => {
      await makeReserved(ground, `n${turn}`);
      await makeNetwork(ground.service, `net${turn}`, 'red');
      return {
        one: (caller) => caller.post('/project/red/detach_node', { node: `n${turn}` }),
        other: connecting(`n${turn}`, `net${turn}`),
        after: async (isFree) => {
          const [port] = ground.service.simulated('sw0').read([`n${turn}/eth0`]);
          if (isFree) expect(port).toEqual({ port: `n${turn}/eth0`, native: null, tagged: [] });
          else expect(await networksOf(ground.service, `n${turn}`, 'eth0')).toEqual({ 'vlan/native': `net${turn}` });
        },
      };
    },
  ],
  [
    'a project loses its access to a network and connects a nic to it',
    async (ground, turn) => {
      await makeReserved(ground, `n${turn}`);
      await makeNetwork(ground.service, `net${turn}`, 'blue');
      await done(ground.service.admin.put(`/network/net${turn}/access/red`));
      return {
        one: (caller) => caller.del(`/network/net${turn}/access/red`),
        other: connecting(`n${turn}`, `net${turn}`),
      };
    },
  ],
  [
    'a network is deleted and an hnic connected to it',
    async ({ service }, turn) => {
      await makeNetwork(service, `net${turn}`, 'red');
      await done(service.admin.put(`/headnode/h${turn}`, { project: 'red', base_img: 'base' }));
      await done(service.admin.put(`/headnode/h${turn}/hnic/eth0`));
      return {
        one: (caller) => caller.del(`/network/net${turn}`),
        other: (caller) => caller.post(`/headnode/h${turn}/hnic/eth0/connect_network`, { network: `net${turn}` }),
      };
    },
  ],
  [
    'two networks are connected to one channel of a nic',
    async (ground, turn) => {
      await makeReserved(ground, `n${turn}`);
      await makeNetwork(ground.service, `a${turn}`, 'red');
      await makeNetwork(ground.service, `b${turn}`, 'red');
      return { one: connecting(`n${turn}`, `a${turn}`), other: connecting(`n${turn}`, `b${turn}`) };
    },
  ],
];

const onProjects: readonly Race[] = [
  ...(
    [
      ['reserves a node', (turn) => (caller) => caller.post(`/project/p${turn}/connect_node`, { node: `n${turn}` })],
      [
        'creates a network',
        (turn) => (caller) => caller.put(`/network/net${turn}`, { owner: `p${turn}`, access: `p${turn}`, net_id: '' }),
      ],
      [
        'creates a headnode',
        (turn) => (caller) => caller.put(`/headnode/h${turn}`, { project: `p${turn}`, base_img: 'base' }),
      ],
      ['is given access to a network', (turn) => (caller) => caller.put(`/network/shared/access/p${turn}`)],
    ] satisfies readonly [string, (turn: number) => Rivals['other']][]
  ).map(([what, call]): Race => [
    `a project is deleted and ${what}`,
    async ({ service }, turn) => {
      await makeProject(service, `p${turn}`);
      await makeNode(service, `n${turn}`);
      return { one: (caller) => caller.del(`/project/p${turn}`), other: call(turn) };
    },
  ]),
  [
    'a node is deleted and reserved',
    async ({ service }, turn) => {
      await makeNode(service, `n${turn}`);
      return {
        one: (caller) => caller.del(`/node/n${turn}`),
        other: (caller) => caller.post('/project/red/connect_node', { node: `n${turn}` }),
      };
    },
  ],
  [
    'a node leaves its project twice',
    async (ground, turn) => {
      await makeReserved(ground, `n${turn}`);
      const leave = (caller: Client) => caller.post('/project/red/detach_node', { node: `n${turn}` });
      return { one: leave, other: leave };
    },
  ],
];

const onHardware: readonly Race[] = [
  [
    'a node is deleted and gets a nic',
    async ({ service }, turn) => {
      await makeNode(service, `n${turn}`);
      return {
        one: (caller) => caller.del(`/node/n${turn}`),
        other: (caller) => caller.put(`/node/n${turn}/nic/eth0`, { macaddr: 'm' }),
      };
    },
  ],
  [
    'a nic is deleted and plugged into a port',
    async ({ service }, turn) => {
      await makeNode(service, `n${turn}`);
      await makeSwitch(service, 'sw0');
      await done(service.admin.put(`/node/n${turn}/nic/eth0`, { macaddr: 'm' }));
      await done(service.admin.put(`/switch/sw0/port/${turn}`));
      return {
        one: (caller) => caller.del(`/node/n${turn}/nic/eth0`),
        other: (caller) => caller.post(`/switch/sw0/port/${turn}/connect_nic`, { node: `n${turn}`, nic: 'eth0' }),
      };
    },
  ],
  [
    'a port is deleted and a nic plugged into it',
    async ({ service }, turn) => {
      await makeNode(service, `n${turn}`);
      await makeSwitch(service, 'sw0');
      await done(service.admin.put(`/node/n${turn}/nic/eth0`, { macaddr: 'm' }));
      await done(service.admin.put(`/switch/sw0/port/${turn}`));
      return {
        one: (caller) => caller.del(`/switch/sw0/port/${turn}`),
        other: (caller) => caller.post(`/switch/sw0/port/${turn}/connect_nic`, { node: `n${turn}`, nic: 'eth0' }),
      };
    },
  ],
  [
    'a switch is deleted and gets a port',
    async ({ service }, turn) => {
      await makeSwitch(service, `sw-${turn}`);
      return {
        one: (caller) => caller.del(`/switch/sw-${turn}`),
        other: (caller) => caller.put(`/switch/sw-${turn}/port/1`),
      };
    },
  ],
];

describe.each(replicaSetups)('of two rivals on $ground only one succeeds:', ({ engine, replicas }) => {
  let ground: Replicas;
  // Labels hold the turn, and no turn comes twice.
  let turn = 0;
  beforeAll(async () => {
    ground = await startReplicas(engine, replicas);
    for (const project of ['red', 'blue']) await makeProject(ground.service, project);
    await makeNetwork(ground.service, 'shared', 'red');
  });
  afterAll(() => ground.stop());

  it.each([...onNetworks, ...onProjects, ...onHardware])('%s', async (_, make) => {
    await rounds(8, async () => {
      turn += 1;
      const { one, other, after } = await make(ground, turn);
      const first = () => one(ground.admin(turn));
      const second = () => other(ground.admin(turn + 1));
      // Either has the head start every other round.
      const [a, b] =
        turn % 2 === 0 ? await Promise.all([first(), second()]) : (await Promise.all([second(), first()])).reverse();
      const [isOne, isOther] = [a, b].map((answer) => answer !== undefined && answer.status < 300);
      expect([isOne, isOther].filter(Boolean), `${a?.status} ${a?.text} ${b?.status} ${b?.text}`).toHaveLength(1);
      for (const answer of [a, b]) expect(answer?.status).toBeLessThan(500);
      await allSettled(ground.service);
      await after?.(isOne === true);
    });
  });

  it('two administrators demote, or delete, each other', async () => {
    const { admin } = ground.service;
    await rounds(4, async (round) => {
      for (const name of ['eve', 'mallory']) {
        await makeUser(ground.service, name);
        await done(admin.patch(`/auth/basic/user/${name}`, { is_admin: true }));
        for (const service of ground.services) await done(service.as(name).get('/projects'));
      }
      // The two are the only ones left.
      await done(ground.as('eve', round).patch('/auth/basic/user/admin', { is_admin: false }));
      const against = (caller: string, victim: string, at: number) =>
        round % 2 === 0
          ? ground.as(caller, at).patch(`/auth/basic/user/${victim}`, { is_admin: false })
          : ground.as(caller, at).del(`/auth/basic/user/${victim}`);
      const answers = await Promise.all([against('eve', 'mallory', round), against('mallory', 'eve', round + 1)]);
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      const survivor = statuses[0] === 200 ? 'eve' : 'mallory';
      const users = (await done(ground.as(survivor, 0).get('/auth/basic/users'))).body as Record<
        string,
        { is_admin: boolean }
      >;
      expect(Object.keys(users).filter((name) => users[name]?.is_admin)).toEqual([survivor]);
      await done(ground.as(survivor, 0).patch('/auth/basic/user/admin', { is_admin: true }));
      for (const name of Object.keys(users)) if (name !== 'admin') await admin.del(`/auth/basic/user/${name}`);
    });
  });

  it('a user is deleted while the password is being checked: the next call is refused', async () => {
    const { service } = ground;
    await rounds(5, async () => {
      const dave = await makeUser(service, 'dave');
      const early = dave.get('/nodes/all');
      await done(service.admin.del('/auth/basic/user/dave'));
      const late = await dave.get('/nodes/all');
      expect(late.status).toBe(401);
      expect([200, 401]).toContain((await early).status);
    });
  });

  it('a member is removed from a project and looks at its node: what was seen before is not shown again', async () => {
    const { service } = ground;
    await makeReserved(ground, 'watched');
    await makeUser(service, 'erin');
    const erin = service.as('erin');
    await rounds(10, async () => {
      await done(service.admin.post('/auth/basic/user/erin/add_project', { project: 'red' }));
      await done(erin.get('/node/watched'));
      let isRemoved = false;
      const look = async (): Promise<void> => {
        while (!isRemoved) expect([200, 401]).toContain((await erin.get('/node/watched')).status);
      };
      const looking = Promise.all([look(), look(), look(), look()]);
      await done(service.admin.post('/auth/basic/user/erin/remove_project', { project: 'red' }));
      const { status } = await erin.get('/node/watched');
      isRemoved = true;
      await looking;
      expect(status).toBe(401);
    });
  });
});
