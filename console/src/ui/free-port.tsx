import { useQuery } from '@tanstack/react-query';
import { allSwitches, switchNamed } from '../api/queries.ts';
import { ChoiceField } from './choice-field.tsx';
import { SelectField } from './field.tsx';

/** A port of a switch; empty: none. */
export interface PortPlace {
  readonly switch: string;
  readonly port: string;
}

export const noPlace: PortPlace = { switch: '', port: '' };

interface FreePortProps {
  readonly value: PortPlace;
  readonly onChange: (place: PortPlace) => void;
  /** Ports that somebody else is about to take. */
  readonly taken?: readonly PortPlace[];
  readonly error?: string | null;
  readonly isOff?: boolean;
}

/** Chooses a registered port that no nic is on: first its switch. */
export const FreePort = ({ value, onChange, taken = [], error = null, isOff = false }: FreePortProps) => {
  const switches = useQuery(allSwitches).data?.switches ?? [];
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <SelectField
        label="Switch"
        disabled={isOff}
        about={switches.length === 0 ? 'There are no switches yet.' : undefined}
        value={value.switch}
        onChange={(event) => onChange({ switch: event.target.value, port: '' })}
      >
        <option value="">not plugged in</option>
        {switches.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </SelectField>
      {value.switch !== '' && <PortOf value={value} onChange={onChange} taken={taken} error={error} isOff={isOff} />}
    </div>
  );
};

const PortOf = ({ value, onChange, taken = [], error = null, isOff = false }: FreePortProps) => {
  const found = useQuery(switchNamed(value.switch)).data;
  const isTaken = (port: string): boolean =>
    taken.some((place) => place.switch === value.switch && place.port === port);
  const free = (found?.port_list ?? [])
    .filter(({ port, registered, node }) => registered && (port === value.port || (node === null && !isTaken(port))))
    .map(({ port }) => port);
  return (
    <ChoiceField
      label="Port"
      disabled={isOff}
      about={found === undefined ? undefined : `${free.length} free`}
      options={free}
      value={value.port}
      error={error}
      onChange={(port) => onChange({ ...value, port })}
    />
  );
};
