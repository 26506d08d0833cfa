import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { SwitchDetails } from '../api/client.ts';
import { switchNamed } from '../api/queries.ts';
import { Ago } from '../ui/ago.tsx';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Facts } from '../ui/facts.tsx';
import { ForAdministrators } from '../ui/for-administrators.tsx';
import { FrontPanel, PanelLegend } from '../ui/front-panel.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { NoSuch } from '../ui/no-such.tsx';
import { Page } from '../ui/page.tsx';
import { Empty, sentenceOf } from '../ui/states.tsx';
import { SwitchActions } from './switch-actions.tsx';
import { PortCard } from './switch-port.tsx';
import { SwitchPorts } from './switch-ports.tsx';

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
          <SwitchPorts key={found.name} found={found} />
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
