import { Segments } from '../ui/segments.tsx';
import { eventsSearch, type EventsSearch, type Last, lengths } from './events-search.ts';

type When = 'all' | Last | 'between';

const options: readonly { readonly value: When; readonly label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'hour', label: 'Last hour' },
  { value: 'day', label: 'Last day' },
  { value: 'week', label: 'Last week' },
  { value: 'between', label: 'From … to' },
];

/** From when to when events are shown. */
export const EventsWhen = ({
  search,
  onChange,
}: {
  readonly search: EventsSearch;
  readonly onChange: (next: EventsSearch) => void;
}) => {
  const { last, from, to } = search;
  const isBetween = from !== undefined || to !== undefined;
  const change = (next: Readonly<Record<string, string>>): void => onChange(eventsSearch({ ...search, ...next }));
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line p-3">
      <Segments
        label="When"
        value={last ?? (isBetween ? 'between' : 'all')}
        options={options}
        onChange={(when) => change({ last: when, from: when === 'between' ? yesterday() : '', to: '' })}
      />
      {isBetween && (
        <>
          <TimeInput label="From" value={from} onChange={(time) => change({ from: time })} />
          <TimeInput label="To" value={to} onChange={(time) => change({ to: time })} />
        </>
      )}
    </div>
  );
};

/** A time of this browser's clock, or ''; in the address it is everybody's. Until it is whole, nothing changes. */
const TimeInput = ({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (time: string) => void;
}) => (
  <label className="flex items-center gap-2">
    <span className="text-dim">{label}</span>
    <input
      type="datetime-local"
      defaultValue={value === undefined ? '' : localTime(new Date(value))}
      onChange={({ target }) => {
        if (target.value !== '') onChange(new Date(target.value).toISOString());
      }}
      onBlur={({ target }) => {
        if (target.value === '') onChange('');
      }}
      className="h-8 rounded-control border border-line bg-panel px-2.5"
    />
  </label>
);

/** As the field has it: without the zone, to the minute. */
const localTime = (time: Date): string =>
  new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** Where somebody begins who has not said from when on. */
const yesterday = (): string => new Date(Date.now() - lengths.day).toISOString();
