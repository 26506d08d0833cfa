import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { NodeOverview } from '../api/client.ts';
import { useMe } from '../api/use-me.ts';
import { sentenceOf } from '../ui/states.tsx';

interface OneNode {
  readonly node: NodeOverview;
}

type Block = NonNullable<NodeOverview['blocked']>[number];

/** What a release does itself. */
const undone: readonly string[] = ['network', 'action', 'obm'];

/** What keeps a node where it is and takes somebody else: a release does the rest. */
export const Blocks = ({ node, label }: OneNode & { readonly label: string }) => {
  const blocks = (node.blocked ?? []).filter(({ kind }) => !undone.includes(kind));
  return blocks.length === 0 ? null : (
    <ul aria-label={label} className="grid">
      {blocks.map((block) => (
        <li key={block.message} className="grid gap-2 border-b border-line p-3.5 break-words">
          <span>{sentenceOf(block)}</span>
          <WayOut block={block} />
        </li>
      ))}
    </ul>
  );
};

const WayOut = ({ block: { kind, switch: on, port } }: { readonly block: Block }) => {
  const { admin } = useMe();
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
