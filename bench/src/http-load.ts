import autocannon from 'autocannon';
import { authorization } from './installation.ts';

const connections = 20;

/** Requests a second over a bounded time, after a warm-up that does not count. */
export const throughput = async (url: string, paths: readonly string[], seconds: number): Promise<number> => {
  const options = {
    url,
    connections,
    headers: { authorization },
    requests: paths.map((path) => ({ path })),
  };
  await autocannon({ ...options, duration: 2 });
  const result = await autocannon({ ...options, duration: seconds });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors`);
  return result.requests.average;
};
