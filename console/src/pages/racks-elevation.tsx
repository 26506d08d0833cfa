import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { type Mounted, type RackLayout, unitsIn } from '../ui/rack-layout.ts';
import type { NodeRow } from './nodes-search.ts';
import { type ColouredBy, Swatch, wordOf } from './racks-colour.tsx';

const unitPx = 18;

/** What there is to say about a node in its place. */
export const sentenceOf = ({ item, rack, unit, height, lanes }: Mounted<NodeRow>): string =>
  [
    `${item.name}: rack ${rack}, ${unitsIn({ unit, height })}`,
    item.node?.project === undefined || item.node.project === null
      ? wordOf(item, 'state')
      : `project ${item.node.project}, ${wordOf(item, 'state')}`,
    ...(lanes > 1 ? ['others claim the same units'] : []),
  ].join('; ');

/** One rack from the front, the highest unit on top. */
export const RackElevation = memo(
  ({
    rack: { name, units, mounted },
    by,
    current,
  }: {
    readonly rack: RackLayout<NodeRow>;
    readonly by: ColouredBy;
    /** The node that the tabulator key leads to, if it is in this rack. */
    readonly current: string | null;
  }) => {
    const overlaps = mounted.filter(({ lanes }) => lanes > 1).length;
    return (
      <section
        aria-label={`Rack ${name}`}
        className="w-72 shrink-0 rounded-card border border-line bg-panel p-3 [content-visibility:auto]"
        style={{ containIntrinsicSize: `288px ${units * unitPx + 60}px` }}
      >
        <h2 className="mb-2 flex items-baseline justify-between gap-2">
          <span className="truncate font-semibold" title={name}>
            {name}
          </span>
          <span className="text-fine text-dim">
            {mounted.length} nodes in {units} units
          </span>
        </h2>
        {overlaps > 0 && (
          <p className="mb-2 text-fine font-medium text-warn">! {overlaps} nodes claim units of one another</p>
        )}
        <div className="grid grid-cols-[1.75rem_1fr] rounded-control border border-line bg-sunken">
          <div aria-hidden className="border-r border-line text-right font-mono text-[10px] text-dim">
            {Array.from({ length: units }, (_, index) => (
              <div key={index} className="pr-1" style={{ height: unitPx, lineHeight: `${unitPx}px` }}>
                {units - index}
              </div>
            ))}
          </div>
          <ul data-rack className="relative" style={{ height: units * unitPx }}>
            {mounted.map((each) => (
              <Slot key={each.item.name} each={each} units={units} by={by} isReachable={each.item.name === current} />
            ))}
          </ul>
        </div>
      </section>
    );
  },
);
RackElevation.displayName = 'RackElevation';

const Slot = ({
  each,
  units,
  by,
  isReachable,
}: {
  readonly each: Mounted<NodeRow>;
  readonly units: number;
  readonly by: ColouredBy;
  readonly isReachable: boolean;
}) => {
  const { item, unit, height, lane, lanes } = each;
  const word = wordOf(item, by);
  return (
    <li
      className="absolute p-px"
      style={{
        top: (units - (unit + height - 1)) * unitPx,
        height: height * unitPx,
        left: `${(lane / lanes) * 100}%`,
        width: `${100 / lanes}%`,
      }}
    >
      <Link
        to="/nodes/$node"
        params={{ node: item.name }}
        preload={false}
        data-node={item.name}
        tabIndex={isReachable ? 0 : -1}
        aria-label={sentenceOf(each)}
        className={`flex h-full items-center gap-1.5 overflow-hidden rounded-[3px] border bg-panel pr-1.5 text-[11px] leading-none text-text hover:border-text ${lanes > 1 ? 'border-warn' : 'border-line-strong'}`}
      >
        <Swatch row={item} by={by} />
        {/* Drawn for those who see: the name of the link says all of it. */}
        <span aria-hidden className="truncate font-mono">
          {lanes > 1 && <b className="text-warn">! </b>}
          {item.name}
        </span>
        {lanes === 1 && (
          <span aria-hidden className="ml-auto max-w-[45%] shrink-0 truncate text-dim">
            {word}
          </span>
        )}
      </Link>
    </li>
  );
};
