import { type Corral, NotFoundError, OBMError } from '../../index.ts';
import { runParallel } from './run-parallel.ts';
import type { BmcState } from './service-state.ts';

/** A node whose BMC is asked for, and the address of its OBM daemon. */
export interface BmcOwner {
  readonly node: string;
  readonly uri: string;
}

/**
 * What the OBM daemons of these nodes have registered. `unread` hears of a daemon that cannot be asked, once, and its
 * other nodes are left out; without it that is a failure.
 */
export const readBmcs = async (
  corral: Corral,
  owners: readonly BmcOwner[],
  signal: AbortSignal,
  unread?: (owner: BmcOwner, reason: string) => void,
): Promise<ReadonlyMap<string, BmcState>> => {
  const silent = new Set<string>();
  const found = await runParallel(owners, signal, async (owner): Promise<readonly [string, BmcState][]> => {
    const daemon = new URL(owner.uri).origin;
    if (silent.has(daemon)) return [];
    try {
      return [[owner.node, await corral.showBmc({ node: owner.node }, { signal })]];
    } catch (error) {
      if (error instanceof NotFoundError) return [];
      if (!(error instanceof OBMError) || unread === undefined) throw error;
      if (!silent.has(daemon)) unread(owner, error.message);
      silent.add(daemon);
      return [];
    }
  });
  return new Map(found.flat());
};
