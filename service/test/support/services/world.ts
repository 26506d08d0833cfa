import { expect } from 'vitest';
import type { Answer, Client } from '../http/http-client.ts';
import { passwordOf, type Service } from './service.ts';

/*
 * Builds the world a test needs, through the interface itself. Every call must succeed: a world that is
 * not what the test thinks proves nothing.
 */

export const done = async (answer: Promise<Answer>): Promise<Answer> => {
  const got = await answer;
  expect(got.status, got.text).toBeLessThan(300);
  return got;
};

export const makeProject = (service: Service, project: string): Promise<Answer> =>
  done(service.admin.put(`/project/${project}`));

/** A user, in these projects, with the password that `service.as(name)` uses. */
export const makeUser = async (service: Service, name: string, ...projects: string[]): Promise<Client> => {
  await done(service.admin.put(`/auth/basic/user/${name}`, { password: passwordOf(name) }));
  for (const project of projects) await done(service.admin.post(`/auth/basic/user/${name}/add_project`, { project }));
  return service.as(name);
};

export const obmd = { uri: 'http://127.0.0.1:9/node/none', admin_token: 'obmd admin token' };

/** A free node with nics, each on a port of its own of a mock switch (made if it is not there). */
export const makeNode = async (
  service: Service,
  node: string,
  nics: readonly string[] = [],
  onSwitch = 'sw0',
): Promise<void> => {
  await done(service.admin.put(`/node/${node}`, { obmd }));
  if (nics.length > 0) await makeSwitch(service, onSwitch);
  for (const nic of nics) {
    await done(service.admin.put(`/node/${node}/nic/${nic}`, { macaddr: '52:54:00:00:00:01' }));
    await done(service.admin.put(`/switch/${onSwitch}/port/${node}/${nic}`));
    await done(service.admin.post(`/switch/${onSwitch}/port/${node}/${nic}/connect_nic`, { node, nic }));
  }
};

export const makeSwitch = async (service: Service, label: string): Promise<void> => {
  const answer = await service.admin.put(`/switch/${label}`, {
    type: 'mock',
    hostname: label,
    username: 'operator',
    password: 'switch password',
  });
  expect([200, 409]).toContain(answer.status);
};

export const reserve = (service: Service, project: string, node: string): Promise<Answer> =>
  done(service.admin.post(`/project/${project}/connect_node`, { node }));

/** A private network of one project, its VLAN from the pool. */
export const makeNetwork = (service: Service, network: string, project: string): Promise<Answer> =>
  done(service.admin.put(`/network/${network}`, { owner: project, access: project, net_id: '' }));

export interface Action {
  readonly status: 'PENDING' | 'DONE' | 'ERROR';
  readonly type: string;
  readonly new_network: string | null;
  readonly channel: string;
  readonly node: string;
  readonly nic: string;
  readonly error: string | null;
}

/** Waits until a queued action is no longer pending. */
export const settled = async (service: Service, queued: Answer): Promise<Action> => {
  expect(queued.status, queued.text).toBe(202);
  const { status_id } = queued.body as { status_id: string };
  return eventually(async () => {
    const action = (await done(service.admin.get(`/networking_action/${status_id}`))).body as Action;
    return action.status === 'PENDING' ? undefined : action;
  });
};

/** Connects a nic to a network and waits until the switch carries it. */
export const connect = async (
  service: Service,
  node: string,
  nic: string,
  network: string,
  channel?: string,
): Promise<void> => {
  const queued = await service.admin.post(`/node/${node}/nic/${nic}/connect_network`, {
    network,
    ...(channel === undefined ? {} : { channel }),
  });
  expect((await settled(service, queued)).status).toBe('DONE');
};

export const detach = async (service: Service, node: string, nic: string, network: string): Promise<void> => {
  const queued = await service.admin.post(`/node/${node}/nic/${nic}/detach_network`, { network });
  expect((await settled(service, queued)).status).toBe('DONE');
};

/**
 * Asks again until there is an answer; never sleeps for a result, only between questions. The longer it has taken, the
 * longer the pauses: questions cost the processor time that the answer needs.
 */
export const eventually = async <T>(
  ask: () => Promise<T | undefined> | T | undefined,
  withinMs = 20_000,
): Promise<T> => {
  const began = performance.now();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    const elapsedMs = performance.now() - began;
    if (elapsedMs > withinMs) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, Math.min(50, Math.max(10, elapsedMs / 10))));
  }
};

/** Waits until no worker has the switch any more: nobody holds a session to it. */
export const leftAlone = (service: Service, onSwitch: string): Promise<true> =>
  eventually(async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    return metrics.includes(`corral_switch_lease{switch="${onSwitch}"`) ? undefined : true;
  });
