import { describe, expect, it } from 'vitest';
import { HashGate } from '../../src/auth/hash-gate.ts';
import { gate } from '../support/services/obm-rack.ts';

/** Hashes that go on until the test says so. */
const trial = () => {
  const { opened, open } = gate();
  const hashes = new HashGate();
  const begun: string[] = [];
  const run = (from: string, lane: 'known' | 'others' = 'others') =>
    hashes
      .run(from, lane, async () => {
        begun.push(`${lane} ${from}`);
        await opened;
      })
      .then(
        () => 'done',
        (error: unknown) => (error as { type: string }).type,
      );
  return { run, begun, open };
};

describe('slow hashes', () => {
  it('run two at once, in order, and all get their turn', async () => {
    const { run, begun, open } = trial();
    const all = Array.from({ length: 6 }, (_, index) => run(`address ${index}`));
    expect(begun).toEqual(['others address 0', 'others address 1']);
    open();
    expect(await Promise.all(all)).toEqual(Array.from({ length: 6 }, () => 'done'));
    expect(begun).toHaveLength(6);
  });

  it('of those who were right before go first', async () => {
    const { run, begun, open } = trial();
    const all = [run('a'), run('b'), run('c'), run('d'), run('owner', 'known')];
    open();
    await Promise.all(all);
    expect(begun[2]).toBe('known owner');
  });

  it('of one address wait only few at a time, and leave room for the others', async () => {
    const { run, open } = trial();
    const flood = Array.from({ length: 80 }, () => run('flooder'));
    const other = run('other');
    open();
    expect((await Promise.all(flood)).filter((end) => end === 'TooManyRequestsError')).toHaveLength(14);
    expect(await other).toBe('done');
  });

  it('of many addresses wait only so many, and those who were right before still get in', async () => {
    const { run, open } = trial();
    const flood = Array.from({ length: 300 }, (_, index) => run(`flooder ${index}`));
    const owner = run('owner', 'known');
    open();
    expect((await Promise.all(flood)).filter((end) => end === 'UnavailableError')).toHaveLength(42);
    expect(await owner).toBe('done');
  });

  it('make room again when one fails', async () => {
    const hashes = new HashGate();
    const fail = () => hashes.run('a', 'others', () => Promise.reject(new Error('broken')));
    for (let count = 0; count < 5; count += 1) await expect(fail()).rejects.toThrow('broken');
    expect(await hashes.run('a', 'others', () => Promise.resolve('done'))).toBe('done');
  });
});
