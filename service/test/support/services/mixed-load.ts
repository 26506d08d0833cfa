import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Answer, Client } from '../http/http-client.ts';
import { follow } from '../http/event-stream.ts';
import { done, eventually, obmd } from './world.ts';

/** One of several processes that clients may call. */
export interface Reachable {
  readonly url: string;
  readonly admin: Client;
  /** It may not answer from now on. */
  isKilled: boolean;
}

/** What clients saw while processes or the database went away. */
export interface LoadCounts {
  calls: number;
  /** Calls that were under way at a process that was killed. */
  cutOff: number;
  /** 503 with Retry-After. */
  unavailable: number;
  connected: number;
  detached: number;
}

/** Clients that change things all the time, at whatever process lives, and remember what they were told. */
export class MixedLoad {
  readonly counts: LoadCounts = { calls: 0, cutOff: 0, unavailable: 0, connected: 0, detached: 0 };
  /** Answers that nobody should get. */
  readonly wrongs: string[] = [];
  /** Labels of projects and networks whose making was acknowledged, and of networks whose deletion was. */
  readonly made = { projects: new Set<string>(), networks: new Set<string>() };
  readonly deleted = new Set<string>();
  /** Not acknowledged, and perhaps made or deleted all the same. */
  readonly #unsure = new Set<string>();
  readonly #reachable: () => readonly Reachable[];
  #turn = 0;

  constructor(reachable: () => readonly Reachable[]) {
    this.#reachable = reachable;
  }

  /** The process whose turn it is among those that live. */
  target(): Reachable {
    const living = this.#reachable().filter(({ isKilled }) => !isKilled);
    const target = living[(this.#turn += 1) % living.length];
    if (target === undefined) throw new Error('no process lives');
    return target;
  }

  /** Null: it was cut off with its process, or the database was away. Only these two are allowed. */
  async call(send: (admin: Client) => Promise<Answer>): Promise<Answer | null> {
    const target = this.target();
    this.counts.calls += 1;
    try {
      const answer = await send(target.admin);
      if (answer.status < 500) return answer;
      if (answer.status === 503 && Number(answer.headers.get('retry-after')) > 0) this.counts.unavailable += 1;
      else this.wrongs.push(`${answer.status} ${answer.text}`);
    } catch (error) {
      if (target.isKilled) this.counts.cutOff += 1;
      else this.wrongs.push(`a process that lives answers nothing: ${String(error)}`);
    }
    await sleep(20);
    return null;
  }

  /** Makes a project and a network, puts the node's nic on it and takes it off again, until `over` aborts. */
  async tenant(node: string, over: AbortSignal): Promise<void> {
    for (let round = 0; !over.aborted; round += 1) {
      const label = `${node}-${round}`;
      const project = await this.call((admin) => admin.put(`/project/${label}`));
      if (project?.status === 200) this.made.projects.add(label);
      const network = await this.call((admin) =>
        admin.put(`/network/${label}`, { owner: 'load', access: 'load', net_id: '' }),
      );
      if (network?.status === 200) this.made.networks.add(label);
      await this.call((admin) => admin.get('/nodes/all'));
      if (network?.status !== 200) continue;
      await this.#vacate(node);
      await this.#change(node, 'connect', label);
      await this.#vacate(node);
      const gone = await this.call((admin) => admin.del(`/network/${label}`));
      if (gone?.status === 200) this.deleted.add(label);
      else this.#unsure.add(label);
    }
  }

  async #vacate(node: string): Promise<void> {
    for (;;) {
      const shown = await this.call((admin) => admin.get(`/node/${node}`));
      if (shown?.status !== 200) continue;
      const [network] = Object.values(networksIn(shown));
      if (network === undefined) return;
      await this.#change(node, 'detach', network);
    }
  }

  async #change(node: string, change: 'connect' | 'detach', network: string): Promise<void> {
    const queued = await this.call((admin) => admin.post(`/node/${node}/nic/eth0/${change}_network`, { network }));
    if (queued?.status !== 202) {
      // One whose acknowledgement was lost may be pending.
      await sleep(50);
      return;
    }
    const { status_id: id } = queued.body as { status_id: string };
    for (;;) {
      const shown = await this.call((admin) => admin.get(`/networking_action/${id}`));
      const status = shown?.status === 200 ? (shown.body as { status: string }).status : null;
      if (shown?.status === 404) this.wrongs.push(`an acknowledged action is gone: ${change} of ${node}`);
      else if (status === 'ERROR') this.wrongs.push(`an action failed: ${shown?.text ?? ''}`);
      else if (status === null || status === 'PENDING') {
        await sleep(20);
        continue;
      } else this.counts[change === 'connect' ? 'connected' : 'detached'] += 1;
      return;
    }
  }

  /** Everything acknowledged is there, once, and the stream had every event, once and in order. */
  async expectNothingLost(admin: Client, streamed: readonly number[]): Promise<void> {
    expect(this.wrongs.slice(0, 3)).toEqual([]);
    expect((await done(admin.get('/projects'))).body).toEqual(expect.arrayContaining([...this.made.projects]));
    const networks = Object.keys((await done(admin.get('/networks'))).body as object);
    const kept = [...this.made.networks].filter((label) => !this.deleted.has(label) && !this.#unsure.has(label));
    expect(networks).toEqual(expect.arrayContaining(kept));
    expect(networks.filter((label) => this.deleted.has(label))).toEqual([]);
    const events = await allEvents(admin);
    const times = new Map<string, number>();
    for (const { type, project, network } of events) {
      const what = `${type} ${type === 'project_create' ? project : network}`;
      times.set(what, (times.get(what) ?? 0) + 1);
    }
    const expected = [
      ...[...this.made.projects].map((label) => `project_create ${label}`),
      ...[...this.made.networks].map((label) => `network_create ${label}`),
      ...[...this.deleted].map((label) => `network_delete ${label}`),
    ];
    expect(expected.filter((what) => times.get(what) !== 1)).toEqual([]);
    const ids = events.map(({ id }) => id);
    expect(streamed).toEqual(ids.slice(ids.indexOf(streamed[0] ?? 0)));
  }
}

const networksIn = (shown: Answer): Record<string, string> =>
  (shown.body as { nics: { networks: Record<string, string> }[] }).nics[0]?.networks ?? {};

interface AuditEvent {
  readonly id: number;
  readonly type: string;
  readonly project?: string;
  readonly network?: string;
}

/** The whole audit list, in order. */
export const allEvents = async (admin: Client): Promise<readonly AuditEvent[]> => {
  const events: AuditEvent[] = [];
  for (let after: number | null = 0; after !== null;) {
    const { body } = await done(admin.get(`/events?after=${after}&limit=1000`));
    const page = body as { events: AuditEvent[]; next: number | null };
    events.push(...page.events);
    after = page.next;
  }
  return events;
};

/** Nodes of one nic, each on a switch of its own, in the project `load`. */
export const makeLoadRack = async (admin: Client, nodes: readonly string[]): Promise<void> => {
  await done(admin.put('/project/load'));
  for (const node of nodes) {
    const onSwitch = `sw-${node}`;
    await done(admin.put(`/switch/${onSwitch}`, { type: 'mock', hostname: onSwitch, username: 'u', password: 'p' }));
    await done(admin.put(`/node/${node}`, { obmd }));
    await done(admin.put(`/node/${node}/nic/eth0`, { macaddr: '52:54:00:00:00:01' }));
    await done(admin.put(`/switch/${onSwitch}/port/p0`));
    await done(admin.post(`/switch/${onSwitch}/port/p0/connect_nic`, { node, nic: 'eth0' }));
    await done(admin.post('/project/load/connect_node', { node }));
  }
};

/** The ids of events in the order of arrival, from one process after the other. */
export interface FollowedEvents {
  readonly ids: () => readonly number[];
  readonly resumptions: () => number;
  readonly stop: () => Promise<void>;
}

/** Follows the event stream from an event on. When a process ends it, another resumes it. */
export const followAcross = (load: MixedLoad, start: number): FollowedEvents => {
  const over = new AbortController();
  const stopped = new Promise<void>((resolve) => over.signal.addEventListener('abort', () => resolve()));
  const earlier = [start];
  let current: readonly { readonly id: number }[] = [];
  let resumptions = -1;
  const ids = (): readonly number[] => [...earlier, ...current.map(({ id }) => id)];
  const run = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const stream = await follow(load.target().url, 'admin', earlier.at(-1)).catch(() => null);
      if (stream?.status === 200) {
        resumptions += 1;
        current = stream.events;
        await Promise.race([stream.ended, stopped]);
      } else await sleep(50);
      await stream?.close();
      earlier.push(...current.map(({ id }) => id));
      current = [];
    }
  };
  const running = run();
  return {
    ids,
    resumptions: () => resumptions,
    stop: async () => {
      over.abort();
      await running;
    },
  };
};

/** Waits until a stream has everything that the audit list has. */
export const caughtUp = async (admin: Client, stream: FollowedEvents): Promise<void> => {
  const last = (await allEvents(admin)).at(-1)?.id ?? 0;
  await eventually(() => ((stream.ids().at(-1) ?? 0) >= last ? true : undefined), 30_000);
};
