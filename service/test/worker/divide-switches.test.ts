import { describe, expect, it } from 'vitest';
import { divideSwitches } from '../../src/worker/divide-switches.ts';

const switches = Array.from({ length: 1_000 }, (_, index) => 3 * index + 1);

describe('switches that are divided among workers', () => {
  it.each([[[0]], [[0, 1]], [[0, 1, 2]], [[2, 5, 6, 40]]])('of the seats %o get equal shares', (seats) => {
    const owners = [...divideSwitches(switches, seats).values()];
    const shares = seats.map((seat) => owners.filter((owner) => owner === seat).length);
    expect(shares.reduce((sum, share) => sum + share)).toBe(switches.length);
    expect(Math.max(...shares)).toBe(Math.ceil(switches.length / seats.length));
  });

  it('are the same for all who know the same, in whatever order', () => {
    const owners = divideSwitches(switches, [0, 1, 2]);
    const others = divideSwitches([...switches].reverse(), [2, 0, 1]);
    expect(switches.map((id) => others.get(id))).toEqual(switches.map((id) => owners.get(id)));
  });

  it('mostly stay where they are when a worker joins or leaves', () => {
    const [two, three] = [divideSwitches(switches, [0, 1]), divideSwitches(switches, [0, 1, 2])];
    const moved = switches.filter((id) => two.get(id) !== three.get(id));
    // A third has to move.
    expect(moved.length).toBeLessThan(switches.length / 2);
  });
});
