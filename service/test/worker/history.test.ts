import { describe, expect, it, onTestFinished } from 'vitest';
import { engines } from '../support/services/engines.ts';
import { basic } from '../support/http/http-client.ts';
import { adminPassword, type Service, serviceForTest } from '../support/services/service.ts';
import { runSql } from '../support/services/run-sql.ts';
import { connect, done, eventually, makeNetwork, makeNode, makeProject, reserve } from '../support/services/world.ts';

interface Event {
  readonly id: number;
  readonly type: string;
}

const eventsOf = async (service: Service): Promise<readonly Event[]> =>
  ((await done(service.admin.get('/events?after=0&limit=1000'))).body as { events: Event[] }).events;

const everywhere = (service: Service, statement: string): Promise<unknown[]> =>
  runSql(service, { sqlite: statement, postgres: statement });

/** What a stream says before its first event. */
const greetingOf = async (service: Service, lastEventId: number): Promise<string> => {
  const stop = new AbortController();
  const answer = await fetch(`${service.url}/v0/events/stream`, {
    headers: { authorization: basic('admin', adminPassword), 'last-event-id': String(lastEventId) },
    signal: stop.signal,
  });
  const reader = answer.body?.getReader();
  const first = (await reader?.read()) as { readonly value?: Uint8Array } | undefined;
  stop.abort();
  return new TextDecoder().decode(first?.value);
};

describe.each(engines)('history on %s', (engine) => {
  it('is kept for ever, unless the operator says for how long; then what is older goes, a little at a time', async () => {
    const service = await serviceForTest(engine);
    await makeProject(service, 'red');
    await makeNode(service, 'n1', ['eth0']);
    await reserve(service, 'red', 'n1');
    await makeNetwork(service, 'net', 'red');
    await connect(service, 'n1', 'eth0', 'net');
    const old = await eventsOf(service);
    const week = Date.now() - 7 * 86_400_000;
    await everywhere(service, `update events set at = ${week}`);
    await everywhere(service, `update actions set created_at = ${week}`);
    // More than one batch.
    await everywhere(
      service,
      `insert into events (at, type, caller, detail) select ${week}, 'many', a.label, '{}' from ${Array.from({ length: 3 }, (_, index) => `(select 'x' as label ${" union all select 'y'".repeat(9)}) as ${'abc'[index] ?? ''}`).join(', ')}`,
    );
    await makeProject(service, 'recent');
    await service.stop();

    const keepsAll = await service.restart();
    expect((await eventsOf(keepsAll)).length).toBeGreaterThan(old.length);
    await keepsAll.stop();

    const again = await service.restart({ CORRAL_EVENTS_KEEP_DAYS: '1', CORRAL_ACTIONS_KEEP_DAYS: '1' });
    onTestFinished(again.stop);
    const left = await eventually(async () => {
      const events = await eventsOf(again);
      return events.some(({ id }) => id <= (old.at(-1)?.id ?? 0)) || events.some(({ type }) => type === 'many')
        ? undefined
        : events;
    });
    expect(left.map(({ type }) => type)).toContain('project_create');
    await eventually(async () => {
      const actions = await everywhere(again, 'select id from actions');
      return actions.length === 0 ? true : undefined;
    });
    expect(await greetingOf(again, 1)).toMatch(/: events up to \d+ are no longer kept/);
    expect(await greetingOf(again, left.at(-1)?.id ?? 0)).not.toContain('kept');
    // Ids go on growing.
    await makeProject(again, 'later');
    const newest = (await eventsOf(again)).at(-1);
    expect(newest?.id).toBeGreaterThan(left.at(-1)?.id ?? 0);
  });
});
