import { randomInt } from 'node:crypto';
import { Agent, request } from 'node:http';

/** One kind of request, created each time. */
export interface Kind {
  readonly name: string;
  readonly make: () => { readonly headers: Readonly<Record<string, string>>; readonly body?: string };
  readonly method?: 'POST';
  readonly path: string;
}

/**
 * The answers' times by kind: one request after the other on one connection, the kinds in an order that nobody knows.
 */
export const sample = async (
  url: string,
  kinds: readonly Kind[],
  count: number,
): Promise<ReadonlyMap<string, number[]>> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times = new Map(kinds.map(({ name }) => [name, [] as number[]]));
  const warmUp = Math.ceil(count / 20);
  try {
    for (let round = -warmUp; round < count; round += 1) {
      for (const kind of shuffled(kinds)) {
        const ms = await timed(agent, url, kind);
        if (round >= 0) times.get(kind.name)?.push(ms);
      }
    }
  } finally {
    agent.destroy();
  }
  return times;
};

const shuffled = <T>(items: readonly T[]): T[] => {
  const left = [...items];
  return items.flatMap(() => left.splice(randomInt(left.length), 1));
};

/** From another address each time, so that nobody is made to wait for what another did. */
const timed = (agent: Agent, url: string, { make, path, method }: Kind): Promise<number> => {
  const { headers, body } = make();
  const address = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const sent = request(
      `${url}/v0${path}`,
      { agent, method: method ?? 'GET', headers: { ...headers, 'x-forwarded-for': address } },
      (response) => {
        response.resume();
        response.once('end', () => {
          if (response.statusCode === 401) resolve(performance.now() - started);
          else reject(new Error(`${path} answered ${response.statusCode ?? 0}, which is no refusal`));
        });
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
};
