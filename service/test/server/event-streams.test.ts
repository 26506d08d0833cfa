import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hangUpOnStalled } from '../../src/server/event-stream.ts';
import { makeToken, scriptWith } from '../support/identity/browser.ts';
import { engines } from '../support/services/engines.ts';
import { sharedService } from '../support/services/shared-service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { type EventStream, follow } from '../support/http/event-stream.ts';
import { done, eventually, makeNetwork, makeProject, makeUser } from '../support/services/world.ts';

describe.each(engines)('event streams on %s', (engine) => {
  const service = sharedService(engine);

  /** Transactions and questions that only read, so far. */
  const reads = async (): Promise<number> => {
    const text = await (await fetch(`${service().url}/metrics`)).text();
    return Number(/corral_database_transactions_total\{engine="\w+",kind="read"\} (\d+)/.exec(text)?.[1]);
  };

  it.runIf(engine === 'postgres')('of a revoked token tell nothing of what came later in the same page', async () => {
    const script = scriptWith(service(), await makeToken(service().admin, 'revoked'));
    const stream = await follow(service().url, script.headers);
    onTestFinished(() => stream.close());
    // A change that is not committed holds back the page, after the stream was found to have access.
    const slow = new pg.Client({
      connectionString: service().env['CORRAL_DATABASE_URL'],
      application_name: 'corral',
    });
    await slow.connect();
    onTestFinished(() => slow.end());
    await slow.query('begin');
    await slow.query('select pg_current_xact_id()');
    await makeProject(service(), 'held-back');
    await sleep(300);
    await done(service().admin.del('/auth/token/revoked'));
    await makeProject(service(), 'after-the-end');
    await slow.query('rollback');
    await stream.ended;
    expect(stream.events.map(({ project }) => project)).not.toContain('after-the-end');
  });

  it('of the same rights share each look, however many there are', async () => {
    await makeProject(service(), 'shared');
    await makeUser(service(), 'sam', 'shared');
    const streams: EventStream[] = [];
    onTestFinished(async () => {
      await Promise.all(streams.map((stream) => stream.close()));
    });
    for (let index = 0; index < 60; index += 1) {
      streams.push(await follow(service().url, index % 2 === 0 ? 'admin' : 'sam'));
    }
    const before = await reads();
    await makeNetwork(service(), 'shared-net', 'shared');
    await Promise.all(
      streams.map((stream) => eventually(() => stream.events.find(({ network }) => network === 'shared-net'))),
    );
    // One for each stream and more without sharing; the engine and the metrics have some of their own.
    expect((await reads()) - before).toBeLessThan(40);
    for (const stream of streams) {
      expect(stream.events.filter(({ network }) => network === 'shared-net')).toHaveLength(1);
    }
  });

  it('end at once when the credentials end', async () => {
    await makeUser(service(), 'gone');
    const { token } = (await done(service().as('gone').put('/auth/token/t'))).body as { token: string };
    const answer = await fetch(`${service().url}/v0/events/stream`, { headers: { authorization: `Bearer ${token}` } });
    const ended = answer.text().catch(() => 'cut');
    await done(service().as('gone').del('/auth/token/t'));
    const began = performance.now();
    await ended;
    expect(performance.now() - began).toBeLessThan(4_000);
  });

  it('a search among many events takes several calls, each of them short, and finds all', async () => {
    const many = 9_000;
    const columns = 'at, type, caller, detail';
    await runSql(service(), {
      sqlite: `insert into events (${columns}) with recursive n(i) as (select 1 union all select i + 1 from n where i < ${many})
        select i, 'old', 'history', '{}' from n`,
      postgres: `insert into events (${columns}) select i, 'old', 'history', '{}' from generate_series(1, ${many}) as n(i)`,
    });
    const found: number[] = [];
    let calls = 0;
    for (let before: number | null | undefined; before !== null; calls += 1) {
      const at = before === undefined ? '' : `&before=${before}`;
      const { body } = await done(service().admin.get(`/events?caller=history&until=100&limit=1000${at}`));
      const page = body as { events: { id: number }[]; next: number | null };
      found.push(...page.events.map(({ id }) => id));
      before = page.next;
    }
    expect(found).toHaveLength(100);
    expect(found).toEqual(found.toSorted((a, b) => b - a));
    expect(calls).toBeGreaterThan(3);
    expect(calls).toBeLessThan(10);
  });
});

describe('a reader that takes nothing', () => {
  it('is disconnected, and one that is only quiet is not', async () => {
    const ended: string[] = [];
    const server = createServer((request, response) => {
      const closed = new AbortController();
      response.on('close', () => {
        ended.push(request.url ?? '');
        closed.abort();
      });
      hangUpOnStalled(response, closed.signal, { stalledMs: 300, lookMs: 50 });
      const chunk = 'x'.repeat(64 * 1024);
      const more = (): void => {
        while (!closed.signal.aborted && response.write(chunk));
      };
      response.on('drain', more);
      if (request.url === '/much') more();
      else response.write(':\n\n');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const open = (path: string) => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
      socket.pause();
      return socket;
    };
    const sockets = [open('/much'), open('/quiet')];
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    await eventually(() => (ended.length > 0 ? true : undefined), 10_000);
    expect(ended).toEqual(['/much']);
  });
});
