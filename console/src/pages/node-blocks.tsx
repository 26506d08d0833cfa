import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { NodeOverview } from '../api/client.ts';
import { useMe } from '../api/use-me.ts';
import { DisableObm } from '../ui/obm.tsx';
import { sentenceOf } from '../ui/states.tsx';
import { Detach } from './node-nics.tsx';

interface OneNode {
  readonly node: NodeOverview;
}

type Block = NonNullable<NodeOverview['blocked']>[number];

/** What keeps a node where it is, and the step for each that is one's own to take. */
export const Blocks = ({ node, label }: OneNode & { readonly label: string }) =>
  node.blocked === null || node.blocked.length === 0 ? null : (
    <ul aria-label={label} className="grid">
      {node.blocked.map((block) => (
        <li key={block.message} className="grid gap-2 border-b border-line p-3.5 break-words">
          <span>{sentenceOf(block)}</span>
          <Step node={node} block={block} />
        </li>
      ))}
    </ul>
  );

const Step = ({
  node,
  block: { kind, nic: label, network, switch: on, port },
}: OneNode & { readonly block: Block }) => {
  const { admin } = useMe();
  const nic = node.nics.find((each) => each.label === label);
  if (kind === 'obm')
    return (
      <div>
        <DisableObm node={node.name} />
      </div>
    );
  if (kind === 'network' && nic !== undefined && network !== null)
    return (
      <div>
        <Detach node={node} nic={nic} network={network} look="step" />
      </div>
    );
  if (kind !== 'port') return null;
  if (!admin) return <span className="text-dim">An administrator can mend this.</span>;
  return on === null ? null : (
    <PortLink switch={on} port={port}>
      Look at the port
    </PortLink>
  );
};

/** The way to a port, on the page of its switch. */
export const PortLink = ({
  switch: on,
  port,
  children,
}: {
  readonly switch: string;
  readonly port: string | null;
  readonly children: ReactNode;
}) => (
  <Link
    to="/switches/$switch"
    params={{ switch: on }}
    search={port === null ? {} : { port }}
    className="text-accent hover:underline"
  >
    {children}
  </Link>
);
