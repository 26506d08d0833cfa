import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { corral, type NetworkOverview } from '../api/client.ts';
import { allNetworks, attachmentsOf } from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Command } from '../ui/command.tsx';
import { type Column, DataTable, sorted } from '../ui/data-table.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Facts } from '../ui/facts.tsx';
import { linkLook } from '../ui/link-look.ts';
import { Loaded } from '../ui/loaded.tsx';
import { fillOf } from '../ui/network-colour.ts';
import { Page } from '../ui/page.tsx';
import { shellWord } from '../ui/shell-word.ts';
import { Empty, sentenceOf } from '../ui/states.tsx';
import { NetworkAccess } from './network-access.tsx';
import { NetworkHeadnodes } from './network-headnodes.tsx';
import { NetworkReach } from './network-reach.tsx';

const route = getRouteApi('/frame/networks/$network');

/** One network: whose it is, who may use it, what is on it, and what the switches say of that. */
export const NetworkPage = () => {
  const { network: name } = route.useParams();
  const query = useQuery(allNetworks);
  const { admin, projects } = useMe();
  const network = query.data?.networks.find((each) => each.name === name);
  const mayManage = network !== undefined && (admin || projects.includes(network.owner));
  return (
    <Page
      key={name}
      title={name}
      heading={
        <span className="flex items-center gap-2">
          <span aria-hidden className="size-3.5 shrink-0 rounded-[3px]" style={{ background: fillOf(name) }} />
          <span className="min-w-0 break-all">{name}</span>
        </span>
      }
      actions={
        network !== undefined && (
          <>
            <Link to="/topology" search={{ network: name }} className={`${linkLook} no-print px-3 font-medium`}>
              Topology
            </Link>
            {mayManage && <DeleteNetwork network={network} />}
          </>
        )
      }
    >
      <Loaded query={query}>
        {() =>
          network === undefined ? (
            <Card>
              <Empty title={`Network ${name} does not exist, or you may not see it`}>
                <Link to="/networks" className="text-accent underline">
                  Show all networks
                </Link>
              </Empty>
            </Card>
          ) : (
            <>
              <Card>
                <NetworkFacts network={network} />
              </Card>
              {mayManage && <NetworkReach network={network} />}
              <div className="no-print grid items-start gap-4 lg:grid-cols-[3fr_2fr]">
                <div className="grid min-w-0 gap-4">
                  <Attachments network={name} seesAll={mayManage} />
                  <NetworkHeadnodes network={name} />
                </div>
                <NetworkAccess network={network} mayManage={mayManage} />
              </div>
            </>
          )
        }
      </Loaded>
    </Page>
  );
};

const NetworkFacts = ({ network }: { readonly network: NetworkOverview }) => (
  <Facts
    facts={{
      VLAN: <span className="font-mono">{network.network_id}</span>,
      Owner: network.owner === 'admin' ? 'admin (the operator)' : network.owner,
      'Who may use it': network.access === null ? 'everybody' : network.access.join(', ') || 'nobody',
      Channels: <span className="font-mono">{network.channels.join(', ')}</span>,
      'On it': `${network.nodes} ${network.nodes === 1 ? 'node' : 'nodes'}, ${network.nics} ${network.nics === 1 ? 'nic' : 'nics'}`,
    }}
  />
);

/** A nic on the network, as it is recorded. */
interface Attachment {
  readonly node: string;
  readonly nic: string;
  readonly channel: string;
  readonly project: string | null;
}

const Attachments = ({ network, seesAll }: { readonly network: string; readonly seesAll: boolean }) => {
  const [sort, setSort] = useState('node');
  return (
    <Card title={seesAll ? 'On it, as recorded' : 'Your nodes on it, as recorded'}>
      <Loaded query={useQuery(attachmentsOf(network))}>
        {(nodes) => {
          const rows = Object.entries(nodes).flatMap(([node, { project, attachments }]) =>
            attachments.map(({ nic, channel }): Attachment => ({ node, nic, channel, project })),
          );
          if (rows.length === 0)
            return <Empty title="Nothing is on it">Connect a nic of a node to it on the page of the node.</Empty>;
          return (
            <DataTable
              label="Attachments"
              rows={sorted(rows, columns, sort)}
              columns={columns}
              keyOf={({ node, nic, channel }) => JSON.stringify([node, nic, channel])}
              sort={sort}
              onSort={setSort}
              minWidth={440}
            />
          );
        }}
      </Loaded>
      <div className="flex border-t border-line p-3">
        <Command text={`corral network list-attachments ${shellWord(network)}`} />
      </div>
    </Card>
  );
};

const columns: readonly Column<Attachment>[] = [
  {
    name: 'node',
    heading: 'Node',
    sortsBy: ({ node, nic }) => `${node} ${nic}`,
    cell: ({ node }) => (
      <Link to="/nodes/$node" params={{ node }} title={node} className="truncate font-mono text-accent hover:underline">
        {node}
      </Link>
    ),
  },
  {
    name: 'nic',
    heading: 'Nic',
    width: '22%',
    sortsBy: ({ nic }) => nic,
    cell: ({ nic }) => (
      <span className="truncate font-mono" title={nic}>
        {nic}
      </span>
    ),
  },
  {
    name: 'channel',
    heading: 'Channel',
    width: '24%',
    sortsBy: ({ channel }) => channel,
    cell: ({ channel }) => <span className="truncate font-mono text-fine">{channel}</span>,
  },
  {
    name: 'project',
    heading: 'Project',
    width: '24%',
    sortsBy: ({ project }) => project ?? '',
    cell: ({ project }) => (
      <span className="truncate" title={project ?? undefined}>
        {project ?? <span className="text-dim">free</span>}
      </span>
    ),
  },
];

/** Asks before the network goes, and says what the service has against it. */
const DeleteNetwork = ({ network }: { readonly network: NetworkOverview }) => {
  const { name } = network;
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => corral.networkDelete({ network: name }),
    onSuccess: async () => {
      await navigate({ to: '/networks' });
      await queries.invalidateQueries({ queryKey: allNetworks.queryKey });
    },
  });
  const others = network.access?.filter((project) => project !== network.owner) ?? [];
  return (
    <div className="no-print">
      <Button look="danger" onClick={() => setOpen(true)}>
        Delete…
      </Button>
      <Dialog
        title={`Delete network ${name}?`}
        isOpen={isOpen}
        onClose={() => {
          setOpen(false);
          remove.reset();
        }}
      >
        <div className="grid gap-3">
          <p>
            The network, its name and its access list are gone for good
            {network.access === null && ', for everybody who may use it now'}
            {others.length > 0 && `, also for ${others.join(', ')}`}. VLAN {network.network_id} may then belong to a
            network of somebody else. This is refused while anything is on it.
          </p>
          {remove.error && (
            <p role="alert" className="text-bad">
              {sentenceOf(remove.error)}
            </p>
          )}
          <Button
            look="danger"
            className="justify-self-start"
            isBusy={remove.isPending}
            onClick={() => remove.mutate()}
          >
            <span className="max-w-64 truncate">Delete {name}</span>
          </Button>
          <Command text={`corral network delete ${shellWord(name)}`} />
        </div>
      </Dialog>
    </div>
  );
};
