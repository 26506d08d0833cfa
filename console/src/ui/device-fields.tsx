import { type DeviceField, type DeviceValues, yes } from './device-schema.ts';
import { CheckField, SelectField, TextAreaField, TextField } from './field.tsx';
import type { Refusals } from './refusals.ts';

interface DeviceFieldsProps {
  readonly fields: readonly DeviceField[];
  readonly values: DeviceValues;
  readonly refusals: Refusals;
  readonly onChange: (values: DeviceValues) => void;
}

/** The fields that a type of device takes, as its driver describes them. What it can do without is folded away. */
export const DeviceFields = (props: DeviceFieldsProps) => {
  const main = props.fields.filter(({ isMain }) => isMain);
  const rest = props.fields.filter(({ isMain }) => !isMain);
  const hasRefused = rest.some(({ name }) => props.refusals.of(name) !== null);
  return (
    <>
      {main.map((field) => (
        <OneField key={field.name} field={field} {...props} />
      ))}
      {rest.length > 0 && (
        <details className="rounded-control border border-line px-3 py-2" open={hasRefused || undefined}>
          <summary className="cursor-pointer font-medium">
            Optional: {rest.map(({ label }) => label).join(', ')}
          </summary>
          <div className="mt-3 grid gap-3">
            {rest.map((field) => (
              <OneField key={field.name} field={field} {...props} />
            ))}
          </div>
        </details>
      )}
    </>
  );
};

const OneField = ({ field, values, refusals, onChange }: DeviceFieldsProps & { readonly field: DeviceField }) => {
  const { name, label, about, need, kind, isSecret, choices } = field;
  const value = values[name] ?? '';
  const change = (next: string): void => onChange({ ...values, [name]: next });
  const noted = { label, about, error: refusals.of(name) };
  const common = { ...noted, need };
  if (kind === 'yes or no')
    return (
      <CheckField {...noted} checked={value === yes} onChange={(event) => change(event.target.checked ? yes : '')} />
    );
  if (kind === 'choice')
    return (
      <SelectField {...common} value={value} onChange={(event) => change(event.target.value)}>
        <option value="">as usual</option>
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </SelectField>
    );
  if (kind === 'lines')
    return (
      <TextAreaField
        {...common}
        rows={4}
        isSecret={isSecret}
        value={value}
        onChange={(event) => change(event.target.value)}
      />
    );
  return (
    <TextField
      {...common}
      type={isSecret ? 'password' : 'text'}
      autoComplete={isSecret ? 'new-password' : 'off'}
      spellCheck={false}
      inputMode={kind === 'number' ? 'numeric' : undefined}
      value={value}
      onChange={(event) => change(event.target.value)}
    />
  );
};
