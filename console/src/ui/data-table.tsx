import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp, ChevronDown, ChevronRight } from 'lucide-react';
import { type ReactNode, useMemo, useRef } from 'react';
import { naturalOrder } from './natural-order.ts';
import { type Grouping, type Line, linesOf } from './table-lines.ts';
import { usePrinting } from './use-printing.ts';

/** A column of a table. */
export interface Column<T> {
  readonly name: string;
  readonly heading: string;
  /** Its heading is only read out: what is in its cells says enough to those who see them. */
  readonly hidesHeading?: boolean;
  /** In CSS; what is left over is shared by those that have none. */
  readonly width?: string;
  readonly cell: (row: T) => ReactNode;
  /** By what it is sorted; without it, it is not. */
  readonly sortsBy?: (row: T) => string | number;
}

/** A column's name; with `-` before it the other way round. */
export type Sort = string;

const rowHeight = 36;
/** Fewer rows than this are drawn all at once. */
const mostDrawn = 100;

export const sorted = <T,>(rows: readonly T[], columns: readonly Column<T>[], sort: Sort): readonly T[] => {
  const isDescending = sort.startsWith('-');
  const by = columns.find(({ name }) => name === sort.replace(/^-/, ''))?.sortsBy;
  if (by === undefined) return rows;
  const keyed = rows.map((row) => ({ row, key: by(row) }));
  keyed.sort((a, b) => {
    const order =
      typeof a.key === 'number' && typeof b.key === 'number'
        ? a.key - b.key
        : naturalOrder(String(a.key), String(b.key));
    return isDescending ? -order : order;
  });
  return keyed.map(({ row }) => row);
};

interface DataTableProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  readonly sort?: Sort;
  readonly onSort?: (sort: Sort) => void;
  /** What is chosen, if rows can be. */
  readonly chosen?: ReadonlySet<string>;
  readonly onChoose?: (chosen: ReadonlySet<string>) => void;
  readonly minWidth?: number;
  readonly grouping?: Grouping<T> | undefined;
}

/** A table that draws only what is seen of it: 10,000 rows scroll like ten. On paper it is whole. */
export const DataTable = <T,>(props: DataTableProps<T>) => {
  const { label, rows, columns, keyOf, chosen, onChoose, grouping, minWidth = 640 } = props;
  const lines = useMemo(() => linesOf(rows, grouping), [rows, grouping]);
  const scroller = useRef<HTMLDivElement>(null);
  const isPrinting = usePrinting();
  const isVirtual = lines.length > mostDrawn && !isPrinting;
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    enabled: isVirtual,
  });
  const drawn = isVirtual
    ? virtual.getVirtualItems().flatMap(({ index }) => {
        const line = lines[index];
        return line === undefined ? [] : [{ line, index }];
      })
    : lines.map((line, index) => ({ line, index }));
  const before = isVirtual ? (virtual.getVirtualItems()[0]?.start ?? 0) : 0;
  const after = isVirtual ? virtual.getTotalSize() - (virtual.getVirtualItems().at(-1)?.end ?? 0) : 0;
  const all = onChoose === undefined ? [] : rows.map(keyOf);
  return (
    <div
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label={label}
      className={`edge-shade relative overflow-auto ${isVirtual ? 'h-[calc(100dvh-15rem)] min-h-72' : ''}`}
    >
      <table
        aria-rowcount={lines.length + 1}
        aria-label={label}
        className="w-full table-fixed border-separate border-spacing-0"
        style={isPrinting ? undefined : { minWidth }}
      >
        <colgroup>
          {chosen && <col style={{ width: 40 }} />}
          {columns.map(({ name, width }) => (
            <col key={name} style={width === undefined ? undefined : { width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {chosen && onChoose && (
              <th scope="col" className={headLook}>
                <input
                  type="checkbox"
                  aria-label="Choose all"
                  checked={all.length > 0 && all.every((key) => chosen.has(key))}
                  onChange={(event) => onChoose(event.target.checked ? new Set(all) : new Set())}
                />
              </th>
            )}
            {columns.map((column) => (
              <Heading key={column.name} column={column} {...props} />
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <tr aria-hidden style={{ height: before }} />}
          {drawn.map(({ line, index }) =>
            line.kind === 'row' ? (
              <Row key={keyOf(line.row)} row={line.row} index={index} {...props} />
            ) : (
              <GroupRow key={`group ${line.group}`} line={line} index={index} {...props} />
            ),
          )}
          {after > 0 && <tr aria-hidden style={{ height: after }} />}
        </tbody>
      </table>
    </div>
  );
};

const headLook =
  'sticky top-0 z-[1] h-8 border-b border-line bg-panel px-3.5 text-left text-fine font-medium text-dim whitespace-nowrap';

const Heading = <T,>({ column, sort = '', onSort }: { readonly column: Column<T> } & DataTableProps<T>) => {
  const { name, heading, hidesHeading, sortsBy } = column;
  if (sortsBy === undefined || onSort === undefined)
    return (
      <th scope="col" className={headLook}>
        {hidesHeading ? <span className="sr-only">{heading}</span> : heading}
      </th>
    );
  const isUp = sort === name;
  const isDown = sort === `-${name}`;
  return (
    <th scope="col" className={headLook} aria-sort={isUp ? 'ascending' : isDown ? 'descending' : 'none'}>
      <button
        type="button"
        className="inline-flex items-center gap-1 hover:text-text"
        onClick={() => onSort(isUp ? `-${name}` : name)}
      >
        {heading}
        {isUp && <ArrowUp size={12} aria-hidden />}
        {isDown && <ArrowDown size={12} aria-hidden />}
      </button>
    </th>
  );
};

/** The heading of a group, with how many are in it; it opens and closes them. */
const GroupRow = <T,>({
  line: { group, count },
  index,
  columns,
  chosen,
  grouping,
}: { readonly line: Extract<Line<T>, { kind: 'group' }>; readonly index: number } & DataTableProps<T>) => {
  const isOpen = grouping?.closed.has(group) === false;
  return (
    <tr aria-rowindex={index + 2} className="group bg-sunken">
      <th scope="rowgroup" colSpan={columns.length + (chosen ? 1 : 0)} className={`${cellLook} text-left font-medium`}>
        <button
          type="button"
          aria-expanded={isOpen}
          className="sticky left-3.5 inline-flex items-center gap-1.5"
          onClick={() => grouping?.onToggle(group)}
        >
          {isOpen ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
          {grouping?.headingOf(group)}
          <span className="font-normal text-dim">{count}</span>
        </button>
      </th>
    </tr>
  );
};

const cellLook = 'h-9 border-b border-line px-3.5 align-middle group-last:border-b-0';

const Row = <T,>({
  row,
  index,
  columns,
  keyOf,
  chosen,
  onChoose,
}: { readonly row: T; readonly index: number } & DataTableProps<T>) => {
  const key = keyOf(row);
  const isChosen = chosen?.has(key) ?? false;
  return (
    <tr
      aria-rowindex={index + 2}
      aria-selected={chosen === undefined ? undefined : isChosen}
      className={`group ${isChosen ? 'bg-accent-soft' : 'hover:bg-sunken'}`}
    >
      {chosen && onChoose && (
        <td className={cellLook}>
          <input
            type="checkbox"
            aria-label={`Choose ${key}`}
            checked={isChosen}
            onChange={(event) => {
              const next = new Set(chosen);
              if (event.target.checked) next.add(key);
              else next.delete(key);
              onChoose(next);
            }}
          />
        </td>
      )}
      {columns.map(({ name, cell }) => (
        <td key={name} className={cellLook}>
          <div className="flex min-w-0 items-center gap-1.5 overflow-hidden">{cell(row)}</div>
        </td>
      ))}
    </tr>
  );
};
