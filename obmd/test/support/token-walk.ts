import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Daemon, done } from './daemon.ts';
import type { ScriptedBmc } from './scripted-bmc.ts';
import { Tenant } from './token-holder.ts';
import { converse, openStream, soon } from './console-watchers.ts';

/** One thing that somebody does, and whether the next one waits for its end. */
export interface Step {
  readonly op: 'token' | 'void' | 'register' | 'order' | 'status' | 'cycle' | 'stream' | 'socket' | 'say' | 'drop';
  /** Which token, counted back from the newest that was given out. */
  readonly back: number;
  readonly waits: boolean;
  /** How long the BMC takes for the calls from now on, and does not let go although it is told to. */
  readonly slowMs: number;
}

export const steps: fc.Arbitrary<Step> = fc.record({
  op: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('token', 'void', 'register') },
    { weight: 8, arbitrary: fc.constantFrom('order', 'status', 'cycle', 'stream', 'socket', 'say', 'drop') },
  ),
  back: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(3) }),
  waits: fc.boolean(),
  slowMs: fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.nat(15) },
    { weight: 1, arbitrary: fc.constant(60) },
  ),
});

interface Watching {
  readonly era: number;
  text: string;
  isOver: boolean;
}

/** What a BMC is asked to boot from by the holder of the token of this generation: so the BMC knows who asks. */
export const deviceOf = (generation: number): string => `t${generation}`;

/** Somebody walks about with tokens of one node, new ones and old ones, and writes down what must not happen. */
export class TokenWalk {
  readonly #daemon: Daemon;
  readonly #bmc: ScriptedBmc;
  readonly #id: string;
  readonly #wrong: string[] = [];
  readonly #watching: Watching[] = [];
  readonly #tokens: { readonly era: number; readonly tenant: Tenant }[] = [];
  readonly #open: Promise<unknown>[] = [];
  /** Grows with every acknowledged change of the token; what belongs to an earlier one is over then. */
  #era = 0;
  #isGood = false;
  /** Grows when a change of the token begins, and when it is over: odd in the middle of one. */
  #changes = 0;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(daemon: Daemon, bmc: ScriptedBmc, id: string) {
    this.#daemon = daemon;
    this.#bmc = bmc;
    this.#id = id;
    bmc.effect = (call) => {
      const generation = /^t(\d+)$/.exec(call)?.[1];
      if (generation !== undefined && Number(generation) < this.#era)
        this.#wrong.push(`${call} was done in era ${this.#era}`);
    };
  }

  async take({ op, back, waits, slowMs }: Step): Promise<void> {
    this.#bmc.before = slowMs === 0 ? () => Promise.resolve() : () => sleep(slowMs);
    if (op === 'say') this.#bmc.line?.write(`<${this.#era}>`);
    if (op === 'drop') this.#bmc.line?.destroy();
    if (op === 'say' || op === 'drop') return;
    const isChange = op === 'token' || op === 'void' || op === 'register';
    // One administrator, who waits for answers; the tenants do not wait for anybody.
    if (isChange) await this.#changing;
    const doing = isChange ? this.#change(op) : this.#ask(op, back);
    if (isChange) this.#changing = doing;
    this.#open.push(doing);
    if (waits) await doing;
    else await new Promise((resolve) => setImmediate(resolve));
  }

  async end(): Promise<void> {
    await this.#changing;
    await this.#change('void');
    await Promise.all(this.#open);
    const sofar = this.#bmc.done.length;
    await soon(() => this.#watching.every(({ isOver }) => isOver)).toBe(true);
    for (const { era: generation, text } of this.#watching) {
      const strange = [...text.matchAll(/<(\d+)>/g)].filter(([, said]) => Number(said) !== generation);
      if (strange.length > 0) this.#wrong.push(`a client of era ${generation} saw ${text}`);
    }
    // Longer than the grace of a soft cycle, and than any call.
    await sleep(120);
    expect(this.#bmc.done.slice(sofar)).toEqual([]);
    expect([this.#bmc.lines, this.#bmc.running]).toEqual([0, []]);
    expect(this.#wrong).toEqual([]);
  }

  async #change(op: 'token' | 'void' | 'register'): Promise<void> {
    this.#changes += 1;
    const path = `/node/${this.#id}`;
    if (op === 'register') await done(this.#daemon.admin('PUT', path, { type: 'double', info: { name: this.#id } }));
    if (op === 'void') await done(this.#daemon.admin('DELETE', `${path}/token`));
    const answer = op === 'token' ? await done(this.#daemon.admin('POST', `${path}/token`)) : null;
    if (this.#bmc.running.some((call) => /^t\d+$/.test(call))) this.#wrong.push('a call went on after the change');
    if (this.#bmc.lines > 0) this.#wrong.push('a console stayed open after the change');
    this.#era += 1;
    this.#isGood = answer !== null;
    this.#changes += 1;
    if (answer === null) return;
    const { token } = answer.body as { token: string };
    this.#tokens.push({ era: this.#era, tenant: new Tenant(this.#daemon, this.#id, token) });
  }

  async #ask(op: 'order' | 'status' | 'cycle' | 'stream' | 'socket', back: number): Promise<void> {
    const held = this.#tokens.at(-1 - back);
    if (held === undefined) return;
    const { era: generation, tenant } = held;
    const before = this.#changes;
    const isNewest = this.#isGood && generation === this.#era;
    const status = await this.#answer(op, generation, tenant);
    if (before % 2 === 1 || before !== this.#changes) {
      if (status !== 200 && status !== 401) this.#wrong.push(`${op} during a change: ${status}`);
    } else if (status !== (isNewest ? 200 : 401)) {
      this.#wrong.push(`${op} with the token of era ${generation} in era ${this.#era}: ${status}`);
    }
  }

  async #answer(
    op: 'order' | 'status' | 'cycle' | 'stream' | 'socket',
    generation: number,
    tenant: Tenant,
  ): Promise<number> {
    if (op === 'order') return (await tenant.bootFrom(deviceOf(generation))).status;
    if (op === 'status') return (await tenant.status()).status;
    if (op === 'cycle') return (await tenant.order('power_cycle')).status;
    return op === 'stream' ? this.#stream(generation, tenant) : this.#converse(generation, tenant);
  }

  async #stream(generation: number, tenant: Tenant): Promise<number> {
    const response = await openStream(tenant);
    const one: Watching = { era: generation, text: '', isOver: false };
    response.on('data', (bytes: Buffer) => (one.text += bytes.toString('latin1')));
    response.on('error', () => undefined);
    response.once('close', () => (one.isOver = true));
    this.#watching.push(one);
    return response.statusCode ?? 0;
  }

  async #converse(generation: number, tenant: Tenant): Promise<number> {
    try {
      const watcher = await converse(tenant);
      const one = {
        era: generation,
        get text() {
          return watcher.text;
        },
        get isOver() {
          return watcher.isOver;
        },
      };
      this.#watching.push(one);
      return 200;
    } catch (error) {
      return Number(/Unexpected server response: (\d+)/.exec(String(error))?.[1] ?? 0);
    }
  }
}
