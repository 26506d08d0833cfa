import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { allHeadnodes } from '../api/queries.ts';
import { Card } from '../ui/card.tsx';
import { HeadnodeBadge } from '../ui/headnode-badge.tsx';

/** Headnodes on a network, of those that the person may see; without any, nothing. */
export const NetworkHeadnodes = ({ network }: { readonly network: string }) => {
  const headnodes = useQuery(allHeadnodes).data?.filter(({ hnics }) => hnics.some((hnic) => hnic.network === network));
  if (headnodes === undefined || headnodes.length === 0) return null;
  return (
    <Card title="Headnodes on it">
      <ul aria-label="Headnodes on it">
        {headnodes.map((headnode) => (
          <li
            key={headnode.name}
            className="flex min-h-9 flex-wrap items-center gap-x-3 border-b border-line px-3.5 py-1.5 last:border-b-0"
          >
            <Link
              to="/headnodes/$headnode"
              params={{ headnode: headnode.name }}
              className="min-w-0 truncate font-mono text-accent hover:underline"
            >
              {headnode.name}
            </Link>
            <span className="text-fine text-dim">
              {headnode.hnics
                .filter((hnic) => hnic.network === network)
                .map(({ label }) => label)
                .join(', ')}
            </span>
            <span className="text-fine text-dim">{headnode.project}</span>
            <span className="ml-auto">
              <HeadnodeBadge headnode={headnode} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
};
