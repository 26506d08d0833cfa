import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type KeyboardEvent, useMemo, useState } from 'react';
import { allNodes, type AllNodes } from '../api/queries.ts';
import { Card } from '../ui/card.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { layoutRacks, type Mounted, type Place, placeOf, type RackLayout } from '../ui/rack-layout.ts';
import { Segments } from '../ui/segments.tsx';
import { Empty } from '../ui/states.tsx';
import { useRows } from './nodes-rows.ts';
import type { NodeRow } from './nodes-search.ts';
import { type ColouredBy, RackLegend } from './racks-colour.tsx';
import { RackElevation, sentenceOf } from './racks-elevation.tsx';

const route = getRouteApi('/frame/racks');

/** Where the nodes are: racks from the front, as metadata says. */
export const RacksPage = () => (
  <Page title="Racks">
    <Loaded query={useQuery(allNodes)} rows={12}>
      {(all) => <Racks all={all} />}
    </Loaded>
  </Page>
);

/** A node that cannot be drawn, and why. */
interface Loose {
  readonly row: NodeRow;
  readonly why: string;
}

const usePlaces = (rows: readonly NodeRow[]): { racks: readonly RackLayout<NodeRow>[]; loose: readonly Loose[] } =>
  useMemo(() => {
    const placed: { readonly item: NodeRow; readonly place: Place }[] = [];
    const loose: Loose[] = [];
    for (const row of rows) {
      if (row.node === null) continue;
      const place = placeOf(row.node.metadata);
      if ('why' in place) loose.push({ row, why: place.why });
      else placed.push({ item: row, place });
    }
    return { racks: layoutRacks(placed), loose };
  }, [rows]);

const Racks = ({ all }: { readonly all: AllNodes }) => {
  const { by = 'project' } = route.useSearch();
  const navigate = route.useNavigate();
  const rows = useRows(all);
  const { racks, loose } = usePlaces(rows);
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <Segments<ColouredBy>
          label="Colours"
          value={by}
          options={[
            { value: 'project', label: 'By project' },
            { value: 'state', label: 'By state' },
          ]}
          onChange={(next) => void navigate({ search: next === 'state' ? { by: next } : {}, replace: true })}
        />
        <RackLegend rows={racks.flatMap(({ mounted }) => mounted.map(({ item }) => item))} by={by} />
      </div>
      {racks.length === 0 ? (
        <Card>
          <Empty title="No node says where it is">
            An administrator tells it with <code className="font-mono">corral node metadata add NODE rack r1</code> and{' '}
            <code className="font-mono">corral node metadata add NODE unit 12</code>.
          </Empty>
        </Card>
      ) : (
        <Elevations racks={racks} by={by} />
      )}
      {loose.length > 0 && <LooseNodes loose={loose} />}
      {all.others.length > 0 && (
        <p className="text-dim">{all.others.length} nodes are in projects of others; where they are is not shown.</p>
      )}
    </>
  );
};

const nodeAt = (target: EventTarget): string | undefined =>
  target instanceof Element ? target.closest<HTMLElement>('[data-node]')?.dataset['node'] : undefined;

/** All racks side by side. Arrow keys walk from node to node; the line above says what is pointed at. */
const Elevations = ({ racks, by }: { readonly racks: readonly RackLayout<NodeRow>[]; readonly by: ColouredBy }) => {
  const everyone = useMemo(
    () => new Map(racks.flatMap(({ mounted }) => mounted.map((each) => [each.item.name, each]))),
    [racks],
  );
  const [hovered, setHovered] = useState<string | null>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const [walked, setWalked] = useState<string | null>(null);
  const current = everyone.get(walked ?? '') ?? racks[0]?.mounted[0];
  const walk = (event: KeyboardEvent): void => {
    const from = everyone.get(nodeAt(event.target) ?? '');
    const next = from && neighbourOf(racks, from, event.key);
    if (next === undefined) return;
    event.preventDefault();
    setWalked(next.item.name);
    document.querySelector<HTMLElement>(`[data-node="${CSS.escape(next.item.name)}"]`)?.focus();
  };
  const told = everyone.get(hovered ?? focused ?? '');
  return (
    <Card>
      <p role="status" className="border-b border-line px-3.5 py-2 text-dim">
        {told === undefined ? 'Point at a node, or walk with the arrow keys.' : sentenceOf(told)}
      </p>
      <div
        className="flex gap-4 overflow-x-auto p-3.5"
        onMouseOver={({ target }) => setHovered(nodeAt(target) ?? null)}
        onMouseLeave={() => setHovered(null)}
        onFocus={({ target }) => {
          setFocused(nodeAt(target) ?? null);
          setWalked(nodeAt(target) ?? null);
        }}
        onBlur={() => setFocused(null)}
        onKeyDown={walk}
      >
        {racks.map((rack) => (
          <RackElevation
            key={rack.name}
            rack={rack}
            by={by}
            current={current?.rack === rack.name ? current.item.name : null}
          />
        ))}
      </div>
    </Card>
  );
};

/** Up and down within a rack, left and right to the nearest unit of the next rack. */
const neighbourOf = (
  racks: readonly RackLayout<NodeRow>[],
  from: Mounted<NodeRow>,
  key: string,
): Mounted<NodeRow> | undefined => {
  const at = racks.findIndex(({ name }) => name === from.rack);
  const beside = { ArrowLeft: racks[at - 1], ArrowRight: racks[at + 1] }[key];
  if (beside !== undefined) return nearest(beside.mounted, from.unit);
  const own = racks[at]?.mounted ?? [];
  const step = { ArrowUp: -1, ArrowDown: 1 }[key];
  return step === undefined ? undefined : own[own.indexOf(from) + step];
};

const nearest = (mounted: readonly Mounted<NodeRow>[], unit: number): Mounted<NodeRow> | undefined =>
  [...mounted].sort((a, b) => Math.abs(a.unit - unit) - Math.abs(b.unit - unit))[0];

const mostLoose = 100;

const LooseNodes = ({ loose }: { readonly loose: readonly Loose[] }) => (
  <Card title={`Not in a rack (${loose.length})`}>
    <ul aria-label="Nodes that are not in a rack">
      {loose.slice(0, mostLoose).map(({ row, why }) => (
        <li
          key={row.name}
          className="grid grid-cols-[minmax(7rem,1fr)_3fr] gap-3 border-b border-line px-3.5 py-1.5 last:border-b-0"
        >
          <Link
            to="/nodes/$node"
            params={{ node: row.name }}
            className="truncate font-mono text-accent hover:underline"
          >
            {row.name}
          </Link>
          <span className="text-dim">{why}</span>
        </li>
      ))}
      {loose.length > mostLoose && <li className="px-3.5 py-1.5 text-dim">and {loose.length - mostLoose} more</li>}
    </ul>
  </Card>
);
