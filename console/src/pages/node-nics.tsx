import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { corral, type NodeOverview } from '../api/client.ts';
import { useMe } from '../api/use-me.ts';
import { Ago } from '../ui/ago.tsx';
import { Ask } from '../ui/ask.tsx';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Command } from '../ui/command.tsx';
import { Connect, native, type OneNic, waits } from '../ui/connect-nic.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { naturalOrder } from '../ui/natural-order.ts';
import { NetworkChip } from '../ui/network-chip.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { Empty } from '../ui/states.tsx';
import { AddNic, NicMenu } from './node-nic-registration.tsx';

type Nic = OneNic['nic'];

/** The nics of a node: what each is on, what it is about to be on, and where it is plugged. */
export const NodeNics = ({ node, mayChange }: { readonly node: NodeOverview; readonly mayChange: boolean }) => {
  const { admin } = useMe();
  const nics = [...node.nics].sort((a, b) => naturalOrder(a.label, b.label));
  const columns: readonly Column<Nic>[] = [
    {
      name: 'nic',
      heading: 'Nic and MAC address',
      width: '164px',
      cell: ({ label, macaddr }) => (
        <div className="min-w-0 py-1 font-mono">
          <div className="truncate" title={label}>
            {label}
          </div>
          <div className="text-fine text-dim">{macaddr}</div>
        </div>
      ),
    },
    {
      name: 'networks',
      heading: 'Networks',
      cell: (nic) => <Networks node={node} nic={nic} mayChange={mayChange} />,
    },
    ...(admin ? [portColumn] : []),
    ...(mayChange
      ? [
          {
            name: 'connect',
            heading: 'Connect',
            hidesHeading: true,
            width: '124px',
            cell: (nic: Nic) => <Connect node={node} nic={nic} />,
          },
        ]
      : []),
    ...(admin
      ? [
          {
            name: 'wiring',
            heading: 'Wiring',
            hidesHeading: true,
            width: '60px',
            cell: (nic: Nic) => <NicMenu node={node} nic={nic} />,
          },
        ]
      : []),
  ];
  return (
    <Card title="Nics" actions={admin ? <AddNic node={node} /> : undefined}>
      {nics.length === 0 ? (
        <Empty title="It has no nics">
          {admin ? <Command text={commandOf('node', 'nic', 'register', node.name, 'NIC', 'MAC')} /> : null}
        </Empty>
      ) : (
        <DataTable
          label="Nics"
          rows={nics}
          columns={columns}
          keyOf={({ label }) => label}
          minWidth={admin ? 740 : 560}
        />
      )}
    </Card>
  );
};

const portColumn: Column<Nic> = {
  name: 'port',
  heading: 'Plugged into',
  width: '164px',
  cell: ({ port, switch: on }) =>
    !port || !on ? (
      <span className="text-dim">no port</span>
    ) : (
      <Link
        to="/switches/$switch"
        params={{ switch: on }}
        search={{ port }}
        className="truncate font-mono text-accent hover:underline"
        title={`${on} ${port}`}
      >
        {on} {port}
      </Link>
    ),
};

const Networks = ({ node, nic, mayChange }: OneNic & { readonly mayChange: boolean }) => (
  <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 py-1">
    {Object.entries(nic.networks).map(([channel, network]) => (
      <span key={channel} className="inline-flex min-w-0 items-center">
        <NetworkChip network={network} channel={channel} />
        {mayChange && <Detach node={node} nic={nic} network={network} />}
      </span>
    ))}
    {nic.pending === null ? (
      Object.keys(nic.networks).length === 0 && <span className="text-dim">none</span>
    ) : (
      <Pending nic={nic} pending={nic.pending} />
    )}
  </div>
);

/** What is being changed, since when, and how often it was tried. */
const Pending = ({ nic, pending }: { readonly nic: Nic; readonly pending: NonNullable<Nic['pending']> }) => {
  const { type, network, channel, since, attempts } = pending;
  const leaving = nic.networks[channel];
  const what =
    type === 'revert_port'
      ? 'taking everything off'
      : network !== null
        ? `connecting to ${network}${channel === native ? '' : ', tagged'}`
        : `detaching${leaving === undefined ? '' : ` from ${leaving}`}`;
  return (
    <span role="status" className="inline-flex flex-wrap items-center gap-1.5 text-fine text-dim">
      <Badge tone="accent">{what}</Badge>
      <Ago at={since} suffix="" />
      {attempts > 1 && <span className="font-medium text-warn">tried {attempts} times</span>}
    </span>
  );
};

/** Takes a nic off a network: a cross beside the network. */
const Detach = ({ node, nic, network }: OneNic & { readonly network: string }) => {
  const words = `Detach ${nic.label} from ${network}`;
  return (
    <Ask
      label={<X size={13} aria-hidden />}
      aria-label={words}
      look="quiet"
      className="h-6! px-1! text-dim"
      unless={waits({ node, nic })}
      title={`${words}?`}
      verb={words}
      command={commandOf('node', 'network', 'detach', node.name, nic.label, network)}
      run={() => corral.nodeDetachNetwork({ node: node.name, nic: nic.label, network })}
    >
      {node.name} can no longer reach anything on {network} by {nic.label}. Its other networks stay as they are.
    </Ask>
  );
};
