import type { NetworkOverview, ProjectOverview, Quota } from '../api/client.ts';
import { naturalOrder } from '../ui/natural-order.ts';

interface Use {
  readonly used: number;
  readonly limit: number | null;
}

/** A project, and how much it has of that which it may have. */
export interface ProjectUse {
  readonly project: string;
  readonly nodes: Use;
  readonly networks: Use;
  readonly headnodes: Use;
  /** Of which classes its nodes are limited. */
  readonly classes: readonly string[];
}

/** All projects with what applies to each: its own limits, and the defaults that it has no limit of its own for. */
export const usesOf = (
  projects: readonly ProjectOverview[],
  networks: readonly NetworkOverview[],
  quotas: readonly Quota[],
): readonly ProjectUse[] => {
  // Networks that others gave it access to are not its own, and count for them.
  const owned = new Map<string, number>();
  for (const { owner } of networks) owned.set(owner, (owned.get(owner) ?? 0) + 1);
  const limits = new Map<string | null, Quota[]>();
  for (const quota of quotas) limits.set(quota.project, [...(limits.get(quota.project) ?? []), quota]);
  const defaults = limits.get(null) ?? [];
  return projects.map(({ name, nodes, headnodes }) => {
    const own = limits.get(name) ?? [];
    const limitOf = (what: Quota['what'], nodeClass: string | null): number | null => {
      const isIt = (each: Quota): boolean => each.what === what && each.class === nodeClass;
      return (own.find(isIt) ?? defaults.find(isIt))?.limit ?? null;
    };
    const classes = new Set([...own, ...defaults].flatMap((each) => each.class ?? []));
    return {
      project: name,
      nodes: { used: nodes, limit: limitOf('nodes', null) },
      networks: { used: owned.get(name) ?? 0, limit: limitOf('networks', null) },
      headnodes: { used: headnodes, limit: limitOf('headnodes', null) },
      classes: [...classes].filter((each) => limitOf('nodes', each) !== null).sort(naturalOrder),
    };
  });
};
