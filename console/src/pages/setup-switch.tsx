import { DuplicateError } from '@corral/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { corral } from '../api/client.ts';
import { allSwitches, switchTypes } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Command } from '../ui/command.tsx';
import { DeviceFields } from '../ui/device-fields.tsx';
import {
  type DeviceSchema,
  type DeviceValues,
  fieldsOf,
  valuesToKeep,
  valuesToSend,
  wordsOf,
} from '../ui/device-schema.ts';
import { ChoiceField } from '../ui/choice-field.tsx';
import { TextField } from '../ui/field.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { nameLack, nameMistake } from '../ui/name-rule.ts';
import { refusalsOf, refusalsWithout } from '../ui/refusals.ts';
import { commandOf } from '../ui/shell-word.ts';
import { useAction } from '../ui/use-action.ts';
import { Draft, useDraft } from '../ui/use-draft.ts';
import { SetUpForm } from './setup-frame.tsx';
import { AddedSwitch, WhatItSays } from './setup-switch-says.tsx';

type Schemas = Readonly<Record<string, DeviceSchema>>;

/** A switch as it is typed. */
interface SwitchDraft {
  readonly name: string;
  readonly type: string;
  readonly values: DeviceValues;
}

const nothing: SwitchDraft = { name: '', type: '', values: {} };
const switchDraft = new Draft<SwitchDraft>();

/** Asks for what a type of switch needs, tries it, and registers it. */
export const SetUpSwitchPage = () => (
  <SetUpForm title="Add a switch">
    <Types />
  </SetUpForm>
);

const Types = () => (
  <Loaded query={useQuery(switchTypes)}>
    {(types) => (
      <AddSwitch
        schemas={Object.fromEntries(Object.entries(types).map(([type, { fields }]) => [type, fields as DeviceSchema]))}
      />
    )}
  </Loaded>
);

const AddSwitch = ({ schemas }: { readonly schemas: Schemas }) => {
  const queries = useQueryClient();
  const [draft, setDraft] = useDraft(switchDraft, nothing, (next) => ({
    ...next,
    values: valuesToKeep(fieldsOf(schemas[next.type] ?? {}), next.values),
  }));
  const { name, type, values } = draft;
  const [added, setAdded] = useState<string | null>(null);
  // What was changed since it was refused.
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const fields = fieldsOf(schemas[type] ?? {});
  const sent = { ...valuesToSend(fields, values), type };
  const attempt = useAction({ mutationFn: () => corral.switchTest({ switch: name, as: sent }) });
  const add = useAction({
    mutationFn: () => corral.switchRegister({ ...sent, switch: name }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: allSwitches.queryKey });
      attempt.forget();
      switchDraft.forget();
      setAdded(name);
    },
  });
  if (added !== null)
    return (
      <AddedSwitch
        key={added}
        name={added}
        onAnother={() => {
          setDraft({ ...nothing, type });
          setAdded(null);
        }}
        onChangeFields={() => setAdded(null)}
      />
    );
  const error = add.error ?? attempt.error;
  const addressField = fields.find((field) => field.name === 'hostname' || field.name === 'ovsdb')?.name ?? null;
  const told = refusalsOf(error, ['switch', 'type', ...fields.map((field) => field.name)], (sentence) => {
    if (error instanceof DuplicateError && sentence.endsWith('already exists')) return 'switch';
    return /^(switch .* cannot be reached|the address of switch)/.test(sentence) ? addressField : null;
  });
  const refusals = refusalsWithout(told, changed);
  const forget = (): void => {
    add.forget();
    attempt.forget();
    setChanged(new Set());
  };
  const change = (next: DeviceValues): void => {
    const names = fields.map((field) => field.name).filter((each) => next[each] !== values[each]);
    setChanged(new Set([...changed, ...names]));
    setDraft({ ...draft, values: next });
  };
  const unless = nameLack('switch', name) ?? (type === '' ? 'Choose its type first' : null);
  return (
    <>
      <Card title="The switch">
        <form
          noValidate
          className="grid gap-3 p-3.5"
          onSubmit={(event) => {
            event.preventDefault();
            forget();
            if (unless === null) add.start();
          }}
        >
          <TextField
            label="Name"
            need="required"
            about="By which it is called here, such as tor-1."
            autoFocus
            autoComplete="off"
            value={name}
            error={refusals.of('switch')}
            mistake={nameMistake('switch', name)}
            onChange={(event) => {
              setChanged(new Set([...changed, 'switch']));
              setDraft({ ...draft, name: event.target.value });
            }}
          />
          <ChoiceField
            label="Type"
            need="required"
            about="Which driver speaks to it."
            options={Object.keys(schemas)}
            value={type}
            error={refusals.of('type')}
            onChange={(next) => {
              forget();
              setDraft({ ...draft, type: next });
            }}
          />
          <DeviceFields key={type} fields={fields} values={values} refusals={refusals} onChange={change} />
          {refusals.rest !== null && (
            <p role="alert" className="text-bad">
              {refusals.rest}
            </p>
          )}
          <Command
            text={`${commandOf('switch', 'register', name || 'NAME', type || 'TYPE')} ${wordsOf(fields, values)}`.trim()}
          />
          <div className="flex flex-wrap justify-end gap-2">
            <Button
              unless={unless}
              isBusy={attempt.isPending}
              onClick={() => {
                forget();
                attempt.start();
              }}
            >
              Try it first
            </Button>
            <Button type="submit" look="primary" unless={unless} isBusy={add.isPending}>
              Add switch
            </Button>
          </div>
        </form>
      </Card>
      {attempt.isPending && (
        <p role="status" className="text-dim">
          Opening a session with {name}. Nothing is changed on it.
        </p>
      )}
      {attempt.data !== undefined && <WhatItSays told={attempt.data} />}
    </>
  );
};
