import autocannon from 'autocannon';
import { authorization } from './installation.ts';
import type { Measured } from './process.ts';

const connections = 20;

/** Calls a second, and the processor time of the server for one of them. */
export interface Rate {
  readonly perSecond: number;
  readonly cpuUs: number;
}

const warmUpSeconds = 2;

/** Reads over a bounded time. */
export const throughput = async (
  { url, cpuMs }: Pick<Measured, 'url' | 'cpuMs'>,
  paths: readonly string[],
  seconds: number,
  headers: Readonly<Record<string, string>> = { authorization },
): Promise<Rate> => {
  const requests = paths.map((path) => ({ path }));
  const before = cpuMs();
  const result = await autocannon({ url, connections, headers, requests, duration: seconds });
  const cpuUs = ((cpuMs() - before) / result['2xx']) * 1000;
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors`);
  return { perSecond: result.requests.average, cpuUs };
};

/** What does not count: servers answer faster after their first seconds. */
export const warmUp = async (
  server: Pick<Measured, 'url' | 'cpuMs'>,
  paths: readonly string[],
  headers?: Readonly<Record<string, string>>,
): Promise<void> => {
  await throughput(server, paths, warmUpSeconds, headers);
};
