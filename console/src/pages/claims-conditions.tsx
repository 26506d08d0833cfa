import { Button } from '../ui/button.tsx';
import { ChoiceField } from '../ui/choice-field.tsx';
import { TextField } from '../ui/field.tsx';
import {
  type ConditionRow,
  keyMistake,
  type Operator,
  operatorNames,
  operators,
  valueMistake,
} from './claims-request.ts';

interface ConditionsProps {
  readonly rows: readonly ConditionRow[];
  /** Labels of metadata that nodes have. */
  readonly labels: readonly string[];
  readonly onChange: (rows: readonly ConditionRow[]) => void;
}

const choices = operatorNames.map((name) => ({ value: name, label: operators[name].words }));

/** What the metadata of every node has to say, a row each. */
export const Conditions = ({ rows, labels, onChange }: ConditionsProps) => (
  <fieldset className="grid gap-2">
    <legend className="pb-1 font-medium">Metadata</legend>
    {rows.length === 0 && <p className="text-dim">Nodes with any metadata.</p>}
    {rows.map((row, index) => (
      <Condition
        key={row.id}
        row={row}
        place={index + 1}
        onChange={(next) => onChange(rows.map((each) => (each.id === row.id ? next : each)))}
        onRemove={() => onChange(rows.filter(({ id }) => id !== row.id))}
      />
    ))}
    <div>
      <Button onClick={() => onChange([...rows, newRow(rows)])}>Add a condition</Button>
    </div>
    <datalist id="claim-labels">
      {labels.map((label) => (
        <option key={label} value={label} />
      ))}
    </datalist>
  </fieldset>
);

const newRow = (rows: readonly ConditionRow[]): ConditionRow => ({
  id: Math.max(0, ...rows.map(({ id }) => id)) + 1,
  key: '',
  operator: 'equals',
  value: '',
});

const Condition = ({
  row,
  place,
  onChange,
  onRemove,
}: {
  readonly row: ConditionRow;
  readonly place: number;
  readonly onChange: (row: ConditionRow) => void;
  readonly onRemove: () => void;
}) => (
  <div
    role="group"
    aria-label={`Condition ${place}`}
    className="grid grid-cols-2 items-start gap-x-2 gap-y-1 max-sm:rounded-control max-sm:border max-sm:border-line max-sm:p-2.5 sm:grid-cols-[1fr_9rem_1fr_auto]"
  >
    <div className="max-sm:col-span-2">
      <TextField
        label="Label"
        list="claim-labels"
        autoComplete="off"
        autoFocus
        value={row.key}
        mistake={keyMistake(row)}
        onChange={({ target }) => onChange({ ...row, key: target.value })}
      />
    </div>
    <ChoiceField
      label="Compared"
      options={choices}
      value={row.operator}
      onChange={(operator) => onChange({ ...row, operator: operator as Operator })}
    />
    {row.operator === 'present' ? (
      <span />
    ) : (
      <TextField
        label="Value"
        autoComplete="off"
        value={row.value}
        mistake={valueMistake(row)}
        onChange={({ target }) => onChange({ ...row, value: target.value })}
      />
    )}
    <Button
      className="max-sm:col-span-2 max-sm:justify-self-start sm:mt-6"
      aria-label={`Remove condition ${place}`}
      onClick={onRemove}
    >
      Remove
    </Button>
  </div>
);
