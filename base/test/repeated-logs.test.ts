import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { logHooks } from '../src/log-hooks.ts';

interface Entry {
  readonly msg: string;
  readonly switch?: string;
  readonly more?: number;
}

const logged = () => {
  const entries: Entry[] = [];
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      entries.push(JSON.parse(chunk.toString()) as Entry);
      done();
    },
  });
  return { log: pino({ hooks: logHooks() }, sink), entries };
};

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('a fault that repeats is written ten times a minute, and then counted', () => {
  const { log, entries } = logged();
  for (let count = 0; count < 224; count += 1)
    log.error({ err: new Error('disk full'), attempt: count }, 'worker failed');
  expect(entries.map(({ msg }) => msg)).toEqual(Array.from({ length: 10 }, () => 'worker failed'));
  vi.advanceTimersByTime(60_000);
  expect(entries.slice(10)).toMatchObject([{ msg: 'worker failed (214 more in the last minute)', more: 214 }]);
  log.error({ err: new Error('disk full') }, 'worker failed');
  expect(entries.at(-1)).toMatchObject({ msg: 'worker failed' });
});

it('faults of other things, other faults and plain entries are not counted with it', () => {
  const { log, entries } = logged();
  for (let count = 0; count < 50; count += 1) {
    log.warn({ switch: 'sw0', reason: 'no answer' }, 'switch failed');
    log.info('a request');
  }
  log.warn({ switch: 'sw1', reason: 'no answer' }, 'switch failed');
  log.warn({ switch: 'sw0', reason: 'wrong password' }, 'switch failed');
  expect(entries.filter(({ msg }) => msg === 'a request')).toHaveLength(50);
  expect(entries.filter((entry) => entry.switch === 'sw0')).toHaveLength(11);
  expect(entries.filter((entry) => entry.switch === 'sw1')).toHaveLength(1);
});

it('nothing is logged about a fault that did not repeat', () => {
  const { log, entries } = logged();
  log.warn('once');
  vi.advanceTimersByTime(600_000);
  expect(entries).toHaveLength(1);
});
