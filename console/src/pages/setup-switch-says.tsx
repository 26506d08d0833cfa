import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { corral, type SwitchTest } from '../api/client.ts';
import { Ask } from '../ui/ask.tsx';
import { Button } from '../ui/button.tsx';
import { buttonLook } from '../ui/button-look.ts';
import { Card } from '../ui/card.tsx';
import { Command } from '../ui/command.tsx';
import { Facts } from '../ui/facts.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { sentenceOf } from '../ui/states.tsx';

/** What a session with a switch found out. */
export const WhatItSays = ({ told }: { readonly told: SwitchTest }) => (
  <Card title="What the switch says">
    <Facts
      facts={{
        Device: told.about ?? 'it does not say',
        Identity: told.identity === null ? 'it does not say' : <span className="font-mono">{told.identity}</span>,
        Ports: told.fault === null ? `${told.ports.length} seen` : 'not read',
        'The login lacks':
          told.lacks === null ? 'cannot be asked' : told.lacks.length === 0 ? 'nothing' : told.lacks.join(', '),
      }}
    />
    {told.fault !== null && (
      <p role="alert" className="border-t border-line px-3.5 py-2.5 text-bad">
        {sentenceOf({ message: told.fault })}
      </p>
    )}
  </Card>
);

interface AddedSwitchProps {
  readonly name: string;
  readonly onAnother: () => void;
  readonly onChangeFields: () => void;
}

/** A switch that was just registered: it is read at once, and says how that went. */
export const AddedSwitch = ({ name, onAnother, onChangeFields }: AddedSwitchProps) => {
  const queries = useQueryClient();
  const { mutate, ...reading } = useMutation({
    mutationFn: async () => {
      await corral.switchSweep({ switch: name });
      return corral.switchTest({ switch: name });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['switches'] }),
  });
  useEffect(() => mutate(), [mutate]);
  return (
    <>
      <Card title={<>Switch {name} is registered</>}>
        <div className="grid gap-3 p-3.5">
          <p role="status">
            {reading.isPending || reading.isIdle
              ? `Reading ${name}…`
              : reading.error === null
                ? `${name} answers, and was read just now.`
                : `${name} is registered, but could not be read.`}
          </p>
          {reading.error !== null && (
            <p role="alert" className="text-bad">
              {sentenceOf(reading.error)}
            </p>
          )}
          <Command text={commandOf('switch', 'sweep', name)} />
          <div className="flex flex-wrap gap-2">
            {reading.error === null ? (
              <Link to="/setup/ports" search={{ switch: name }} className={buttonLook('primary')}>
                Add its ports
              </Link>
            ) : (
              <DeleteAndChange name={name} onDone={onChangeFields} />
            )}
            <Button isBusy={reading.isPending} onClick={() => mutate()}>
              Read it again
            </Button>
            <Button onClick={onAnother}>Add another switch</Button>
          </div>
        </div>
      </Card>
      {reading.data !== undefined && <WhatItSays told={reading.data} />}
    </>
  );
};

/** Nothing is on it yet, and what was typed is still there: it is deleted, and added with other fields. */
const DeleteAndChange = ({ name, onDone }: { readonly name: string; readonly onDone: () => void }) => (
  <Ask
    label="Delete it and change the fields…"
    look="primary"
    title={`Delete switch ${name} and change its fields`}
    verb={`Delete ${name}`}
    command={commandOf('switch', 'delete', name)}
    run={async () => {
      await corral.switchDelete({ switch: name });
      onDone();
    }}
  >
    The record of {name} is deleted; nothing changes on the device. What you typed is still in the form.
  </Ask>
);
