import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import autocannon from 'autocannon';
import type { Rate } from './http-load.ts';
import { authorization, call, type Installation, nodeLabel, slowDisk } from './installation.ts';
import type { Measured } from './process.ts';

export const callers = 20;
/** 2,000 calls: as for reads, what is measured is a service that has been up for some seconds. */
const warmUpRounds = 50;

/** Reservations and releases, by twenty callers at once, each on a node of its own. */
export const reserveAndRelease = async (service: Measured, rounds: number): Promise<Rate> => {
  await call(service.url, 'PUT', '/project/bench').catch(() => undefined);
  await reserveInTurn(service.url, { amount: 2 * callers * warmUpRounds });
  const before = service.cpuMs();
  const { perSecond, calls } = await reserveInTurn(service.url, { amount: 2 * callers * rounds });
  return { perSecond, cpuUs: ((service.cpuMs() - before) / calls) * 1000 };
};

/** The same for so many seconds: how many calls were answered each second. */
export const keepReserving = async (url: string, seconds: number): Promise<number> => {
  await call(url, 'PUT', '/project/bench').catch(() => undefined);
  return (await reserveInTurn(url, { duration: seconds })).perSecond;
};

/** Every caller reserves and releases in turn. The light client leaves the machine to the service. */
export const reserveInTurn = async (
  url: string,
  until: { readonly amount: number } | { readonly duration: number },
): Promise<{ readonly perSecond: number; readonly calls: number }> => {
  let caller = 0;
  const started = performance.now();
  // It ends on a full second; what counts is when the last answer came.
  let ended = started;
  const result = await autocannon({
    url,
    connections: callers,
    ...until,
    setupClient: (client) => {
      client.on('response', () => {
        ended = performance.now();
      });
      const body = JSON.stringify({ node: nodeLabel(caller) });
      caller += 1;
      client.setRequests(
        ['connect_node', 'detach_node'].map((verb) => ({
          method: 'POST',
          path: `/v0/project/bench/${verb}`,
          headers: { authorization, 'content-type': 'application/json' },
          body,
        })),
      );
    },
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refusals, ${result.errors} errors`);
  return { perSecond: result['2xx'] / ((ended - started) / 1000), calls: result['2xx'] };
};

/** The comparator: so many transactions of the bare engine, on this disk or on one that takes so long for a flush. */
export const bareReserveAndRelease = async (
  { database }: Installation,
  transactions: number,
  flushMs: number | null,
): Promise<Rate> => {
  const program = fileURLToPath(new URL('./bare-reserve.js', import.meta.url));
  const [command = process.execPath, ...args] = [
    ...(flushMs === null ? [] : slowDisk(flushMs)),
    ...[process.execPath, program, database, String(transactions)],
  ];
  return JSON.parse((await promisify(execFile)(command, args)).stdout) as Rate;
};
