import { Card } from '../ui/card.tsx';
import { DeviceFields } from '../ui/device-fields.tsx';
import { type DeviceSchema, fieldsOf } from '../ui/device-schema.ts';
import { CheckField, SelectField, TextField } from '../ui/field.tsx';
import { type Refusals, refusalsOf } from '../ui/refusals.ts';
import type { BmcDraft, NodeDraft } from './node-plan.ts';

interface ObmdFieldsProps {
  readonly isInside: boolean;
  readonly isOff: boolean;
  readonly value: NodeDraft['obmd'];
  readonly refusals: Refusals;
  readonly onChange: (obmd: NodeDraft['obmd']) => void;
}

/** Which OBM daemon has the BMC of the node: the one inside the service, or another. */
export const ObmdFields = ({ isInside, isOff, value, refusals, onChange }: ObmdFieldsProps) => (
  <>
    {isInside && (
      <CheckField
        label="Its BMC belongs to another OBM daemon"
        about="Usually it belongs to the daemon inside this service."
        disabled={isOff}
        checked={value !== null}
        onChange={(event) => onChange(event.target.checked ? { uri: '', admin_token: '' } : null)}
      />
    )}
    {value !== null && (
      <>
        <TextField
          label="Address under the OBM daemon"
          about="Such as https://obmd.example.org/node/node-01"
          autoComplete="off"
          spellCheck={false}
          readOnly={isOff}
          value={value.uri}
          error={refusals.of('uri') ?? refusals.of('obmd')}
          onChange={(event) => onChange({ ...value, uri: event.target.value })}
        />
        <TextField
          label="Admin token of the OBM daemon"
          type="password"
          autoComplete="new-password"
          readOnly={isOff}
          value={value.admin_token}
          error={refusals.of('admin_token')}
          onChange={(event) => onChange({ ...value, admin_token: event.target.value })}
        />
      </>
    )}
  </>
);

interface BmcFieldsProps {
  readonly schemas: Readonly<Record<string, DeviceSchema>>;
  readonly value: BmcDraft;
  readonly error: Error | null;
  /** There has to be one: it is what the form is for. */
  readonly isNeeded?: boolean;
  readonly onChange: (bmc: BmcDraft) => void;
}

/** The BMC of a node: its type, and the fields that this type takes. */
export const BmcFields = (props: BmcFieldsProps) => (
  <Card title="BMC">
    <div className="grid gap-3 p-3.5">
      <BmcInputs {...props} />
    </div>
  </Card>
);

/** The same without a card around it. */
export const BmcInputs = ({ schemas, value, error, isNeeded = false, onChange }: BmcFieldsProps) => {
  const refusals = refusalsOf(error, ['type', ...value.fields.map(({ name }) => name)]);
  return (
    <>
      <SelectField
        label="Type of BMC"
        about={`By which the machine is turned on and off.${isNeeded ? '' : ' It can be registered later, too.'}`}
        value={value.type}
        error={refusals.of('type')}
        onChange={({ target }) =>
          onChange({ ...value, type: target.value, fields: fieldsOf(schemas[target.value] ?? {}) })
        }
      >
        <option value="">{isNeeded ? 'choose…' : 'none yet'}</option>
        {Object.keys(schemas).map((type) => (
          <option key={type}>{type}</option>
        ))}
      </SelectField>
      <DeviceFields
        key={value.type}
        fields={value.fields}
        values={value.values}
        refusals={refusals}
        onChange={(values) => onChange({ ...value, values })}
      />
      {refusals.rest !== null && (
        <p role="alert" className="text-bad">
          {refusals.rest}
        </p>
      )}
    </>
  );
};
