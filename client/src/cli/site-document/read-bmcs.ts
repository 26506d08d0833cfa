import { type Corral, NotFoundError } from '../../index.ts';
import { runParallel } from './run-parallel.ts';
import type { BmcState } from './service-state.ts';

/** What the OBM daemons of these nodes have registered. A daemon that cannot be asked is a failure. */
export const readBmcs = async (
  corral: Corral,
  nodes: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, BmcState>> => {
  const found = await runParallel(nodes, signal, async (node): Promise<readonly [string, BmcState][]> => {
    try {
      return [[node, await corral.showBmc({ node }, { signal })]];
    } catch (error) {
      if (error instanceof NotFoundError) return [];
      throw error;
    }
  });
  return new Map(found.flat());
};
