import { useState } from 'react';
import { corral } from '../api/client.ts';
import { useMe } from '../api/use-me.ts';
import { useProjects } from '../api/use-projects.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { ChoiceField, onlyOne } from '../ui/choice-field.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { formWords } from '../ui/form-words.ts';
import { nameMistake } from '../ui/name-rule.ts';
import { siteWords } from '../ui/subscription-words.ts';
import { WhichEvents } from './subscriptions-fields.tsx';
import {
  createCommand,
  filterOf,
  formLack,
  noFilter,
  refusedField,
  type SubscriptionForm,
  type Way,
} from './subscriptions-request.ts';
import { ReceiverSecret } from './subscriptions-secret.tsx';

/** Makes what the form says; answers with the secret, if there is one. */
const create = async ({ name, way, target, project, filter: fields }: SubscriptionForm): Promise<string | null> => {
  const filter = filterOf(fields);
  const rest = {
    subscription: name,
    ...(project === '' ? {} : { project }),
    ...(Object.keys(filter).length === 0 ? {} : { filter }),
  };
  if (way === 'post') return (await corral.subscriptionCreate({ ...rest, url: target })).secret;
  await corral.subscriptionCreateMail({ ...rest, ...(way === 'mail' ? { user: target } : { address: target }) });
  return null;
};

/** Makes a subscription to what happens from then on. */
export const CreateSubscription = ({ onClose }: { readonly onClose: () => void }) => {
  const { admin, name: self } = useMe();
  const projects = useProjects();
  const [typed, setForm] = useState<SubscriptionForm>({
    name: '',
    way: 'post',
    target: '',
    project: admin ? '' : onlyOne(projects),
    filter: noFilter,
  });
  const [secret, setSecret] = useState<string | null>(null);
  // Members can have nobody else mailed.
  const form = typed.way === 'mail' && !admin ? { ...typed, target: self } : typed;
  const change = (part: Partial<SubscriptionForm>): void => setForm({ ...typed, ...part });
  if (secret !== null)
    return <ReceiverSecret title={`Subscription ${form.name} is made`} secret={secret} onClose={onClose} />;
  return (
    <ActionDialog
      title="Create a subscription"
      label="Create subscription"
      unless={formLack(form, admin)}
      command={createCommand(form, self)}
      run={async () => {
        const made = await create(form);
        if (made === null) onClose();
        else setSecret(made);
      }}
      stale={['subscriptions']}
      onDone={() => undefined}
      onClose={onClose}
    >
      {(refusal) => {
        const field = refusal === null ? null : refusedField(refusal);
        return (
          <>
            <TextField
              label="Name"
              autoFocus
              autoComplete="off"
              required
              value={form.name}
              error={field === 'name' ? refusal : null}
              mistake={nameMistake('subscription', form.name)}
              onChange={({ target }) => change({ name: target.value })}
            />
            <Target form={form} error={field === 'target' ? refusal : null} onChange={change} />
            <SelectField
              label="Events of"
              value={form.project}
              onChange={({ target }) => change({ project: target.value })}
            >
              {admin ? (
                <option value="">the whole site</option>
              ) : (
                form.project === '' && <option value="">Choose…</option>
              )}
              {projects.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </SelectField>
            <WhichEvents value={form.filter} onChange={(filter) => change({ filter })} />
            {refusal !== null && field === null && (
              <p role="alert" className="text-bad">
                {siteWords(formWords(refusal), admin)}
              </p>
            )}
          </>
        );
      }}
    </ActionDialog>
  );
};

const ways: Readonly<Record<Way, string>> = {
  post: 'Posted to a web address',
  mail: 'Mailed to a user',
  address: 'Mailed to an address',
};

/** How events go out, and where to. */
const Target = ({
  form: { way, target },
  error,
  onChange,
}: {
  readonly form: SubscriptionForm;
  readonly error: string | null;
  readonly onChange: (part: Partial<SubscriptionForm>) => void;
}) => {
  const { admin, name: self } = useMe();
  const field = { autoComplete: 'off', required: true, value: target, error } as const;
  const choose = (next: Way): void => onChange({ way: next, target: next === 'mail' ? self : '' });
  return (
    <>
      <ChoiceField
        label="How"
        options={[
          { value: 'post', label: ways.post },
          { value: 'mail', label: admin ? ways.mail : 'Mailed to you' },
          ...(admin ? [{ value: 'address', label: ways.address }] : []),
        ]}
        about={way === 'mail' && !admin ? 'At the address that an administrator set for you.' : undefined}
        error={way === 'mail' && !admin ? error : null}
        value={way}
        onChange={(next) => choose(next === 'mail' || next === 'address' ? next : 'post')}
      />
      {way === 'post' && (
        <TextField
          {...field}
          label="Address"
          about="The http or https address that events are posted to."
          placeholder="https://ci.example.org/hooks/corral"
          onChange={(event) => onChange({ target: event.target.value })}
        />
      )}
      {way === 'mail' && admin && (
        <TextField
          {...field}
          label="User"
          about="At the address that is set for them."
          onChange={(event) => onChange({ target: event.target.value })}
        />
      )}
      {way === 'address' && (
        <TextField
          {...field}
          label="Mail address"
          placeholder="ops@example.org"
          onChange={(event) => onChange({ target: event.target.value })}
        />
      )}
    </>
  );
};
