import { Segments } from '../ui/segments.tsx';
import { type Past, pastOf, thisMonth, usageBy, type UsageSearch } from './usage-search.ts';

const pasts: readonly { readonly value: Past; readonly label: string }[] = [
  { value: 'month', label: 'This month' },
  { value: 'last-month', label: 'Last month' },
  { value: 'year', label: 'This year' },
  { value: 'between', label: 'From … to' },
];

const bys = usageBy.map((value) => ({ value, label: `By ${value}` }));

/** Of which time hours are shown, and by what they are added up. */
export const UsageWhen = ({
  search,
  onChange,
}: {
  readonly search: UsageSearch;
  readonly onChange: (next: UsageSearch) => void;
}) => {
  const { by = 'project', from, to } = search;
  const past = pastOf(search);
  const choose = (next: Past): void => {
    if (next === 'between') onChange({ by, from: thisMonth(Date.now()) });
    else onChange({ by, ...(next === 'month' ? {} : { past: next }) });
  };
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 p-3">
      <Segments label="When" value={past} options={pasts} onChange={choose} />
      {past === 'between' && (
        <>
          <DayInput label="From" value={from} onChange={(day) => onChange({ ...search, from: day })} />
          <DayInput label="Before" value={to} onChange={(day) => onChange({ ...search, to: day })} />
        </>
      )}
      <Segments label="Add up" value={by} options={bys} onChange={(next) => onChange({ ...search, by: next })} />
    </div>
  );
};

/** A day, in UTC as everywhere in the ledger. Until it is whole, nothing changes. */
const DayInput = ({
  label,
  value = '',
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (day: string) => void;
}) => (
  <label className="flex items-center gap-2">
    <span className="text-dim">{label}</span>
    <input
      type="date"
      defaultValue={value}
      onChange={({ target }) => {
        if (target.value !== '') onChange(target.value);
      }}
      className="h-8 rounded-control border border-line bg-panel px-2.5"
    />
  </label>
);
