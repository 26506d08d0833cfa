import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { PortOverview, SwitchDetails } from '../api/client.ts';
import { switchNamed } from '../api/queries.ts';
import { Ago } from '../ui/ago.tsx';
import { Badge } from '../ui/badge.tsx';
import { buttonLook } from '../ui/button-look.ts';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Facts } from '../ui/facts.tsx';
import { ForAdministrators } from '../ui/for-administrators.tsx';
import { FrontPanel, PanelLegend, portState } from '../ui/front-panel.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { NetworkChips } from '../ui/network-chip.tsx';
import { NoSuch } from '../ui/no-such.tsx';
import { Page } from '../ui/page.tsx';
import { Empty, sentenceOf } from '../ui/states.tsx';
import { SwitchActions } from './switch-actions.tsx';
import { PortCard } from './switch-port.tsx';

const route = getRouteApi('/frame/switches/$switch');

/** One switch: its front panel, how it is, and every port. */
export const SwitchPage = () => {
  const { switch: name } = route.useParams();
  return (
    <ForAdministrators title={name}>
      <OneSwitch name={name} />
    </ForAdministrators>
  );
};

const OneSwitch = ({ name }: { readonly name: string }) => (
  <Page
    title={name}
    heading={
      <>
        <Link to="/switches" className="font-normal text-dim hover:underline">
          Switches
        </Link>
        {' / '}
        {name}
      </>
    }
    actions={<SwitchActions name={name} />}
  >
    <Loaded query={useQuery(switchNamed(name))} rows={8} missing={<NoSuch kind="switch" name={name} />}>
      {(found) => <SwitchDetailsView found={found} />}
    </Loaded>
  </Page>
);

const SwitchDetailsView = ({ found }: { readonly found: SwitchDetails }) => {
  const { port: chosen } = route.useSearch();
  const navigate = route.useNavigate();
  const ports = found.port_list;
  const port = ports.find((each) => each.port === chosen);
  const choose = (next: string): void => void navigate({ search: { port: next }, replace: true });
  return (
    <>
      <Card>
        <Facts facts={factsOf(found)} />
        {found.fault !== null && (
          <p className="border-t border-line px-3.5 py-2.5 text-bad" role="status">
            {sentenceOf(new Error(found.fault))}
          </p>
        )}
      </Card>
      {ports.length === 0 ? (
        <Card>
          <Empty title="No port is registered">
            <Link to="/setup/ports" search={{ switch: found.name }} className="text-accent underline">
              Add ports
            </Link>
          </Empty>
        </Card>
      ) : (
        <>
          <div className="grid min-w-0 gap-2">
            <FrontPanel name={found.name} ports={ports} chosen={chosen} onChoose={choose} />
            <PanelLegend ports={ports} />
          </div>
          {port !== undefined && <PortCard on={found} port={port} />}
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
            <DataTable
              label="Ports"
              rows={ports}
              columns={columnsFor(found.name)}
              keyOf={(each) => each.port}
              minWidth={820}
            />
          </Card>
        </>
      )}
    </>
  );
};

const factsOf = (found: SwitchDetails) => ({
  Type: found.type,
  State:
    found.state === 'ok' ? (
      <Badge tone="ok">answers</Badge>
    ) : (
      <Badge tone={found.state === 'unread' ? 'plain' : 'bad'}>
        {found.state === 'unread' ? 'not read yet' : found.state}
        {found.fault_since !== null && (
          <>
            {' for '}
            <Ago at={found.fault_since} suffix="" />
          </>
        )}
      </Badge>
    ),
  Read: found.swept_at === null ? 'never' : <Ago at={found.swept_at} />,
  Configuration:
    found.unsaved_since === null ? (
      found.swept_at === null ? (
        'not known yet'
      ) : (
        'saved'
      )
    ) : (
      <span title={found.save_fault ?? undefined}>
        not saved for <Ago at={found.unsaved_since} suffix="" />
      </span>
    ),
  Policy: found.policy === 'repair' ? 'repairs drift' : 'reports drift',
  ...(found.identity === undefined ? {} : { Identity: <span className="font-mono">{found.identity}</span> }),
  ...(found.duplicate_of === null ? {} : { 'Same device as': found.duplicate_of }),
});

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
