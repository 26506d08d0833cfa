import { tooMany, unavailable } from '../core/corral-error.ts';

/** One hash takes 19 MiB and a processor. More at once are no faster, and hold up everything else. */
const atOnce = 2;
const mostWaiting = 256;
/** So that one address cannot fill the queue for all. Many people may stand behind one, each with their own password. */
const mostWaitingFrom = 64;

interface Waiting {
  readonly from: string;
  readonly go: () => void;
}

/** Lets few slow hashes run at once; those who were right before go first. */
export class HashGate {
  readonly #lanes = { known: [] as Waiting[], others: [] as Waiting[] };
  #running = 0;

  async run<T>(from: string, lane: 'known' | 'others', work: () => Promise<T>): Promise<T> {
    if (this.#running >= atOnce) await this.#turn(from, this.#lanes[lane]);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#lanes.known.shift() ?? this.#lanes.others.shift();
      if (next) next.go();
      else this.#running -= 1;
    }
  }

  #turn(from: string, lane: Waiting[]): Promise<void> {
    if (lane.filter((waiting) => waiting.from === from).length >= mostWaitingFrom) {
      throw tooMany('too many logins at once from this address; try again in a second', 1);
    }
    if (lane.length >= mostWaiting) {
      throw unavailable('too many people are logging in at once; try again in a second', { retryAfterS: 1 });
    }
    return new Promise((go) => lane.push({ from, go }));
  }
}
