import { type LabObmd, startLabObmd } from '@corral/lab';
import fc from 'fast-check';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statusOf } from '../../src/server/http-errors.ts';
import type { Route } from '../../src/server/route.ts';
import { routeGroups } from '../../src/server/routes/all-routes.ts';
import { engines } from '../support/services/engines.ts';
import { bytesOf, type Request, requestFor, told } from '../support/fuzz/fuzz-requests.ts';
import { stock } from '../support/fuzz/fuzz-objects.ts';
import { effort, seed } from '../support/vitest/seed.ts';
import { type Service, startService } from '../support/services/service.ts';
import { exchange, type Reply } from '../support/http/raw-exchange.ts';

/** Longer than any honest answer takes, even that of a daemon that is not there. */
const limitMs = 10_000;
const requestsPerRoute = 30 * effort;

const routes: readonly (readonly [string, Route, number])[] = routeGroups
  .flatMap((group) => group.routes)
  .map((route, index) => [`${route.method} ${route.path}`, route, seed + index] as const);

/** Paths of ours, stack traces, and the words of a database. */
const internal =
  /node_modules|\bat .{1,200}:\d+:\d+|\.[jt]s:\d+|SQLITE|SqliteError|postgres|corral-test-|\bselect .* from\b|RangeError|TypeError|FST_ERR/i;

const check = (route: Route, request: Request, reply: Reply | null): void => {
  if (reply === null) throw new Error(`no answer to\n${told(request)}`);
  const what = `${reply.status} ${reply.text.slice(0, 500)}\nto ${told(request)}`;
  const isDaemonDead = reply.status === 502 && /^(node_|bmc_|show_bmc|show_console|headnode_vnc)/.test(route.name);
  expect(reply.status, what).toBeLessThan(isDaemonDead ? 503 : 500);
  expect(reply.text, what).not.toMatch(internal);
  if (reply.status < 400 || request.method === 'HEAD') return;
  const body = JSON.parse(reply.text) as { type: keyof typeof statusOf; msg: string };
  expect(Object.keys(body), what).toEqual(['type', 'msg']);
  // What is not even HTTP has statuses of its own: too late, and too much of a head.
  const expected = body.type === 'ValidationError' ? [400, 408, 431] : [statusOf[body.type]];
  expect(expected, what).toContain(reply.status);
  expect(body.msg, what).toMatch(/\w/);
  expect(reply.headers.get('content-type'), what).toBe('application/json; charset=utf-8');
  if (reply.status === 401) expect(reply.headers.has('www-authenticate'), what).toBe(true);
  if (reply.status === 405) expect(reply.headers.has('allow'), what).toBe(true);
};

describe.each(engines)('whatever is sent on %s', (engine) => {
  let service: Service;
  let obmd: LabObmd;
  beforeAll(async () => {
    service = await startService(engine);
    obmd = await startLabObmd({ adminToken: 'token of the fuzzer' });
    obmd.add('n-managed');
    await stock(service, obmd);
  });
  afterAll(async () => {
    await service.stop();
    await obmd.close();
    await rm(service.dataDir, { recursive: true, force: true });
  });

  it.each(routes)('to %s is answered in time, in JSON, and never as our fault', async (_, route, itsSeed) => {
    const answered = fc.asyncProperty(requestFor(route), async (request) => {
      check(route, request, await exchange(service.url, bytesOf(request), limitMs));
    });
    await fc.assert(answered, { seed: itsSeed, numRuns: requestsPerRoute });
    if (route.method !== 'GET') await stock(service, obmd);
  });

  it('nothing went wrong behind the answers', () => {
    const errors = service.log.filter((line) => (JSON.parse(line) as { level: number }).level >= 50);
    expect(errors).toEqual([]);
  });
});
