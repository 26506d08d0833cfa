import type { Answer, Sent, Step, Walk } from './call-step.ts';
import { authorization } from '../installation.ts';
import type { MeasuredSite } from './measured-site.ts';

const usualCount = 20;

/** What one place of a call cost in one round. */
export interface StepCost {
  readonly name: string;
  readonly cpuUs: number;
  readonly wallMs: number;
  /** Null: its answer does not grow with the site. */
  readonly items: number | null;
}

const nameOf = ({ call, what }: Step): string => (what === undefined ? call : `${call}, ${what}`);

/** Refuses a list of steps in which a call of the interface has no place. */
export const requirePlaces = async (url: string, steps: readonly Step[]): Promise<void> => {
  const response = await fetch(`${url}/openapi.json`);
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, { operationId: string }>> };
  const offered = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  const placed = new Set(steps.map(({ call }) => call));
  const missing = offered.filter((call) => !placed.has(call));
  if (missing.length > 0)
    throw new Error(
      `calls without a place in bench/src/growth/change-steps.ts or list-steps.ts: ${missing.join(', ')}`,
    );
};

/** Goes through all steps once, one call after the other. */
export const walkCalls = async (
  site: MeasuredSite,
  service: { readonly url: string; readonly pid: number },
  steps: readonly Step[],
  prefix: string,
): Promise<StepCost[]> => {
  const walk: Walk = {
    site,
    url: service.url,
    prefix,
    kept: new Map(),
    send: (sent) => answerTo(service.url, sent),
  };
  const costs: StepCost[] = [];
  for (const step of steps) costs.push(await costOf(walk, step, () => site.cpuUs(service.pid)));
  return costs;
};

const costOf = async (walk: Walk, step: Step, cpuUs: () => number): Promise<StepCost> => {
  const count = step.count ?? usualCount;
  const walls: number[] = [];
  let spentUs = 0;
  let items: number | null = null;
  // One window for all calls, or one for each if something has to be done between them that does not count.
  const window = async (work: () => Promise<void>): Promise<void> => {
    const began = cpuUs();
    await work();
    spentUs += cpuUs() - began;
  };
  const once = async (index: number): Promise<void> => {
    const sent = step.sent(walk, index);
    const began = performance.now();
    const answer = step.isStream ? await firstByteOf(walk.url, sent) : await answerTo(walk.url, sent);
    walls.push(performance.now() - began);
    const isRight =
      step.status === undefined ? answer.status === 200 || answer.status === 202 : answer.status === step.status;
    if (!isRight)
      throw new Error(
        `${nameOf(step)}: ${sent.method} ${sent.path} answered ${answer.status} ${JSON.stringify(answer.body)}`,
      );
    step.keep?.(walk, index, answer);
    if (step.items) items = step.items(answer);
  };
  const indexes = Array.from({ length: count }, (_, index) => index);
  if (step.before) {
    for (const index of indexes) {
      await step.before(walk, index);
      await window(() => once(index));
    }
  } else {
    await window(async () => {
      for (const index of indexes) await once(index);
      await step.settled?.(walk, count);
    });
  }
  return { name: nameOf(step), cpuUs: spentUs / count, wallMs: median(walls), items };
};

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const request = (url: string, { method, path, body, headers }: Sent, signal?: AbortSignal): Promise<Response> =>
  fetch(`${url}${path.startsWith('/metrics') ? '' : '/v0'}${path}`, {
    method,
    // A browser brings its cookie instead.
    headers: headers?.['origin'] === undefined ? { authorization, ...headers } : headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });

const answerTo = async (url: string, sent: Sent): Promise<Answer> => {
  const response = await request(url, sent);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, body: isJson ? JSON.parse(text) : text, cookie: cookieOf(response) };
};

const cookieOf = (response: Response): string => response.headers.get('set-cookie')?.split(';')[0] ?? '';

const firstByteOf = async (url: string, sent: Sent): Promise<Answer> => {
  const stop = new AbortController();
  const response = await request(url, sent, stop.signal);
  await response.body?.getReader().read();
  stop.abort();
  return { status: response.status, body: null, cookie: '' };
};
