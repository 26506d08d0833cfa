import { useState } from 'react';
import { useMe } from '../api/use-me.ts';
import { TextField } from '../ui/field.tsx';
import { type FilterFields, filterNames, filterOf } from './subscriptions-request.ts';

/** Which events a subscription is for. */
export const WhichEvents = ({
  value,
  onChange,
}: {
  readonly value: FilterFields;
  readonly onChange: (value: FilterFields) => void;
}) => {
  const { admin } = useMe();
  const [isOpen, setOpen] = useState(() => Object.keys(filterOf(value)).length > 0);
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="rounded-control border border-line px-2.5 py-2"
    >
      <summary className="cursor-pointer font-medium">Only some events</summary>
      <div className="grid gap-2 pt-3">
        <TextField
          label="Types"
          about="Such as node_released, node_quarantined. Empty: all."
          autoComplete="off"
          value={value.types}
          onChange={({ target }) => onChange({ ...value, types: target.value })}
        />
        <div className="grid gap-x-3 gap-y-1 sm:grid-cols-2">
          {filterNames(admin).map((name) => (
            <TextField
              key={name}
              label={name === 'caller' ? 'Done by' : `About ${name}`}
              autoComplete="off"
              value={value.only[name] ?? ''}
              onChange={({ target }) => onChange({ ...value, only: { ...value.only, [name]: target.value } })}
            />
          ))}
        </div>
      </div>
    </details>
  );
};
