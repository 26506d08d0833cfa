import type { CorralEvent } from '@corral/client';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { NetworkChip } from './network-chip.tsx';

/** What happened, as a sentence whose things are links. `caller` stands before it. */
export const EventSentence = ({ event }: { readonly event: CorralEvent }) => {
  const say = sentences[event.type];
  return (
    <span className="inline-flex min-w-0 flex-wrap items-center gap-x-1">
      {say === undefined ? <Plain event={event} /> : say(event)}
    </span>
  );
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

/** The words of the interface, and what it is about. */
const Plain = ({ event }: { readonly event: CorralEvent }) => (
  <>
    {event.type.replaceAll('_', ' ')} <Node event={event} /> <Network event={event} /> <Switch event={event} />{' '}
    <Headnode event={event} /> {event.user} {event.node === undefined && event.project}
  </>
);

const sentences: Readonly<Record<string, (event: CorralEvent) => ReactNode>> = {
  project_connect_node: (event) => (
    <>
      reserved <Node event={event} /> for {event.project}
    </>
  ),
  project_detach_node: (event) => (
    <>
      released <Node event={event} /> from {event.project}
    </>
  ),
  node_connect_network: (event) => (
    <>
      asked to connect <Node event={event} /> to <Network event={event} />
    </>
  ),
  node_detach_network: (event) => (
    <>
      asked to detach <Node event={event} /> from <Network event={event} />
    </>
  ),
  networking_action_done: (event) => (
    <>
      <Node event={event} /> is as asked for <Network event={event} />
    </>
  ),
  networking_action_failed: (event) => (
    <>
      a change of <Node event={event} /> failed <Network event={event} />
    </>
  ),
  node_power_on: (event) => (
    <>
      turned <Node event={event} /> on
    </>
  ),
  node_power_off: (event) => (
    <>
      turned <Node event={event} /> off
    </>
  ),
  node_power_cycle: (event) => (
    <>
      restarted <Node event={event} />
    </>
  ),
  node_enable_obm: (event) => (
    <>
      enabled OBM of <Node event={event} />
    </>
  ),
  node_disable_obm: (event) => (
    <>
      disabled OBM of <Node event={event} />
    </>
  ),
  show_console: (event) => (
    <>
      opened the console of <Node event={event} />
    </>
  ),
  headnode_create: (event) => (
    <>
      created headnode <Headnode event={event} /> for {event.project}
    </>
  ),
  headnode_start: (event) => (
    <>
      started <Headnode event={event} />
    </>
  ),
  headnode_stop: (event) => (
    <>
      stopped <Headnode event={event} />
    </>
  ),
  headnode_delete: (event) => <>deleted headnode {event.headnode}</>,
  headnode_create_hnic: (event) => (
    <>
      added hnic <Headnode event={event} />
    </>
  ),
  headnode_delete_hnic: (event) => (
    <>
      removed hnic <Headnode event={event} />
    </>
  ),
  headnode_connect_network: (event) => (
    <>
      connected <Headnode event={event} /> to <Network event={event} />
    </>
  ),
  headnode_detach_network: (event) => (
    <>
      detached <Headnode event={event} /> from its network
    </>
  ),
  switch_unreachable: (event) => (
    <>
      <Switch event={event} /> does not answer
    </>
  ),
  switch_reachable: (event) => (
    <>
      <Switch event={event} /> answers again
    </>
  ),
  port_drift: (event) => (
    <>
      <Switch event={event} /> carries something that is not recorded
    </>
  ),
  port_drift_over: (event) => (
    <>
      <Switch event={event} /> is as recorded again
    </>
  ),
  port_suspect: (event) => (
    <>
      nobody knows what <Switch event={event} /> carries
    </>
  ),
  port_repaired: (event) => (
    <>
      put <Switch event={event} /> back as recorded
    </>
  ),
  session_open: () => <>signed in</>,
  session_end: () => <>signed out</>,
};
