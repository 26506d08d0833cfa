import { describe, expect, it, vi } from 'vitest';
import { Cache } from '../src/cache.ts';

describe('a cache', () => {
  it('forgets what was set longest ago when it is full, a tenth at once', () => {
    const cache = new Cache<number, string>({ most: 100 });
    for (let key = 0; key < 100; key += 1) cache.set(key, 'x');
    cache.set(0, 'again');
    expect(cache.size).toBe(100);
    cache.set(100, 'x');
    expect(cache.size).toBe(90);
    expect([cache.get(0), cache.get(1), cache.get(11), cache.get(12)]).toEqual(['again', undefined, undefined, 'x']);
  });

  it('holds as many as it may where a tenth is less than one', () => {
    const cache = new Cache<number, number>({ most: 8 });
    for (let key = 0; key < 20; key += 1) cache.set(key, key);
    expect([cache.size, cache.get(12), cache.get(11)]).toEqual([8, 12, undefined]);
  });

  it('goes by the sizes of its entries, and holds none that is larger than it may be', () => {
    const cache = new Cache<string, string>({ most: 100, sizeOf: (key, value) => key.length + value.length });
    cache.set('a', 'x'.repeat(49));
    cache.set('b', 'x'.repeat(49));
    expect(cache.size).toBe(2);
    cache.set('a', 'x');
    cache.set('c', 'x'.repeat(60));
    expect([cache.get('b'), cache.get('a'), cache.get('c')?.length]).toEqual([undefined, 'x', 60]);
    cache.set('d', 'x'.repeat(1000));
    expect(cache.size).toBe(0);
    cache.set('e', 'x'.repeat(80));
    expect(cache.get('e')).toHaveLength(80);
  });

  it('forgets what is older than it may be, from when it was asked for', () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1000);
    const cache = new Cache<string, number>({ most: 10, lastsMs: 100 });
    cache.set('a', 1);
    cache.set('b', 2, 950);
    now.mockReturnValue(1049);
    expect([cache.get('a'), cache.get('b')]).toEqual([1, 2]);
    now.mockReturnValue(1050);
    expect([cache.get('a'), cache.get('b')]).toEqual([1, undefined]);
    now.mockReturnValue(1100);
    expect([cache.get('a'), cache.size]).toEqual([undefined, 0]);
    now.mockRestore();
  });

  it('takes no longer for each entry, the more are forgotten', () => {
    const cache = new Cache<number, number>({ most: 20_000 });
    const begun = performance.now();
    for (let key = 0; key < 400_000; key += 1) cache.set(key, key);
    // One at a time from the front of a Map it takes minutes.
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});
