import type { LabFrame } from '@corral/lab';

/** A time in which a host may have been on a network. */
interface Stay {
  readonly host: string;
  readonly network: string;
  /** The tags of a frame of this network as this host sees it: none, or the network's VLAN. */
  readonly tags: readonly number[];
  readonly from: number;
  to: number;
}

/** A frame that a host was not to see. */
export interface Wrong {
  readonly host: string;
  readonly marker: string;
  readonly tags: readonly number[];
  readonly at: string;
  /** Where both were, or had been, around that time. */
  readonly stays: readonly string[];
}

/**
 * Who may have been on which network when, in the times of the machine's clock. A stay begins before its
 * connection is asked for and ends after its detachment is known to be done: in between a frame may pass or not;
 * outside none may.
 */
export class NetworkMembership {
  readonly #stays: Stay[] = [];

  /** To be called before the request is sent. */
  begins(host: string, network: string, tags: readonly number[], at = Date.now()): void {
    this.#stays.push({ host, network, tags, from: at, to: Number.POSITIVE_INFINITY });
  }

  /** To be called when the answer says so. Without a network: it is on none any more. */
  ends(host: string, network?: string, at = Date.now()): void {
    for (const stay of this.#stays) {
      const isIt = stay.host === host && (network === undefined || stay.network === network);
      if (isIt && stay.to === Number.POSITIVE_INFINITY) stay.to = at;
    }
  }

  /** The frames that no network explains which both ends were on when they arrived. Markers name the sender. */
  wrongs(host: string, frames: readonly LabFrame[]): Wrong[] {
    return frames
      .filter((frame) => !this.#isExplained(host, frame))
      .map(({ marker, tags, at }) => ({
        host,
        marker,
        tags,
        at: new Date(at).toISOString(),
        stays: this.#around(at, [host, marker]),
      }));
  }

  #isExplained(host: string, { marker, tags, at }: LabFrame): boolean {
    const now = this.#stays.filter(({ from, to }) => from <= at && at <= to);
    const networks = new Set(now.filter((stay) => stay.host === marker).map(({ network }) => network));
    return now.some((stay) => stay.host === host && networks.has(stay.network) && sameTags(stay.tags, tags));
  }

  #around(at: number, hosts: readonly string[]): string[] {
    return this.#stays
      .filter((stay) => hosts.includes(stay.host) && stay.from <= at + nearMs && stay.to >= at - nearMs)
      .map(({ host, network, from, to }) => `${host} on ${network} ${relative(from, at)} to ${relative(to, at)}`);
  }
}

const nearMs = 2_000;
const relative = (time: number, at: number): string => `${(time - at).toFixed(3)} ms`;
const sameTags = (some: readonly number[], others: readonly number[]): boolean =>
  some.length === others.length && some.every((tag, index) => tag === others[index]);
