import { expect, it } from 'vitest';
import { dueAt, SteadyClock } from '../src/steady-clock.ts';

const hour = 3_600_000;

const clocks = () => {
  const time = { ofDay: 1_700_000_000_000, monotonic: 5_000 };
  const pass = (ms: number): void => {
    time.ofDay += ms;
    time.monotonic += ms;
  };
  return {
    time,
    pass,
    clock: new SteadyClock(
      () => time.ofDay,
      () => time.monotonic,
    ),
  };
};

it.each([hour, -hour])('a time of day that is set by %s ms is followed slowly, and reached', (step) => {
  const { time, pass, clock } = clocks();
  const before = clock.now();
  time.ofDay += step;
  pass(1_000);
  expect(clock.now() - before).toBe(1_000 + Math.sign(step) * 100);
  let last = clock.now();
  for (let minute = 0; minute < 11 * 60; minute += 1) {
    pass(60_000);
    const now = clock.now();
    expect(now).toBeGreaterThan(last);
    last = now;
  }
  expect(clock.now()).toBe(time.ofDay);
});

it('a clock that was wrong by years is believed once it is set', () => {
  const { time, pass, clock } = clocks();
  time.ofDay += 9_000 * hour;
  pass(10);
  expect(clock.now()).toBe(time.ofDay);
});

it('a monotonic clock that goes back together with the time of day does not move it away from that', () => {
  const { time, pass, clock } = clocks();
  pass(25 * hour);
  expect(clock.now()).toBe(time.ofDay);
  pass(-25 * hour);
  expect(clock.now()).toBe(time.ofDay);
});

it('a stored time counts, unless it is further off than anything is put off', () => {
  expect(dueAt(1_500, 1_000, 1_000)).toBe(1_500);
  expect(dueAt(500, 1_000, 1_000)).toBe(500);
  expect(dueAt(1_000 + hour, 1_000, 1_000)).toBe(1_000);
});
