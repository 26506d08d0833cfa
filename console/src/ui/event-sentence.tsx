import { type CorralEvent, eventSentences, forceIn } from '@corral/client';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { NetworkChip } from './network-chip.tsx';

/** What happened, as a sentence whose things are links. `caller` stands before it. */
export const EventSentence = ({ event }: { readonly event: CorralEvent }) => {
  const found = eventSentences[event.type];
  const sentence = typeof found === 'function' ? found(event.detail) : found;
  return (
    <span className="inline-flex min-w-0 flex-wrap items-center gap-x-1">
      {sentence === undefined ? <Plain event={event} /> : partsOf(sentence, event)}
      {forceIn(event.detail)}
    </span>
  );
};

/** A sentence with its things in their places. */
const partsOf = (sentence: string, event: CorralEvent): readonly ReactNode[] =>
  sentence
    .split(/\{([^}]+)\}/)
    .map((part, place) => <Fragment key={place}>{place % 2 === 0 ? part : thingOf(part, event)}</Fragment>);

const thingOf = (name: string, event: CorralEvent): ReactNode => {
  switch (name) {
    case 'node':
      return <Node event={event} />;
    case 'network':
      return <Network event={event} />;
    case 'switch':
      return <Switch event={event} />;
    case 'headnode':
      return <Headnode event={event} />;
    case 'node.name':
      return event.node;
    case 'network.name':
      return event.network;
    case 'switch.name':
      return [event.switch, event.port].filter((each) => each !== undefined).join(' ');
    case 'headnode.name':
      return event.headnode;
    case 'project':
      return event.project;
    case 'user':
      return event.user;
    default: {
      const said = event.detail[name.replace(/^detail\./, '')];
      return typeof said === 'string' || typeof said === 'number' ? said : null;
    }
  }
};

const Node = ({ event: { node, nic } }: { readonly event: CorralEvent }) =>
  node === undefined ? null : (
    <span>
      <Link to="/nodes/$node" params={{ node }} className="font-mono text-accent hover:underline">
        {node}
      </Link>
      {nic !== undefined && <span className="font-mono"> {nic}</span>}
    </span>
  );

const Network = ({ event: { network } }: { readonly event: CorralEvent }) =>
  network === undefined ? null : <NetworkChip network={network} />;

const Switch = ({ event }: { readonly event: CorralEvent }) =>
  event.switch === undefined ? null : (
    <span>
      <Link
        to="/switches/$switch"
        params={{ switch: event.switch }}
        search={event.port === undefined ? {} : { port: event.port }}
        className="font-mono text-accent hover:underline"
      >
        {event.switch}
      </Link>
      {event.port !== undefined && <span className="font-mono"> {event.port}</span>}
    </span>
  );

const Headnode = ({ event: { headnode, hnic } }: { readonly event: CorralEvent }) =>
  headnode === undefined ? null : (
    <span>
      <Link to="/headnodes/$headnode" params={{ headnode }} className="font-mono text-accent hover:underline">
        {headnode}
      </Link>
      {hnic !== undefined && <span className="font-mono"> {hnic}</span>}
    </span>
  );

/** A type that is newer than this page: the words of the interface, and what it is about. */
const Plain = ({ event }: { readonly event: CorralEvent }) => (
  <>
    {event.type.replaceAll('_', ' ')} <Node event={event} /> <Network event={event} /> <Switch event={event} />{' '}
    <Headnode event={event} /> {event.user} {event.node === undefined && event.project}
  </>
);
