import autocannon from 'autocannon';
import { authorization } from './installation.ts';
import type { Measured } from './process.ts';

const connections = 20;

/** Calls a second, and the processor time of the server for one of them. */
export interface Rate {
  readonly perSecond: number;
  readonly cpuUs: number;
}

/** Reads over a bounded time, after a warm-up that does not count. */
export const throughput = async (
  { url, cpuMs }: Pick<Measured, 'url' | 'cpuMs'>,
  paths: readonly string[],
  seconds: number,
  headers: Readonly<Record<string, string>> = { authorization },
): Promise<Rate> => {
  const options = {
    url,
    connections,
    headers,
    requests: paths.map((path) => ({ path })),
  };
  await autocannon({ ...options, duration: 2 });
  const before = cpuMs();
  const result = await autocannon({ ...options, duration: seconds });
  const cpuUs = ((cpuMs() - before) / result['2xx']) * 1000;
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors`);
  return { perSecond: result.requests.average, cpuUs };
};
