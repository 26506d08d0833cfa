import { rm } from 'node:fs/promises';
import { expect, onTestFinished } from 'vitest';
import { type EngineName, engines } from './engines.ts';
import type { Answer, Client } from '../http/http-client.ts';
import { type Service, startService } from './service.ts';
import { done, eventually } from './world.ts';

/** Where races are run: on either engine, and between two replicas that share a PostgreSQL database. */
export const replicaSetups: readonly {
  readonly ground: string;
  readonly engine: EngineName;
  readonly replicas: 1 | 2;
}[] = [
  ...engines.map((engine) => ({ ground: engine, engine, replicas: 1 as const })),
  ...(engines.includes('postgres')
    ? [{ ground: 'two replicas on postgres', engine: 'postgres' as const, replicas: 2 as const }]
    : []),
];

/** One service, or two on the same data; callers take turns in which they go to. */
export interface Replicas {
  readonly service: Service;
  readonly services: readonly Service[];
  /** The administrator, at the replica whose turn it is. */
  readonly admin: (turn: number) => Client;
  readonly as: (name: string, turn: number) => Client;
  readonly stop: () => Promise<void>;
}

/** Starts it; the caller stops it. */
export const startReplicas = async (
  engine: EngineName,
  replicas: 1 | 2,
  env: Readonly<Record<string, string>> = {},
): Promise<Replicas> => {
  const service = await startService(engine, env);
  const services = replicas === 2 ? [service, await service.restart()] : [service];
  const at = (turn: number): Service => services[turn % services.length] ?? service;
  // The slow check of a password would otherwise decide who comes first.
  for (const { admin } of services) await done(admin.get('/projects'));
  return {
    service,
    services,
    admin: (turn) => at(turn).admin,
    as: (name, turn) => at(turn).as(name),
    stop: async () => {
      for (const one of services) await one.stop();
      await rm(service.dataDir, { recursive: true, force: true });
    },
  };
};

/** The same, stopped when the test is over. */
export const makeReplicas = async (...given: Parameters<typeof startReplicas>): Promise<Replicas> => {
  const ground = await startReplicas(...given);
  onTestFinished(ground.stop);
  return ground;
};

/** Makes all calls at the same time and answers with their statuses. */
export const atOnce = (calls: readonly (() => Promise<Answer>)[]): Promise<number[]> =>
  Promise.all(calls.map(async (call) => (await call()).status));

/** Makes the same call many times at the same time. */
export const manyAtOnce = (count: number, call: (turn: number) => Promise<Answer>): Promise<number[]> =>
  atOnce(Array.from({ length: count }, (_, turn) => () => call(turn)));

/** How often each status came. */
export const tally = (statuses: readonly number[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

/** Runs a race over and over. */
export const rounds = async (count: number, round: (turn: number) => Promise<void>): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await round(turn);
};

/** How many networking actions are pending, over all switches. */
export const pendingActions = async ({ url }: Service): Promise<number> => {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const counts = [...metrics.matchAll(/^corral_actions\{[^}]*status="PENDING"[^}]*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
};

export const allSettled = (service: Service): Promise<true> =>
  eventually(async () => ((await pendingActions(service)) === 0 ? true : undefined));

/** Which networks a nic is on, as the record has it. */
export const networksOf = async (service: Service, node: string, nic: string): Promise<Record<string, string>> => {
  const { nics } = (await done(service.admin.get(`/node/${node}`))).body as {
    nics: { label: string; networks: Record<string, string> }[];
  };
  const found = nics.find(({ label }) => label === nic);
  expect(found).toBeDefined();
  return found?.networks ?? {};
};
