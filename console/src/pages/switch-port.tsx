import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { corral, type PortOverview, type Reading, type SwitchDetails } from '../api/client.ts';
import { Ago } from '../ui/ago.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Carried } from '../ui/carried.tsx';
import { Command } from '../ui/command.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { portState } from '../ui/front-panel.tsx';
import { NetworkChip } from '../ui/network-chip.tsx';
import { sentenceOf } from '../ui/states.tsx';
import { ReadNow } from './switch-actions.tsx';
import { DeletePort } from './switch-registration.tsx';

const tones: Readonly<Record<PortOverview['state'], Tone>> = {
  ok: 'ok',
  drift: 'warn',
  suspect: 'bad',
  unread: 'plain',
  'in doubt': 'warn',
};

/** One port: what is recorded, what was seen, and what mends the difference. */
export const PortCard = ({ on, port }: { readonly on: SwitchDetails; readonly port: PortOverview }) => (
  <Card
    title={
      <>
        Port <span className="font-mono">{port.port}</span>
      </>
    }
    actions={
      <Badge tone={port.pending ? 'accent' : port.registered ? tones[port.state] : 'plain'}>
        {portState(port)}
        {port.since !== null && (
          <>
            {' since '}
            <Ago at={port.since} suffix="" />
          </>
        )}
      </Badge>
    }
  >
    <div className="grid sm:grid-cols-2 sm:divide-x sm:divide-line">
      <Side
        title={
          <>
            Recorded
            {port.node !== null && (
              <>
                {' · '}
                <Link to="/nodes/$node" params={{ node: port.node }} className="text-accent underline">
                  {port.node}
                </Link>{' '}
                {port.nic}
                {port.project !== null && `, project ${port.project}`}
              </>
            )}
          </>
        }
        reading={port.recorded}
        isKnown={port.registered}
        unknown="Nobody registered this port."
      />
      <Side
        title={
          <>
            Seen on the switch
            {port.read_at !== null && (
              <>
                {' · '}
                <Ago at={port.read_at} />
              </>
            )}
          </>
        }
        reading={port.seen}
        isKnown={port.seen !== null}
        unknown={port.absent ? 'The switch has no such port.' : 'It has not been read yet.'}
      />
    </div>
    {port.why !== null && <p className="border-t border-line px-3.5 py-2.5">{sentenceOf(new Error(port.why))}</p>}
    {port.pending !== null && <PendingLine pending={port.pending} />}
    {port.registered && port.node !== null && <Revert on={on} port={port} />}
    {port.registered && port.node === null && (
      <div className="flex flex-wrap items-center gap-2 border-t border-line p-3">
        {port.state === 'unread' && <ReadNow name={on.name} label="Read the switch now" />}
        <DeletePort on={on.name} port={port} />
      </div>
    )}
  </Card>
);

const Side = ({
  title,
  reading,
  isKnown,
  unknown,
}: {
  readonly title: ReactNode;
  readonly reading: Reading | null;
  readonly isKnown: boolean;
  readonly unknown: string;
}) => (
  <div className="grid content-start gap-1.5 p-3.5">
    <p className="text-dim">{title}</p>
    {!isKnown || reading === null ? <p>{isKnown ? 'No network.' : unknown}</p> : <Carried reading={reading} />}
  </div>
);

const PendingLine = ({ pending }: { readonly pending: NonNullable<PortOverview['pending']> }) => (
  <p className="flex flex-wrap items-center gap-1.5 border-t border-line px-3.5 py-2.5">
    {pending.network === null ? 'is being emptied' : 'gets'}
    {pending.network !== null && <NetworkChip network={pending.network} channel={pending.channel} />}
    <span className="text-dim">
      asked for <Ago at={pending.since} />
      {pending.attempts > 1 && `, attempt ${pending.attempts}`}
    </span>
  </p>
);

/** Takes every network off the port: the one way to a known state that needs nobody at the switch. */
const Revert = ({ on, port }: { readonly on: SwitchDetails; readonly port: PortOverview }) => {
  const [isAsking, setAsking] = useState(false);
  const revert = useMutation({
    mutationFn: () => corral.portRevert({ switch: on.name, port: port.port }),
    onSuccess: () => setAsking(false),
  });
  const networks = Object.values(port.networks);
  const command = `corral port revert ${on.name} ${port.port}`;
  const isEmpty = networks.length === 0;
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line p-3">
      {port.state === 'unread' && <ReadNow name={on.name} label="Read the switch now" />}
      <Button
        look={port.state === 'ok' || port.state === 'unread' ? 'plain' : 'primary'}
        unless={port.pending === null ? null : 'A change of this port is under way; wait for it'}
        onClick={() => (isEmpty ? revert.mutate() : setAsking(true))}
        isBusy={revert.isPending}
      >
        {isEmpty ? 'Put it back as recorded' : 'Take everything off it…'}
      </Button>
      <Link
        to="/events"
        search={{ switch: on.name }}
        className="inline-flex h-8 items-center rounded-control border border-line px-3 font-medium hover:bg-sunken"
      >
        Show history
      </Link>
      <Command text={command} />
      {revert.error !== null && (
        <p role="alert" className="w-full text-bad">
          {sentenceOf(revert.error)}
        </p>
      )}
      <Dialog title={`Take everything off ${port.port}?`} isOpen={isAsking} onClose={() => setAsking(false)}>
        <p className="mb-4">
          {port.node} {port.nic} is detached from {networks.join(', ')}, on record and on the switch. Any other VLAN on
          the port is taken away too.
        </p>
        <div className="flex flex-wrap gap-2">
          <Button look="danger" isBusy={revert.isPending} onClick={() => revert.mutate()}>
            Detach it from {networks.length === 1 ? networks[0] : `${networks.length} networks`}
          </Button>
          <Command text={command} />
        </div>
      </Dialog>
    </div>
  );
};
