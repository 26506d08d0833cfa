import type { HeadnodeOverview } from '../api/client.ts';
import { Badge } from './badge.tsx';
import { headnodeStateOf, isRunning } from './headnode-state.ts';

/** What a headnode does. */
export const HeadnodeBadge = ({ headnode }: { readonly headnode: HeadnodeOverview }) => (
  <Badge tone={isRunning(headnode) ? 'ok' : headnode.in_progress ? 'accent' : 'plain'}>
    {headnodeStateOf(headnode)}
  </Badge>
);
