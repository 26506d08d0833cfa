import type { CorralEvent } from '@corral/client';
import { describe, expect, it } from 'vitest';
import { placeOf, readEvents } from '../../../console/src/api/read-events.ts';

const hour = 3_600_000;
const begin = Date.parse('2026-01-01T00:00:00Z');

/** A history with an event every minute; the service deleted the oldest, up to an id. */
const history = (count: number, deleted = 0) => {
  const asked: (number | null)[] = [];
  const eventAt = (id: number): CorralEvent => ({
    id,
    at: new Date(begin + id * 60_000).toISOString(),
    type: 'node_register',
    caller: 'admin',
    request_id: null,
    project: null,
    detail: {},
  });
  return {
    asked,
    newest: (before: number | null): Promise<CorralEvent | undefined> => {
      asked.push(before);
      const id = Math.min(count, (before ?? Infinity) - 1);
      return Promise.resolve(id > deleted ? eventAt(id) : undefined);
    },
    eventAt,
  };
};

describe('events between two times', () => {
  it('are found by their ids in a long history, an hour more on both sides, by a few calls', async () => {
    const { newest, asked, eventAt } = history(1_000_000);
    const [since, until] = [Date.parse(eventAt(500_000).at), Date.parse(eventAt(500_100).at)];
    const { before, end } = await placeOf({ since, until }, newest);
    expect(end).toBeLessThanOrEqual(500_000 - 60);
    expect(end).toBeGreaterThan(500_000 - 60 - 2_001);
    expect(before).toBeGreaterThanOrEqual(500_100 + 60);
    expect(before).toBeLessThan(500_100 + 60 + 2_001);
    expect(asked.length).toBeLessThan(30);
  });

  it('are all of a history without times, and of one that is short', async () => {
    const { newest, asked } = history(1_000_000);
    expect(await placeOf({ since: null, until: null }, newest)).toEqual({ before: null, end: 0 });
    expect(asked).toEqual([]);
    const { newest: ofShort } = history(90);
    expect(await placeOf({ since: begin + 90 * hour, until: begin }, ofShort)).toEqual({ before: 91, end: 0 });
    expect(await placeOf({ since: begin, until: null }, history(0).newest)).toEqual({ before: null, end: 0 });
  });

  it('are found where the oldest events are deleted', async () => {
    const { newest, eventAt } = history(100_000, 90_000);
    const { end } = await placeOf({ since: Date.parse(eventAt(95_000).at), until: null }, newest);
    expect(end).toBeGreaterThan(92_000);
    expect(end).toBeLessThanOrEqual(95_000 - 60);
  });
});

describe('a page of events', () => {
  const { eventAt } = history(0);

  it('goes on where the service found nothing yet, and ends where nothing that is wanted can be', async () => {
    const asked: (number | null)[] = [];
    const answers = [
      { events: [], next: 8_000 },
      { events: [], next: 6_000 },
      { events: [eventAt(5_000)], next: 4_000 },
    ];
    const fitting = (before: number | null) => {
      asked.push(before);
      return Promise.resolve(answers.shift() ?? { events: [], next: 1_000 });
    };
    const page = await readEvents({ before: 10_000, end: 2_000 }, fitting);
    expect(page).toEqual({ events: [eventAt(5_000)], next: { before: 4_000, end: 2_000 } });
    expect(asked).toEqual([10_000, 8_000, 6_000]);
    expect(await readEvents({ before: 4_000, end: 2_000 }, fitting)).toEqual({ events: [], next: null });
  });

  it('ends after some calls without a result, and says where to go on', async () => {
    let calls = 0;
    const page = await readEvents({ before: null, end: 0 }, (before) => {
      calls += 1;
      return Promise.resolve({ events: [], next: (before ?? 1_000_000) - 2_000 });
    });
    expect(page).toEqual({ events: [], next: { before: 1_000_000 - calls * 2_000, end: 0 } });
    expect(calls).toBe(10);
  });
});
