import { NotFoundError } from '@corral/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight, SquareTerminal } from 'lucide-react';
import type { ReactNode } from 'react';
import type { NodeOverview } from '../api/client.ts';
import { allNodes, eventsOfNode, nodeNamed } from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';
import { Badge } from '../ui/badge.tsx';
import { History } from '../ui/history.tsx';
import { linkLook } from '../ui/link-look.ts';
import { Loaded } from '../ui/loaded.tsx';
import { Metadata } from '../ui/metadata.tsx';
import { naturalOrder } from '../ui/natural-order.ts';
import { NoSuch } from '../ui/no-such.tsx';
import { stateOf } from '../ui/node-state.ts';
import { Page } from '../ui/page.tsx';
import { NodeGate } from './node-gate.tsx';
import { GiveBack, Reserve } from './node-manage.tsx';
import { NodeNics } from './node-nics.tsx';
import { NodePower } from './node-power.tsx';
import { NodeRegistration } from './node-registration.tsx';

const route = getRouteApi('/frame/nodes/$node');

/** One node: whose it is, what it is on, and everything that can be done with it. */
export const NodePage = () => {
  const { node: name } = route.useParams();
  const query = useQuery(nodeNamed(name));
  const node = query.error instanceof NotFoundError ? undefined : query.data;
  return (
    <Page
      title={name}
      heading={<Heading name={name} node={node} />}
      actions={
        <>
          {node?.obm_enabled === true && (
            <Link to="/nodes/$node/console" params={{ node: name }} className={`${linkLook} px-3 font-medium`}>
              <SquareTerminal size={15} aria-hidden />
              Serial console
            </Link>
          )}
          <Neighbours name={name} />
        </>
      }
    >
      {/* What was typed for one node is not meant for the next. */}
      <Loaded key={name} query={query} rows={8} missing={<NoSuch kind="node" name={name} />}>
        {(found) => <Parts node={found} />}
      </Loaded>
    </Page>
  );
};

const Parts = ({ node }: { readonly node: NodeOverview }) => {
  const { admin, projects } = useMe();
  const { name, project, metadata } = node;
  const isMine = project !== null && (admin || projects.includes(project));
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <div className="grid min-w-0 gap-4">
        <NodeNics node={node} mayChange={isMine} />
        {node.obm_enabled !== null && <NodePower node={node} />}
        <History of={name} search={{ node: name }} query={useQuery(eventsOfNode(name))} />
      </div>
      <div className="grid min-w-0 gap-4">
        {project === null ? <Reserve node={node} /> : isMine && <GiveBack node={node} project={project} />}
        {admin && <NodeGate node={node} />}
        {admin && <NodeRegistration node={node} />}
        <Metadata node={name} metadata={metadata} mayChange={admin} />
      </div>
    </div>
  );
};

const Heading = ({ name, node }: { readonly name: string; readonly node: NodeOverview | undefined }) => {
  const me = useMe();
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
      <span className="font-mono break-all">{name}</span>
      {node !== undefined && <State node={node} state={stateOf(node, me)} />}
    </span>
  );
};

const State = ({ node, state }: { readonly node: NodeOverview; readonly state: ReturnType<typeof stateOf> }) => (
  <span className="text-body font-normal text-dim">
    {state === 'blocked' ? (
      <Badge tone="warn">blocked</Badge>
    ) : state === 'free' ? (
      'free'
    ) : (
      <>
        {state === 'mine' ? 'mine' : 'in use'} · project <span className="text-text">{node.project}</span>
      </>
    )}
  </span>
);

/** The nodes before and after it, in the order in which people count. */
const Neighbours = ({ name }: { readonly name: string }) => {
  const names = useQuery({ ...allNodes, select: namesIn }).data ?? [];
  const index = names.indexOf(name);
  if (index < 0) return null;
  const before = names[index - 1];
  const after = names[index + 1];
  return (
    <nav aria-label="Neighbours" className="flex gap-1">
      <Neighbour label="Previous node" node={before}>
        <ChevronLeft size={16} aria-hidden />
      </Neighbour>
      <Neighbour label="Next node" node={after}>
        <ChevronRight size={16} aria-hidden />
      </Neighbour>
    </nav>
  );
};

const namesIn = ({ nodes }: { readonly nodes: readonly { readonly name: string }[] }): readonly string[] =>
  nodes.map(({ name }) => name).sort(naturalOrder);

const Neighbour = ({
  label,
  node,
  children,
}: {
  readonly label: string;
  readonly node: string | undefined;
  readonly children: ReactNode;
}) =>
  node === undefined ? (
    <span aria-hidden className={`${linkLook} w-8 justify-center opacity-40`}>
      {children}
    </span>
  ) : (
    <Link
      to="/nodes/$node"
      params={{ node }}
      aria-label={`${label}: ${node}`}
      title={`${label}: ${node}`}
      className={`${linkLook} w-8 justify-center`}
    >
      {children}
    </Link>
  );
