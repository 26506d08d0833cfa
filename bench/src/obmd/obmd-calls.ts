import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HeldNode } from './daemon.ts';
import { median, quantile } from '../statistics.ts';
import { agentOf, ask } from './obmd-http.ts';

/** How much is asked, and for how long. */
export interface Load {
  readonly callers: number;
  readonly seconds: number;
  /** Each of them is one round alone and one beside what hangs. */
  readonly pairs: number;
  /** Calls that are always under way on each BMC that hangs. */
  readonly hungCalls: number;
  /** How long the daemon waits for a BMC that hangs. */
  readonly timeoutSeconds: number;
}

/** The middle of what the rounds had: a moment in which something else was busy here does not count. */
export interface Waits {
  readonly p50: number;
  readonly p99: number;
  readonly calls: number;
}

/** Runs one call after the other, if all have to share one BMC's turn. */
export type Turn = <T>(work: () => Promise<T>) => Promise<T>;
const atOnce: Turn = (work) => work();

/** One turn for everybody, in the order of asking. */
export const oneLock = (): Turn => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
};

/** Milliseconds that each call waited: status and power on in turn, on one node after the other. */
export const callAll = async (
  url: string,
  nodes: readonly HeldNode[],
  { callers, seconds }: Pick<Load, 'callers' | 'seconds'>,
  turn: Turn = atOnce,
): Promise<number[]> => {
  const agent = agentOf(callers);
  const waits: number[] = [];
  const end = performance.now() + seconds * 1000;
  let count = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < end) {
      const node = nodes[count % nodes.length];
      const isStatus = (count + Math.floor(count / nodes.length)) % 2 === 0;
      count += 1;
      if (node === undefined) return;
      const started = performance.now();
      const [method, call] = isStatus ? (['GET', 'power_status'] as const) : (['POST', 'power_on'] as const);
      const { status, text } = await turn(() => ask(agent, url, method, pathOf(node, call)));
      if (status !== 200) throw new Error(`node ${node.id}: ${status} ${text}`);
      waits.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  agent.destroy();
  return waits;
};

const pathOf = ({ id, token }: HeldNode, call: string): string => `/node/${id}/${call}?token=${token}`;

/** Keeps calls under way on nodes that hang. When it has stopped, none is left. */
const callHanging = (
  url: string,
  nodes: readonly HeldNode[],
  { hungCalls, timeoutSeconds }: Load,
): (() => Promise<void>) => {
  const callers = hungCalls * nodes.length;
  const agent = agentOf(callers);
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const caller = async (_: unknown, index: number): Promise<void> => {
    // Not all of them run out of time at the same moment.
    await sleep((index / callers) * timeoutSeconds * 1000, undefined, { signal: stop.signal }).catch(() => undefined);
    const node = nodes[index % nodes.length];
    while (!stop.signal.aborted && node !== undefined) {
      const { status } = await ask(agent, url, 'GET', pathOf(node, 'power_status'));
      if (status !== 502) throw new Error(`node ${node.id} should hang and answered ${status}`);
    }
  };
  const all = Promise.all(Array.from({ length: callers }, caller));
  return async () => {
    stop.abort();
    await all;
    agent.destroy();
  };
};

/** The same load on the good nodes, alone and beside the bad ones, in turns: what is busy here is so for both. */
export const compare = async (
  url: string,
  { good, bad }: { readonly good: readonly HeldNode[]; readonly bad: readonly HeldNode[] },
  load: Load,
  { hang, recover }: { readonly hang: () => Promise<unknown>; readonly recover: () => Promise<unknown> },
): Promise<{ alone: Waits; beside: Waits }> => {
  const rounds: Record<'alone' | 'beside', number[][]> = { alone: [], beside: [] };
  const play = {
    alone: () => callAll(url, good, load),
    beside: async () => {
      await hang();
      const stop = callHanging(url, bad, load);
      await sleep(load.timeoutSeconds * 1000);
      const waits = await callAll(url, good, load);
      await stop();
      await recover();
      return waits;
    },
  };
  await callAll(url, good, { callers: load.callers, seconds: Math.min(2, load.seconds) });
  for (let pair = 0; pair < load.pairs; pair += 1) {
    const order = pair % 2 === 0 ? (['alone', 'beside'] as const) : (['beside', 'alone'] as const);
    for (const which of order) rounds[which].push(await play[which]());
  }
  return { alone: waitsOf(rounds.alone), beside: waitsOf(rounds.beside) };
};

export const waitsOf = (rounds: readonly (readonly number[])[]): Waits => ({
  p50: median(rounds.map((round) => median(round))),
  p99: median(rounds.map((round) => quantile(round, 0.99))),
  calls: rounds.reduce((sum, round) => sum + round.length, 0),
});
