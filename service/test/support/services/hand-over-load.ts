import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Client } from '../http/http-client.ts';
import type { Listener } from '../http/http-listener.ts';
import type { CleaningShown } from './gated-node.ts';

/** Calls a process that lives. Null: the call was cut off. */
type Call = (send: (admin: Client) => Promise<Answer>) => Promise<Answer | null>;

interface Order {
  readonly cleaning: string;
  readonly node: string;
  readonly step: string;
  readonly token: string;
}

/** Numbers from 0 to 1. */
type Random = () => number;

const pick = <T>(random: Random, list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];

/** The wiping service of a site: mostly it wipes. Now and then it fails, says so twice, late, never, or of another node. */
export class SiteWiper {
  /** Cleanings that it called clean, at least once, believed or not. */
  readonly calledClean = new Set<string>();
  /** How often it was believed that a node is clean. */
  believed = 0;
  /** What another node's token was taken for. */
  readonly wrongs: string[] = [];
  readonly #call: Call;
  readonly #random: Random;
  readonly #lateAfterMs: number;
  readonly #orders: Order[] = [];
  readonly #working: Promise<void>[] = [];

  constructor(call: Call, random: Random, lateAfterMs: number) {
    this.#call = call;
    this.#random = random;
    this.#lateAfterMs = lateAfterMs;
  }

  /** Takes the orders that a listener hears, which does not always say so. */
  listenAt(listener: Listener): void {
    listener.react = (body) => {
      const order = body as Order;
      this.#orders.push(order);
      this.#working.push(this.#work(order));
      return pick(this.#random, [200, 200, 200, 200, 'drop' as const, 500]) ?? 200;
    };
  }

  /** Calls all nodes clean that it was ordered to wipe lately. */
  async finish(most: number): Promise<void> {
    for (const order of this.#orders.slice(-most)) await this.#report(order, 'clean');
  }

  async idle(): Promise<void> {
    await Promise.all(this.#working);
  }

  async #work(order: Order): Promise<void> {
    const chance = this.#random();
    await sleep(chance * 300);
    if (chance < 0.03) return;
    if (chance < 0.06) await sleep(this.#lateAfterMs);
    const other = pick(this.#random, this.#orders);
    if (chance < 0.15 && other !== undefined && other.cleaning !== order.cleaning) {
      const { cleaning, step } = order;
      const answer = await this.#call((admin) =>
        admin.post(`/cleaning/${cleaning}/result`, { step, token: other.token, outcome: 'clean' }),
      );
      if (answer?.status === 200) this.wrongs.push(`the token of ${other.node} was taken for ${order.node}`);
    }
    await this.#report(order, chance < 0.2 ? 'failed' : 'clean');
    if (chance < 0.3) await this.#report(order, 'clean');
  }

  async #report({ cleaning, step, token }: Order, outcome: 'clean' | 'failed'): Promise<void> {
    if (outcome === 'clean') this.calledClean.add(cleaning);
    const answer = await this.#call((admin) => admin.post(`/cleaning/${cleaning}/result`, { step, token, outcome }));
    if (answer?.status === 200 && outcome === 'clean') this.believed += 1;
  }
}

interface CallersOptions {
  readonly call: Call;
  readonly random: Random;
  readonly nodes: readonly string[];
  /** Most nodes that one claim asks for. */
  readonly mostClaimed: number;
  /** A tenant begins to use a node. */
  readonly use: (node: string) => void;
}

/** Tenants who claim nodes and give them back, and an operator who has failed cleanings tried again. */
export class HandOverCallers {
  /** Answers that nobody should get. */
  readonly wrongs: string[] = [];
  readonly #options: CallersOptions;

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /** Does one thing after the other for a project. */
  async tenant(project: string, over: AbortSignal): Promise<void> {
    const { random } = this.#options;
    const things = [
      () => this.#claim(project),
      () => this.#claim(project),
      () => this.#release(project),
      () => this.#release(project),
      () => this.#detach(project),
      () => this.#connect(project),
      () => this.#cancel(project),
    ];
    await this.#claim(project);
    while (!over.aborted) {
      await pick(random, things)?.();
      await sleep(random() * 60);
    }
  }

  /** Has failed cleanings tried again, and keeps nodes back by a feeling. */
  async operator(over: AbortSignal): Promise<void> {
    const { random, nodes } = this.#options;
    while (!over.aborted) {
      await this.retryAll();
      if (random() < 0.03) {
        await this.#ask((admin) =>
          admin.post(`/node/${pick(random, nodes) ?? ''}/quarantine`, { reason: 'a feeling' }),
        );
      }
      await sleep(200);
    }
  }

  async retryAll(): Promise<void> {
    const answer = await this.#ask((admin) => admin.get('/cleanings?state=failed'));
    const failed = answer?.status === 200 ? (answer.body as { cleanings: CleaningShown[] }).cleanings : [];
    for (const { cleaning } of failed) await this.#ask((admin) => admin.post(`/cleaning/${cleaning}/retry`));
  }

  /** Gives back everything that a project has, or waits for. */
  async giveUp(project: string): Promise<void> {
    for (const claim of await this.#waiting(project)) await this.#ask((admin) => admin.del(`/claim/${claim}`));
    const nodes = await this.#owned(project);
    if (nodes.length > 0) await this.#ask((admin) => admin.post(`/project/${project}/release`, { nodes }));
  }

  async #claim(project: string): Promise<void> {
    const { random, mostClaimed } = this.#options;
    const [count, wait] = [1 + Math.floor(random() * mostClaimed), random() < 0.6];
    await this.#ask((admin) => admin.post(`/project/${project}/claim`, { count, wait }));
  }

  async #release(project: string): Promise<void> {
    const nodes = (await this.#owned(project)).filter(() => this.#options.random() < 0.6);
    if (nodes.length > 0) await this.#ask((admin) => admin.post(`/project/${project}/release`, { nodes }));
  }

  async #detach(project: string): Promise<void> {
    const node = pick(this.#options.random, await this.#owned(project));
    if (node === undefined) return;
    this.#options.use(node);
    await this.#ask((admin) => admin.post(`/project/${project}/detach_node`, { node }));
  }

  /** It passes the line by, so many of these would leave nothing for the line. */
  async #connect(project: string): Promise<void> {
    const { random, nodes } = this.#options;
    if (random() > 0.3) return;
    await this.#ask((admin) => admin.post(`/project/${project}/connect_node`, { node: pick(random, nodes) }));
  }

  async #cancel(project: string): Promise<void> {
    const claim = pick(this.#options.random, await this.#waiting(project));
    if (claim !== undefined) await this.#ask((admin) => admin.del(`/claim/${claim}`));
  }

  async #owned(project: string): Promise<readonly string[]> {
    const answer = await this.#ask((admin) => admin.get(`/project/${project}/nodes`));
    return answer?.status === 200 ? (answer.body as string[]) : [];
  }

  async #waiting(project: string): Promise<readonly string[]> {
    const answer = await this.#ask((admin) => admin.get(`/project/${project}/claims`));
    const claims = answer?.status === 200 ? (answer.body as { claim: string; state: string }[]) : [];
    return claims.filter(({ state }) => state === 'waiting').map(({ claim }) => claim);
  }

  async #ask(send: (admin: Client) => Promise<Answer>): Promise<Answer | null> {
    const answer = await this.#options.call(send);
    // Others were quicker, or a quota is reached.
    if (answer !== null && ![200, 202, 400, 404, 409].includes(answer.status)) {
      this.wrongs.push(`${answer.status} ${answer.text}`);
    }
    return answer;
  }
}
