/** Whose a switch is, as far as one worker can tell. */
export type Owner = 'us' | 'another' | 'unknown';

/** Any number that looks random and is the same for the same two (the last steps of MurmurHash3). */
const scoreOf = (seat: number, switchId: number): number => {
  let mixed = Math.imul(switchId, 0x9e3779b1) ^ Math.imul(seat + 1, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

/**
 * Divides switches among the seats of workers. All who know the same switches and seats find the same, no seat gets more
 * than one switch more than its share, and a switch seldom changes hands when others come and go: it goes to the seat
 * with the highest score that has room (rendezvous hashing with bounded loads).
 */
export const divideSwitches = (switches: readonly number[], seats: readonly number[]): ReadonlyMap<number, number> => {
  const share = Math.ceil(switches.length / seats.length);
  const room = new Map(seats.map((seat) => [seat, share]));
  const owners = new Map<number, number>();
  for (const id of [...switches].sort((a, b) => a - b)) {
    let best: { readonly seat: number; readonly score: number } | null = null;
    for (const [seat, left] of room) {
      const score = scoreOf(seat, id);
      if (left > 0 && (best === null || score > best.score)) best = { seat, score };
    }
    if (best === null) continue;
    owners.set(id, best.seat);
    room.set(best.seat, (room.get(best.seat) ?? 0) - 1);
  }
  return owners;
};
