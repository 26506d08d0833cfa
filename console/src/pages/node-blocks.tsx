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

const Step = ({ node, block: { kind, nic: label, message } }: OneNode & { readonly block: Block }) => {
  const { admin } = useMe();
  const nic = node.nics.find((each) => each.label === label);
  if (kind === 'obm')
    return (
      <div>
        <DisableObm node={node.name} />
      </div>
    );
  if (kind === 'network' && nic !== undefined) {
    const network = Object.values(nic.networks).find((each) => message.includes(`network ${each} (nic ${nic.label})`));
    if (network === undefined) return null;
    return (
      <div>
        <Detach node={node} nic={nic} network={network} look="step" />
      </div>
    );
  }
  if (kind !== 'port') return null;
  if (!admin) return <span className="text-dim">An administrator can mend this.</span>;
  const place = nic?.switch ? { switch: nic.switch, port: nic.port ?? undefined } : heldPort(message);
  return place === null ? null : <PortLink {...place}>Look at the port</PortLink>;
};

/** A port of a switch; only the switch, if the port is not known. */
interface Place {
  readonly switch: string;
  readonly port: string | undefined;
}

/** The port that a node was on, from the sentence for administrators: no nic of the node leads there any more. */
export const heldPort = (message: string): Place | null => {
  const [, port, on] = /port (.+) on switch (.+), which the node was on,/.exec(message) ?? [];
  return on === undefined ? null : { switch: on, port };
};

/** The way to a port, on the page of its switch. */
export const PortLink = ({ switch: on, port, children }: Place & { readonly children: ReactNode }) => (
  <Link
    to="/switches/$switch"
    params={{ switch: on }}
    search={port === undefined ? {} : { port }}
    className="text-accent hover:underline"
  >
    {children}
  </Link>
);
