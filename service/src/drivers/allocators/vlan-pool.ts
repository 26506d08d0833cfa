import type { Allocator } from './allocator-contract.ts';

/** Hands out the smallest free VLAN id of the operator's ranges. */
export const vlanPool = (ranges: readonly { readonly first: number; readonly last: number }[]): Allocator => {
  const ids = new Set<number>();
  for (const { first, last } of ranges) for (let id = first; id <= last; id += 1) ids.add(id);
  const pool = [...ids].sort((a, b) => a - b);
  return {
    allocate: (inUse) => pool.find((id) => !inUse.has(id)) ?? null,
    has: (id) => ids.has(id),
  };
};
