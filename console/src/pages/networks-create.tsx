import { CorralError, DuplicateError } from '@corral/client';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { corral } from '../api/client.ts';
import { allNetworks } from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';
import { useProjects } from '../api/use-projects.ts';
import { Button } from '../ui/button.tsx';
import { Command } from '../ui/command.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ChoiceField, onlyOne } from '../ui/choice-field.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { formWords } from '../ui/form-words.ts';
import { nameLack, nameMistake } from '../ui/name-rule.ts';
import { shellWord } from '../ui/shell-word.ts';
import { sentenceOf } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';

/** The word for the operator where an owner is named. */
const operator = 'admin';

/** A network as it will be; `access`: a project, or nothing for everybody. */
interface NewNetwork {
  readonly network: string;
  readonly owner: string;
  readonly access: string;
  readonly net_id: string;
}

/** Asks for what a new network needs, and goes to it, unless there is something else to do then. */
export const CreateNetwork = ({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated?: () => void;
}) => {
  const { admin } = useMe();
  const projects = useProjects();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [network, setName] = useState('');
  const [chosenOwner, setOwner] = useState<string | null>(null);
  const [chosenAccess, setAccess] = useState<string | null>(null);
  const [vlan, setVlan] = useState('');
  const owner = chosenOwner ?? (projects.length === 0 ? operator : onlyOne(projects));
  // The owner may use it, unless something else was chosen; one of the operator is for everybody.
  const access = chosenAccess ?? (owner === operator ? '' : owner);
  const wanted: NewNetwork = { network, owner, access, net_id: vlan.trim() };
  const create = useAction({
    mutationFn: () => corral.networkCreate(wanted),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: allNetworks.queryKey });
      if (onCreated !== undefined) {
        onCreated();
        return;
      }
      onClose();
      await navigate({ to: '/networks/$network', params: { network } });
    },
  });
  const refusal = create.error === null ? null : { field: fieldOf(create.error), why: sentenceOf(create.error) };
  const refusalOf = (field: Field): string | null => (refusal?.field === field ? refusal.why : null);
  const lacksOwner = admin ? 'Choose its owner first' : 'Choose a project first';
  const unless = nameLack('network', network) ?? (owner === '' ? lacksOwner : null);
  return (
    <Dialog title="Create a network" isOpen onClose={onClose}>
      <form
        className="grid gap-3"
        onChange={create.forget}
        onSubmit={(event) => {
          event.preventDefault();
          if (unless === null) create.start();
        }}
      >
        <TextField
          label="Name"
          autoFocus
          required
          autoComplete="off"
          value={network}
          onChange={(event) => setName(event.target.value)}
          error={refusalOf('name')}
          mistake={nameMistake('network', network)}
        />
        <ChoiceField
          label={admin ? 'Owner' : 'For project'}
          about={
            admin ? 'May grant others access, and delete it.' : 'It owns the network, and can grant others access.'
          }
          options={[...projects, ...(admin ? [{ value: operator, label: 'admin (the operator)' }] : [])]}
          value={owner}
          onChange={setOwner}
          error={refusalOf('owner')}
        />
        {admin && (
          <>
            <SelectField
              label="Who may use it"
              about="One project, more of them by granting; or everybody, for always."
              disabled={owner === ''}
              value={access}
              onChange={(event) => setAccess(event.target.value)}
              error={refusalOf('access')}
            >
              <option value="">{owner === '' ? 'Choose its owner first' : 'everybody (public)'}</option>
              {projects.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </SelectField>
            <TextField
              label="VLAN id"
              about="Without one, the smallest free one of the pool."
              inputMode="numeric"
              autoComplete="off"
              value={vlan}
              onChange={(event) => setVlan(event.target.value)}
              error={refusalOf('vlan')}
            />
          </>
        )}
        {refusal?.field === null && (
          <p role="alert" className="text-bad">
            {formWords(refusal.why)}
          </p>
        )}
        <Button type="submit" look="primary" isBusy={create.isPending} className="justify-self-start" unless={unless}>
          {network === '' ? 'Create the network' : <span className="max-w-64 truncate">Create {network}</span>}
        </Button>
        <Command text={commandOf(wanted)} />
      </form>
    </Dialog>
  );
};

const commandOf = ({ network, owner, access, net_id }: NewNetwork): string => {
  const isUsual = owner === '' || access === (owner === operator ? '' : owner);
  return [
    'corral network create',
    network === '' ? 'NETWORK' : shellWord(network),
    owner === '' ? 'PROJECT' : shellWord(owner),
    ...(isUsual ? [] : [`--access ${access === '' ? "''" : shellWord(access)}`]),
    ...(net_id === '' ? [] : [`--net-id ${shellWord(net_id)}`]),
  ].join(' ');
};

type Field = 'name' | 'owner' | 'access' | 'vlan';

/** Which field the service refused; null: none in particular. */
const fieldOf = (error: Error): Field | null => {
  if (!(error instanceof CorralError)) return null;
  const { message } = error;
  if (error instanceof DuplicateError || message.includes('"network"')) return 'name';
  if (message.includes('"net_id"') || message.startsWith('VLAN ')) return 'vlan';
  if (message.includes('"access"')) return 'access';
  return message.includes('"owner"') || message.startsWith('project ') ? 'owner' : null;
};
