import { Agent, request } from 'node:http';
import { showNodePaths } from '../reads.ts';
import { authorization } from '../installation.ts';

/** What normal clients noticed. */
export interface Noticed {
  /** Milliseconds from a question to its answer. */
  readonly waits: readonly number[];
  readonly failed: number;
  readonly seconds: number;
}

const callers = 8;
/** How long each leaves the service alone between two questions, so that the processor is not what they wait for. */
const pauseMs = 20;

/** Normal clients for a while, or until something is over: half keep their connection, half make a new one each time. */
export const askNormally = async (url: string, nodes: number, until: Promise<unknown>): Promise<Noticed> => {
  const paths = showNodePaths(nodes);
  const waits: number[] = [];
  const failures: unknown[] = [];
  const over = { isOver: false };
  void until.finally(() => (over.isOver = true));
  const began = performance.now();
  const caller = async (index: number): Promise<void> => {
    const agent = new Agent({ keepAlive: index % 2 === 0, maxSockets: 1 });
    for (let count = index; !over.isOver; count += callers) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      const asked = performance.now();
      try {
        await ask(`${url}${paths[count % paths.length] ?? ''}`, agent);
        waits.push(performance.now() - asked);
      } catch (error) {
        failures.push(error);
      }
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: callers }, (_, index) => caller(index)));
  return { waits, failed: failures.length, seconds: (performance.now() - began) / 1000 };
};

const ask = (url: string, agent: Agent): Promise<void> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers: { authorization }, timeout: 30_000 }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`answered with ${response.statusCode ?? 0}`));
      });
      response.once('error', reject);
    });
    sent.once('timeout', () => sent.destroy(new Error('no answer')));
    sent.once('error', reject).end();
  });
