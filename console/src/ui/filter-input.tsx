import { Search } from 'lucide-react';

/** Narrows a list while one types. */
export const FilterInput = ({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) => (
  <div className="relative w-full max-w-64">
    <Search size={14} aria-hidden className="pointer-events-none absolute top-2.25 left-2.5 text-dim" />
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className="h-8 w-full rounded-control border border-line bg-panel pr-2.5 pl-8 placeholder:text-dim"
    />
  </div>
);
