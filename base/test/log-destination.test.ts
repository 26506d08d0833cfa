import { closeSync, openSync } from 'node:fs';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LogDestination } from '../src/log-destination.ts';

const failing = (code: string) => Object.assign(new Error(code), { code });

describe('a log', () => {
  it('on a disk that is full stops nobody', () => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const log = pino({}, new LogDestination(full));
    for (let index = 0; index < 100; index += 1) log.info({ index }, 'not stored');
    expect(() => log.error('nor this')).not.toThrow();
  });

  it('tells how many entries were lost when there is room again', () => {
    let isFull = true;
    const written: string[] = [];
    const log = new LogDestination(1, (_, bytes) => {
      if (isFull) throw failing('ENOSPC');
      written.push(bytes.toString());
      return bytes.length;
    });
    for (const line of ['a\n', 'b\n', 'c\n']) log.write(line);
    isFull = false;
    log.write('d\n');
    log.write('e\n');
    const lines = written.join('').split('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, lost: 3 });
    expect(lines.slice(1)).toEqual(['d', 'e', '']);
  });

  it('waits for a reader that is behind, with a bound, and cuts no line in two', async () => {
    let room = 5;
    let written = '';
    const log = new LogDestination(1, (_, bytes) => {
      if (room === 0) throw failing('EAGAIN');
      const count = Math.min(room, bytes.length);
      written += bytes.subarray(0, count).toString();
      room -= count;
      return count;
    });
    log.write('first line\n');
    for (let index = 0; index < 3_000; index += 1) log.write(`${'x'.repeat(999)}\n`);
    expect(written).toBe('first');
    room = Number.POSITIVE_INFINITY;
    await expect.poll(() => written.startsWith('first line\nxxx')).toBe(true);
    expect(written.length).toBeLessThan(1024 * 1024 + 6);
    log.write('last\n');
    expect(written).toMatch(/"lost":\d+/);
    expect(written.endsWith('last\n')).toBe(true);
    expect(
      written
        .split('\n')
        .slice(1, -3)
        .every((line) => line.length === 999),
    ).toBe(true);
  });
});
