import type { ComponentProps } from 'react';
import { SelectField } from './field.tsx';

/** What can be chosen: its value, and how it is shown if not by that. */
type Choice = string | { readonly value: string; readonly label: string };

interface ChoiceFieldProps extends Omit<ComponentProps<typeof SelectField>, 'value' | 'onChange' | 'children'> {
  readonly options: readonly Choice[];
  /** Empty: none yet. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const valueOf = (choice: Choice): string => (typeof choice === 'string' ? choice : choice.value);

/** One of several. None is chosen before the person does; one that is no longer offered is shown as what it was. */
export const ChoiceField = ({ options, value, onChange, ...field }: ChoiceFieldProps) => (
  <SelectField {...field} value={value} onChange={({ target }) => onChange(target.value)}>
    {!options.some((each) => valueOf(each) === value) && (
      <option value={value}>{value === '' ? 'Choose…' : value}</option>
    )}
    {options.map((each) => (
      <option key={valueOf(each)} value={valueOf(each)}>
        {typeof each === 'string' ? each : each.label}
      </option>
    ))}
  </SelectField>
);

/** What is chosen without a question: the only one there is. */
export const onlyOne = (names: readonly string[]): string => (names.length === 1 ? (names[0] ?? '') : '');
