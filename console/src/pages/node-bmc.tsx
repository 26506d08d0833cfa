import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { corral } from '../api/client.ts';
import { bmcTypes } from '../api/queries.ts';
import { type Bmc, type KnownBmc, lackOfBmc } from '../api/use-bmc.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { Button } from '../ui/button.tsx';
import { type DeviceSchema, type DeviceValues, fieldsOf, valuesToSend, wordsOf } from '../ui/device-schema.ts';
import { Facts } from '../ui/facts.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { sentenceOf } from '../ui/states.tsx';
import { BmcInputs } from './setup-node-bmc.tsx';

/** What is registered as the BMC of a node: its type and its fields, which have no secrets. */
export const BmcLine = ({ known }: { readonly known: KnownBmc }) => {
  if (known.kind === 'registered')
    return (
      <div className="border-b border-line">
        <Facts
          facts={{
            BMC: known.bmc.type,
            ...Object.fromEntries(
              Object.entries(typedValues(known.bmc)).map(([name, value]) => [
                name,
                <span key={name} className="block max-w-64 truncate font-mono" title={value}>
                  {value}
                </span>,
              ]),
            ),
          }}
        />
      </div>
    );
  return (
    <p role="status" className="border-b border-line p-3.5 break-words text-dim">
      {known.kind === 'none' && 'No BMC is registered.'}
      {known.kind === 'not yet' && 'Asking its OBM daemon for its BMC…'}
      {known.kind === 'unknown' && `Whether a BMC is registered is not known. ${sentenceOf(known.why)}`}
    </p>
  );
};

/** The fields of a registered BMC, as they are typed. */
const typedValues = ({ info }: Bmc): DeviceValues =>
  Object.fromEntries(
    Object.entries(info).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? [[name, String(value)]]
        : [],
    ),
  );

/** Logs in to the BMC, and says what answered. */
export const TestBmc = ({ name, known }: { readonly name: string; readonly known: KnownBmc }) => {
  const test = useMutation({ mutationFn: () => corral.bmcTest({ node: name }) });
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        unless={lackOfBmc(name, known)}
        isBusy={test.isPending}
        title={commandOf('bmc', 'test', name)}
        onClick={() => test.mutate()}
      >
        Test its BMC
      </Button>
      {test.error !== null && (
        <span role="alert" className="min-w-0 text-bad">
          {sentenceOf(test.error)}
        </span>
      )}
      {test.data !== undefined && (
        <span role="status" className="min-w-0 text-dim">
          {test.data.answered} answered after {test.data.seconds} s, with privileges: {test.data.privileges}
        </span>
      )}
    </div>
  );
};

/** Registers the BMC of a node, for the first time or again. */
export const ChangeBmc = ({
  name,
  known,
  onClose,
}: {
  readonly name: string;
  readonly known: KnownBmc;
  readonly onClose: () => void;
}) => {
  const types = useQuery(bmcTypes).data?.types ?? {};
  const schemas = Object.fromEntries(Object.entries(types).map(([type, { fields }]) => [type, fields as DeviceSchema]));
  // As it was when the dialog was opened: what is typed is not overwritten.
  const [before] = useState(known.kind === 'registered' ? known.bmc : null);
  const [typed, setTyped] = useState({
    type: before?.type ?? '',
    values: before === null ? {} : typedValues(before),
  });
  const { type, values } = typed;
  const fields = fieldsOf(schemas[type] ?? {});
  return (
    <ActionDialog
      title={before === null ? `Register the BMC of ${name}` : `Change the BMC of ${name}`}
      label={before === null ? 'Register BMC' : 'Change BMC'}
      unless={type === '' ? 'Choose its type first' : null}
      command={`${commandOf('bmc', 'register', name, type || 'TYPE')} ${wordsOf(fields, values)}`.trim()}
      run={() => corral.bmcRegister({ node: name, type, info: valuesToSend(fields, values) })}
      stale={['node', 'power', 'bmcs']}
      onClose={onClose}
    >
      {(refusal) => (
        <>
          {before !== null && (
            <p>
              It replaces the {before.type} BMC that is registered now. Secrets are not shown: type them again, also if
              they stay as they are.
            </p>
          )}
          <BmcInputs
            isNeeded
            schemas={schemas}
            value={{ type, values, fields }}
            error={refusal === null ? null : new Error(refusal)}
            onChange={setTyped}
          />
        </>
      )}
    </ActionDialog>
  );
};
