import { setTimeout as sleep } from 'node:timers/promises';

const callWithinMs = 30_000;
const settleWithinMs = 30_000;
const askEveryMs = 20;

/** Makes calls to the service as one user. A call that is refused throws, and says what and why. */
export interface Api {
  get(path: string): Promise<unknown>;
  put(path: string, body?: object): Promise<unknown>;
  post(path: string, body?: object): Promise<unknown>;
  as(user: string, password: string): Api;
}

/** The calls of a service at this address, below /v0, until `signal` aborts them. */
export const apiOf = (origin: string, signal: AbortSignal, authorization = ''): Api => {
  const send = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${origin}/v0${path}`, {
      method,
      headers: authorization === '' ? {} : { authorization },
      signal: AbortSignal.any([signal, AbortSignal.timeout(callWithinMs)]),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was refused: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
  return {
    get: (path) => send('GET', path),
    put: (path, body) => send('PUT', path, body),
    post: (path, body) => send('POST', path, body),
    as: (user, password) => apiOf(origin, signal, `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`),
  };
};

const fieldOf = (answer: unknown, field: string): string => {
  const value: unknown =
    typeof answer === 'object' && answer !== null ? Object.entries(answer).find(([key]) => key === field)?.[1] : null;
  return typeof value === 'string' ? value : '';
};

/** Queues a network change and waits until the switch carries it. */
export const settled = async (api: Api, queued: Promise<unknown>): Promise<void> => {
  const statusId = fieldOf(await queued, 'status_id');
  const deadline = Date.now() + settleWithinMs;
  for (;;) {
    const action = await api.get(`/networking_action/${statusId}`);
    const status = fieldOf(action, 'status');
    if (status === 'DONE') return;
    if (status === 'ERROR') throw new Error(`a network change failed: ${fieldOf(action, 'error')}`);
    if (Date.now() > deadline) throw new Error(`networking action ${statusId} did not settle in time`);
    await sleep(askEveryMs);
  }
};
