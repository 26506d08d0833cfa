import { type KeyboardEvent, useRef } from 'react';
import type { PortOverview } from '../api/client.ts';
import { fillOf } from './network-colour.ts';

/** Sockets stand in groups of twelve, odd above even, as on most devices. */
const perGroup = 12;

/** What a port carries on record, untagged first. */
const networksOn = ({ networks }: PortOverview): readonly string[] =>
  Object.entries(networks)
    .sort(([a], [b]) => Number(b === 'vlan/native') - Number(a === 'vlan/native') || (a < b ? -1 : 1))
    .map(([, network]) => network);

/** The last number of a port's name, or its end: the panel says where it is. */
const shortOf = (port: string): string => /(\d+)\D*$/.exec(port)?.[1]?.replace(/^0+(?=\d)/, '') ?? port.slice(-3);

const signs: Readonly<Record<PortOverview['state'], string>> = {
  ok: '',
  drift: '!',
  suspect: '×',
  unread: '?',
  'in doubt': '…',
};

/** A port in a sentence, for hover and screen readers. */
const sentenceOf = (port: PortOverview): string => {
  const on = port.node === null ? 'nothing is plugged in' : `${port.node} ${port.nic ?? ''}`;
  const networks = networksOn(port);
  const state = port.pending ? 'changing' : port.registered ? { ...states, ok: '' }[port.state] : 'not registered';
  return [`${port.port}: ${on}`, networks.length === 0 ? 'no network' : networks.join(', '), state]
    .filter((part) => part !== '')
    .join('; ');
};

const states: Readonly<Record<PortOverview['state'], string>> = {
  ok: 'as recorded',
  drift: 'drift',
  suspect: 'suspect',
  unread: 'not read yet',
  'in doubt': 'in doubt',
};

const looks: Readonly<Record<PortOverview['state'], string>> = {
  ok: 'border-chassis-line',
  drift: 'border-drift-ring ring-1 ring-drift-ring',
  suspect: 'border-suspect-ring ring-1 ring-suspect-ring',
  unread: 'border-dashed border-chassis-text',
  'in doubt': 'border-dashed border-drift-ring',
};

interface FrontPanelProps {
  readonly name: string;
  readonly ports: readonly PortOverview[];
  readonly chosen: string | undefined;
  readonly onChoose: (port: string) => void;
}

/** The sockets of a switch, coloured by network. Arrow keys move between them. */
export const FrontPanel = ({ name, ports, chosen, onChoose }: FrontPanelProps) => {
  const panel = useRef<HTMLDivElement>(null);
  const current = ports.some(({ port }) => port === chosen) ? chosen : ports[0]?.port;
  const move = (event: KeyboardEvent, index: number): void => {
    const step = {
      ArrowRight: 2,
      ArrowLeft: -2,
      ArrowDown: 1,
      ArrowUp: -1,
      Home: -index,
      End: ports.length - 1 - index,
    }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = ports[Math.min(Math.max(index + step, 0), ports.length - 1)];
    if (next === undefined) return;
    onChoose(next.port);
    panel.current?.querySelector<HTMLElement>(`[data-port="${CSS.escape(next.port)}"]`)?.focus();
  };
  const groups = Array.from({ length: Math.ceil(ports.length / perGroup) }, (_, group) =>
    ports.slice(group * perGroup, (group + 1) * perGroup),
  );
  return (
    <div className="overflow-x-auto rounded-card bg-chassis p-4 text-chassis-text">
      <div ref={panel} role="group" aria-label={`Ports of ${name}`} className="flex w-max gap-6">
        <div className="w-24 self-center overflow-hidden font-mono text-fine">
          <p className="truncate font-bold" title={name}>
            {name}
          </p>
          <p className="opacity-75">{ports.length} ports</p>
        </div>
        {groups.map((group, at) => (
          <div key={group[0]?.port} className="grid grid-flow-col grid-rows-2 gap-1">
            {group.map((port, within) => (
              <Socket
                key={port.port}
                port={port}
                isChosen={port.port === chosen}
                isReachable={port.port === current}
                onChoose={() => onChoose(port.port)}
                onKeyDown={(event) => move(event, at * perGroup + within)}
              />
            ))}
          </div>
        ))}
      </div>
    </div>
  );
};

const Socket = ({
  port,
  isChosen,
  isReachable,
  onChoose,
  onKeyDown,
}: {
  readonly port: PortOverview;
  readonly isChosen: boolean;
  readonly isReachable: boolean;
  readonly onChoose: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}) => (
  <button
    type="button"
    data-port={port.port}
    aria-label={sentenceOf(port)}
    aria-pressed={isChosen}
    title={sentenceOf(port)}
    tabIndex={isReachable ? 0 : -1}
    onClick={onChoose}
    onKeyDown={onKeyDown}
    className={`relative grid h-9 w-8 grid-rows-[1fr_auto] overflow-hidden rounded-[4px] border bg-socket focus-visible:outline-chassis-text aria-pressed:outline-2 aria-pressed:outline-offset-1 aria-pressed:outline-chassis-text ${port.registered ? looks[port.state] : 'border-chassis-line'}`}
  >
    <Fill port={port} />
    {/* Drawn by the style: it is the end of the port's name, which is read out whole. */}
    <span
      aria-hidden
      data-short={shortOf(port.port)}
      className="bg-chassis/70 font-mono text-[10px] leading-[13px] before:content-[attr(data-short)]"
    />
    {port.registered && signs[port.state] !== '' && (
      <span
        aria-hidden
        className="absolute top-0 right-0.5 rounded-[2px] bg-chassis/80 px-0.5 text-[11px] leading-[13px] font-bold"
      >
        {signs[port.state]}
      </span>
    )}
  </button>
);

const stripes = 'repeating-linear-gradient(45deg, rgb(255 255 255 / 55%) 0 5px, transparent 5px 10px) 0 0 / 14px 14px';
const hatch = 'repeating-linear-gradient(45deg, var(--chassis-line) 0 2px, transparent 2px 6px)';

const Fill = ({ port }: { readonly port: PortOverview }) => {
  if (!port.registered) return <span aria-hidden style={{ background: hatch }} />;
  const networks = networksOn(port);
  const coming = port.pending?.network ?? null;
  return (
    <span aria-hidden className="relative flex min-h-0">
      {(networks.length === 0 && coming !== null ? [coming] : networks).map((network) => (
        <span key={network} className="flex-1" style={{ background: fillOf(network) }} />
      ))}
      {port.pending !== null && <span className="absolute inset-0 animate-changing" style={{ background: stripes }} />}
    </span>
  );
};

/** What the looks of the sockets mean. */
export const PanelLegend = ({ ports }: { readonly ports: readonly PortOverview[] }) => {
  const networks = [...new Set(ports.flatMap(networksOn))].sort();
  return (
    <ul className="flex flex-wrap items-center gap-x-4 gap-y-1 text-fine text-dim" aria-label="Legend">
      {networks.map((network) => (
        <li key={network} className="flex items-center gap-1.5">
          <span aria-hidden className="size-2.5 rounded-[2px]" style={{ background: fillOf(network) }} />
          {network}
        </li>
      ))}
      <li>▨ changing</li>
      <li className="text-warn">! drift</li>
      <li className="text-bad">× suspect</li>
      <li>? not read yet</li>
      <li>… in doubt</li>
      <li>▧ not registered</li>
    </ul>
  );
};

/** How a port is, in a word. */
export const portState = (port: PortOverview): string =>
  port.pending !== null ? 'changing' : port.registered ? states[port.state] : 'not registered';
