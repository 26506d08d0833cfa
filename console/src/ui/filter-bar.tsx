import { FilterInput } from './filter-input.tsx';
import { Segments } from './segments.tsx';

interface FilterBarProps<Row, Part extends string> {
  /** What the words that are typed are looked for in. */
  readonly label: string;
  readonly q: string;
  readonly rows: readonly Row[];
  readonly found: readonly Row[];
  /** The parts of the list, each with its name and who is in it. */
  readonly parts: {
    readonly label: string;
    readonly names: Readonly<Record<Part, string>>;
    readonly all: readonly Part[];
    readonly shown: Part;
    readonly isIn: (row: Row, part: Part) => boolean;
  };
  readonly onChange: (next: { readonly q?: string; readonly show?: Part }) => void;
}

/** Above a list: words that narrow it, its parts with how many are in each, and how many of all are shown. */
export const FilterBar = <Row, Part extends string>(props: FilterBarProps<Row, Part>) => {
  const { label, q, rows, found, parts, onChange } = props;
  return (
    <div className="flex flex-wrap items-center gap-3 border-b border-line p-3">
      <FilterInput label={label} value={q} onChange={(text) => onChange({ q: text })} />
      <Segments
        label={parts.label}
        value={parts.shown}
        options={parts.all.map((value) => ({
          value,
          label: `${parts.names[value]} ${rows.filter((row) => parts.isIn(row, value)).length}`,
        }))}
        onChange={(value) => onChange({ show: value })}
      />
      <span className="ml-auto text-fine text-dim" role="status">
        {found.length} of {rows.length}
      </span>
    </div>
  );
};
