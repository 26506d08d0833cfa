import fc from 'fast-check';
import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { expectSound } from '../support/services/expect-invariants.ts';
import { type Service, startService } from '../support/services/service.ts';
import { done, eventually, makeProject, obmd } from '../support/services/world.ts';
import { effort, seed } from '../support/vitest/seed.ts';

const projects = ['red', 'blue', 'green'] as const;
const gpus: Readonly<Record<string, number>> = { n1: 0, n2: 1, n3: 1, n4: 2, n5: 2, n10: 2 };
const nodes = Object.keys(gpus);

interface Claim {
  readonly kind: 'claim';
  readonly project: string;
  readonly count: number;
  readonly least: number;
  readonly wait: boolean;
}
type Step =
  | Claim
  | { readonly kind: 'connect' | 'detach'; readonly project: string; readonly node: string }
  | { readonly kind: 'cancel'; readonly index: number };

const project = fc.constantFrom(...projects);
const claims: fc.Arbitrary<Claim> = fc.record({
  kind: fc.constant('claim'),
  project,
  count: fc.integer({ min: 1, max: 4 }),
  least: fc.integer({ min: 0, max: 2 }),
  wait: fc.boolean(),
});
const moves = (kind: 'connect' | 'detach'): fc.Arbitrary<Step> =>
  fc.record({ kind: fc.constant(kind), project, node: fc.constantFrom(...nodes) });
const cancels: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('cancel'), index: fc.nat({ max: 3 }) });
const steps = fc.oneof(
  { weight: 4, arbitrary: claims },
  { weight: 2, arbitrary: moves('connect') },
  { weight: 5, arbitrary: moves('detach') },
  { weight: 1, arbitrary: cancels },
);

/** What the service should do, in the simplest words: a map of owners and a line. */
class Model {
  readonly owners = new Map<string, string>();
  readonly line: (Claim & { readonly id: string })[] = [];
  readonly served = new Map<string, readonly string[]>();

  /** What is left for one that comes after these, and what each of these gets now. */
  plan(line: readonly Claim[]): { readonly left: readonly string[]; readonly given: (readonly string[] | null)[] } {
    let left = nodes.filter((node) => !this.owners.has(node));
    const given = line.map((claim) => {
      const fit = fitting(claim, left);
      const mine = fit.length < claim.count ? null : fit.slice(0, claim.count);
      left = left.filter((node) => !(mine ?? fit).includes(node));
      return mine;
    });
    return { left, given };
  }

  /** What an immediate claim gets; null: it is refused or waits. */
  take(claim: Claim): readonly string[] | null {
    const fit = fitting(claim, this.plan(this.line).left);
    if (fit.length < claim.count) return null;
    this.give(claim.project, fit.slice(0, claim.count));
    return fit.slice(0, claim.count);
  }

  give(to: string, taken: readonly string[]): void {
    for (const node of taken) this.owners.set(node, to);
  }

  /** The line is served until nothing is left to do. */
  settle(): void {
    for (;;) {
      const { given } = this.plan(this.line);
      const index = given.findIndex((mine) => mine !== null);
      const [claim] = index < 0 ? [] : this.line.splice(index, 1);
      if (claim === undefined) return;
      this.give(claim.project, given[index] ?? []);
      this.served.set(claim.id, given[index] ?? []);
    }
  }
}

const fitting = ({ least }: Claim, among: readonly string[]): readonly string[] =>
  among.filter((node) => (gpus[node] ?? 0) >= least);

const bodyOf = ({ count, least, wait }: Claim) => ({ count, match: { metadata: { gpus: { at_least: least } } }, wait });

interface Shown {
  readonly claim: string;
  readonly state: string;
  readonly count: number;
  readonly place: number | null;
  readonly nodes: readonly string[];
}

const makeWorld = async ({ admin }: Service): Promise<void> => {
  for (const [node, count] of Object.entries(gpus)) {
    await done(admin.put(`/node/${node}`, { obmd, metadata: { gpus: count } }));
  }
};

const ownersIn = async ({ admin }: Service): Promise<[string, string][]> => {
  const owned: [string, string][] = [];
  for (const one of projects) {
    const labels = (await done(admin.get(`/project/${one}/nodes`))).body as string[];
    owned.push(...labels.map((node): [string, string] => [node, one]));
  }
  return owned.sort();
};

const claimsIn = async ({ admin }: Service): Promise<Shown[]> => {
  const lists = projects.map(async (one) => (await done(admin.get(`/project/${one}/claims`))).body as Shown[]);
  return (await Promise.all(lists)).flat();
};

/** Takes one step in the service, and in the model, and compares the answers. */
const walk = async ({ admin }: Service, model: Model, step: Step): Promise<void> => {
  if (step.kind === 'cancel') {
    const [claim] = model.line.splice(step.index, 1);
    if (claim) await done(admin.del(`/claim/${claim.id}`));
    return;
  }
  if (step.kind !== 'claim') {
    const owner = model.owners.get(step.node);
    const isRight = step.kind === 'connect' ? owner === undefined : owner === step.project;
    const answer = await admin.post(`/project/${step.project}/${step.kind}_node`, { node: step.node });
    expect(answer.status, answer.text).toBe(isRight ? 200 : 409);
    if (isRight && step.kind === 'connect') model.owners.set(step.node, step.project);
    if (isRight && step.kind === 'detach') model.owners.delete(step.node);
    return;
  }
  const answer = await admin.post(`/project/${step.project}/claim`, bodyOf(step));
  const taken = model.take(step);
  if (taken !== null) {
    expect([answer.status, (answer.body as Shown).nodes], answer.text).toEqual([200, taken]);
    return;
  }
  const mayWait = step.wait && fitting(step, nodes).length >= step.count && model.line.length < 10;
  expect(answer.status, answer.text).toBe(mayWait ? 202 : 409);
  if (mayWait) model.line.push({ ...step, id: (answer.body as Shown).claim });
};

const compare = async (service: Service, model: Model): Promise<void> => {
  const waiting = model.line.map(({ id }) => id).sort();
  const settled = await eventually(async () => {
    const shown = await claimsIn(service);
    const now = shown.filter(({ state }) => state === 'waiting').map(({ claim }) => claim);
    return now.sort().join() === waiting.join() ? shown : undefined;
  });
  for (const [claim, given] of model.served) {
    expect(settled.find((shown) => shown.claim === claim)).toMatchObject({ state: 'served', nodes: given });
  }
  expect(await ownersIn(service)).toEqual([...model.owners].sort());
};

/** Projects of their own for each walk would take time; what a walk leaves is given back. */
const clear = async (service: Service): Promise<void> => {
  for (const { claim, state } of await claimsIn(service)) {
    if (state === 'waiting') await service.admin.del(`/claim/${claim}`);
  }
  for (const [node, owner] of await ownersIn(service)) {
    await done(service.admin.post(`/project/${owner}/detach_node`, { node }));
  }
};

describe.each(engines)('any walk of claims on %s', (engine) => {
  it('is answered as the model says', { timeout: 240_000 * effort }, async () => {
    const service = await startService(engine);
    try {
      for (const one of projects) await makeProject(service, one);
      await makeWorld(service);
      const walked = fc.asyncProperty(fc.array(steps, { minLength: 25, maxLength: 40, size: 'max' }), async (path) => {
        const model = new Model();
        for (const step of path) {
          await walk(service, model, step);
          model.settle();
          await compare(service, model);
        }
        await clear(service);
      });
      await fc.assert(walked, { seed, numRuns: 5 * effort, interruptAfterTimeLimit: 120_000 * effort });
      await expectSound(service.env);
    } finally {
      await service.stop();
      await rm(service.dataDir, { recursive: true, force: true });
    }
  });

  it('gives all or none, to one owner, in the order of the line, to many at once', { timeout: 240_000 }, async () => {
    const service = await startService(engine);
    try {
      for (const one of projects) await makeProject(service, one);
      await makeWorld(service);
      const { admin } = service;
      const batches = fc.array(steps, { minLength: 12, maxLength: 16, size: 'max' });
      const raced = fc.asyncProperty(batches, async (batch) => {
        const answers = await Promise.all(
          batch.map(async (step) => {
            if (step.kind === 'cancel') return null;
            if (step.kind !== 'claim')
              return admin.post(`/project/${step.project}/${step.kind}_node`, { node: step.node });
            const answer = await admin.post(`/project/${step.project}/claim`, bodyOf({ ...step, least: 1 }));
            if (answer.status === 200) expect((answer.body as Shown).nodes).toHaveLength(step.count);
            return answer;
          }),
        );
        for (const answer of answers) expect([200, 202, 409]).toContain(answer?.status ?? 200);
        const owners = await ownersIn(service);
        expect(new Set(owners.map(([node]) => node)).size).toBe(owners.length);
        for (const { state, nodes: given } of await claimsIn(service)) {
          if (state !== 'served') expect(given).toEqual([]);
        }
        // In the end too few are free for the first in line, or it would be served.
        await eventually(async () => {
          const taken = new Set((await ownersIn(service)).map(([node]) => node));
          const free = nodes.filter((node) => !taken.has(node) && gpus[node] !== 0).length;
          const first = (await claimsIn(service)).find(({ place }) => place === 1);
          return first === undefined || free < first.count ? true : undefined;
        });
        await clear(service);
      });
      await fc.assert(raced, { seed, numRuns: 6, interruptAfterTimeLimit: 90_000 });
      // Of claims that ask for the same, those that came first were served first.
      const eventsOf = async (type: string) => {
        const { body } = await done(admin.get(`/events?type=${type}&limit=1000`));
        return (body as { events: { id: number; detail: { claim: string; count: number } }[] }).events;
      };
      const made = await eventsOf('claim_waiting');
      const cameAt = new Map(made.map(({ id, detail }) => [detail.claim, id]));
      const served = await eventsOf('claim_served');
      for (const count of [1, 2, 3, 4]) {
        const order = served
          .filter(({ detail }) => detail.count === count)
          .sort((a, b) => a.id - b.id)
          .map(({ detail }) => cameAt.get(detail.claim) ?? 0);
        expect(order).toEqual([...order].sort((a, b) => a - b));
      }
      await expectSound(service.env);
    } finally {
      await service.stop();
      await rm(service.dataDir, { recursive: true, force: true });
    }
  });
});
