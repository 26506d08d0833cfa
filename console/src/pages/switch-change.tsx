import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { corral, type SwitchDetails } from '../api/client.ts';
import { switchTypes } from '../api/queries.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { Button } from '../ui/button.tsx';
import { DeviceFields } from '../ui/device-fields.tsx';
import {
  type DeviceField,
  type DeviceSchema,
  type DeviceValues,
  fieldsOf,
  valuesToSend,
  wordsOf,
} from '../ui/device-schema.ts';
import { refusalsOf } from '../ui/refusals.ts';
import { commandOf } from '../ui/shell-word.ts';

/** Changes how a switch is reached: a rotated password, another address. What is on it stays. */
export const ChangeSwitch = ({ found }: { readonly found: SwitchDetails }) => {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button onClick={() => setAsking(true)}>Change…</Button>
      {isAsking && <ChangeFields found={found} onClose={() => setAsking(false)} />}
    </>
  );
};

const ChangeFields = ({ found, onClose }: { readonly found: SwitchDetails; readonly onClose: () => void }) => {
  const types = useQuery(switchTypes).data ?? {};
  // As it was when the dialog was opened: what is typed is not overwritten.
  const [before] = useState(() => typedValues(found));
  const [values, setValues] = useState(before);
  const fields = fieldsOf((types[found.type]?.fields ?? {}) as DeviceSchema).map(changeable);
  const changed = fields.filter(({ name }) => (values[name] ?? '') !== (before[name] ?? ''));
  const removed = changed.filter(({ name }) => (values[name] ?? '') === '').map(({ name }) => name);
  const words = [wordsOf(changed, values), ...removed.map((name) => `${name}=`)].filter((word) => word !== '');
  return (
    <ActionDialog
      title={`Change switch ${found.name}`}
      label={`Change ${found.name}`}
      unless={changed.length === 0 ? 'Change a field first' : null}
      command={[commandOf('switch', 'update', found.name), ...words].join(' ')}
      run={() =>
        corral.switchUpdate({
          ...valuesToSend(changed, values),
          ...Object.fromEntries(removed.map((name) => [name, null])),
          switch: found.name,
        })
      }
      stale={['switch', 'switches', 'drift']}
      onClose={onClose}
    >
      {(refusal) => {
        const refusals = refusalsOf(
          refusal === null ? null : new Error(refusal),
          fields.map(({ name }) => name),
        );
        return (
          <>
            <p>
              Nodes and networks stay on it. After a change of anything but a secret, its ports are read again: until
              then no node on it can be reserved or released.
            </p>
            <DeviceFields fields={fields} values={values} refusals={refusals} onChange={setValues} />
            {refusals.rest !== null && (
              <p role="alert" className="text-bad">
                {refusals.rest}
              </p>
            )}
          </>
        );
      }}
    </ActionDialog>
  );
};

/** Secrets are not shown, and stay unless they are typed. */
const changeable = (field: DeviceField): DeviceField =>
  field.isSecret ? { ...field, need: '(unchanged if empty)' } : field;

/** The fields of a switch that are no secrets, as they are typed. */
const typedValues = ({ fields }: SwitchDetails): DeviceValues =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? [[name, value === false ? '' : String(value)]]
        : [],
    ),
  );
