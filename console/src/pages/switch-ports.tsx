import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { PortOverview, SwitchDetails } from '../api/client.ts';
import { Ago } from '../ui/ago.tsx';
import { Badge } from '../ui/badge.tsx';
import { buttonLook } from '../ui/button-look.ts';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { portState } from '../ui/front-panel.tsx';
import { NetworkChips } from '../ui/network-chip.tsx';
import { DeletePorts } from './switch-ports-delete.tsx';

/** Every port of a switch: chosen, and deleted together. */
export const SwitchPorts = ({ found }: { readonly found: SwitchDetails }) => {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const ports = found.port_list;
  const chosenPorts = ports.filter(({ port }) => chosen.has(port));
  return (
    <Card
      title="Ports"
      actions={
        <>
          <span className="text-dim">
            {found.ports} registered
            {ports.length > found.ports && `, ${ports.length - found.ports} not`}
          </span>
          <Link to="/setup/ports" search={{ switch: found.name }} className={`${buttonLook('plain')} h-7!`}>
            Add ports…
          </Link>
        </>
      }
    >
      <DeletePorts on={found.name} ports={chosenPorts} onDone={() => setChosen(new Set())} />
      <DataTable
        label="Ports"
        rows={ports}
        columns={columnsFor(found.name)}
        keyOf={(each) => each.port}
        chosen={chosen}
        onChoose={setChosen}
        minWidth={860}
      />
    </Card>
  );
};

const columnsFor = (name: string): readonly Column<PortOverview>[] => [
  {
    name: 'port',
    heading: 'Port',
    width: '18%',
    cell: ({ port }) => (
      <Link
        to="/switches/$switch"
        params={{ switch: name }}
        search={{ port }}
        className="truncate font-mono text-accent hover:underline"
      >
        {port}
      </Link>
    ),
  },
  {
    name: 'node',
    heading: 'Node · nic',
    width: '20%',
    cell: ({ node, nic }) =>
      node === null ? (
        <span className="text-dim">–</span>
      ) : (
        <span className="truncate">
          <Link to="/nodes/$node" params={{ node }} className="font-mono text-accent hover:underline">
            {node}
          </Link>{' '}
          · {nic}
        </span>
      ),
  },
  {
    name: 'project',
    heading: 'Project',
    width: '14%',
    cell: ({ project }) => <span className="truncate">{project}</span>,
  },
  {
    name: 'networks',
    heading: 'Networks',
    cell: ({ networks }) => (
      <NetworkChips networks={Object.entries(networks).map(([channel, network]) => ({ network, channel }))} />
    ),
  },
  {
    name: 'state',
    heading: 'State',
    width: '130px',
    cell: (port) =>
      port.registered && port.state === 'ok' && port.pending === null ? (
        <span className="text-dim">{portState(port)}</span>
      ) : (
        <Badge
          tone={
            port.pending !== null ? 'accent' : port.state === 'suspect' ? 'bad' : port.registered ? 'warn' : 'plain'
          }
        >
          {portState(port)}
        </Badge>
      ),
  },
  {
    name: 'read',
    heading: 'Read',
    width: '100px',
    cell: ({ read_at }) => <span className="text-dim">{read_at === null ? 'never' : <Ago at={read_at} />}</span>,
  },
];
