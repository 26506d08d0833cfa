import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { corral, type Token } from '../api/client.ts';
import { myTokens } from '../api/queries.ts';
import { useProjects } from '../api/use-projects.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { Ago, Until } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { CheckField, SelectField, TextField } from '../ui/field.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { nameLack, nameMistake } from '../ui/name-rule.ts';
import { ShownSecret } from '../ui/shown-secret.tsx';
import { Empty } from '../ui/states.tsx';

/** One's own tokens: what scripts have in place of a password. */
export const Tokens = () => {
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<string | null>(null);
  return (
    <Card title="API tokens" actions={<Button onClick={() => setCreating(true)}>Create token…</Button>}>
      <Loaded query={useQuery(myTokens)} rows={2}>
        {(tokens) =>
          tokens.length === 0 ? (
            <Empty title="You have no tokens">
              A script shows a token in place of your password. It can be for one project, for reading only, and
              revoked.
            </Empty>
          ) : (
            <DataTable
              label="API tokens"
              rows={tokens}
              columns={columnsWith(setRevoked)}
              keyOf={({ token }) => token}
              minWidth={780}
            />
          )
        }
      </Loaded>
      {isCreating && <CreateToken onClose={() => setCreating(false)} />}
      {revoked !== null && <RevokeToken token={revoked} onClose={() => setRevoked(null)} />}
    </Card>
  );
};

const columnsWith = (onRevoke: (token: string) => void): readonly Column<Token>[] => [
  {
    name: 'token',
    heading: 'Token',
    cell: ({ token }) => (
      <span className="truncate font-mono" title={token}>
        {token}
      </span>
    ),
  },
  {
    name: 'project',
    heading: 'For',
    width: '18%',
    cell: ({ project }) =>
      project === null ? (
        <span className="truncate text-dim">all that you may</span>
      ) : (
        <span className="truncate" title={project}>
          {project}
        </span>
      ),
  },
  {
    name: 'may',
    heading: 'May',
    width: '140px',
    cell: ({ read_only }) => (read_only ? 'only read' : 'read and change'),
  },
  { name: 'until', heading: 'Ends', width: '90px', cell: ({ expires_at }) => <Until at={expires_at} /> },
  {
    name: 'used',
    heading: 'Last used',
    width: '110px',
    cell: ({ used_at }) => <span className="text-dim">{used_at === null ? 'never' : <Ago at={used_at} />}</span>,
  },
  {
    name: 'actions',
    heading: 'Actions',
    hidesHeading: true,
    width: '110px',
    cell: ({ token }) => (
      <Button look="quiet" className="ml-auto h-7!" aria-label={`Revoke ${token}…`} onClick={() => onRevoke(token)}>
        Revoke…
      </Button>
    ),
  },
];

const RevokeToken = ({ token, onClose }: { readonly token: string; readonly onClose: () => void }) => (
  <ActionDialog
    title={`Revoke token ${token}`}
    label="Revoke token"
    look="danger"
    command={commandOf('token', 'revoke', token)}
    run={() => corral.tokenRevoke({ token })}
    stale={['tokens']}
    onClose={onClose}
  >
    <p>
      Whatever uses token <b>{token}</b> is refused from that moment on. It cannot be brought back.
    </p>
  </ActionDialog>
);

const day = 86_400;

const CreateToken = ({ onClose }: { readonly onClose: () => void }) => {
  const projects = useProjects();
  const [token, setToken] = useState('');
  const [days, setDays] = useState('90');
  const [project, setProject] = useState('');
  const [isReadOnly, setReadOnly] = useState(false);
  const [made, setMade] = useState<string | null>(null);
  if (made !== null)
    return (
      <ShownSecret title={`Token ${token} is made`} secret={made} name="the token" onClose={onClose}>
        <p>
          This is the only time that it is shown: nobody can look it up later. Scripts send it as{' '}
          <code className="font-mono">Authorization: Bearer …</code>
        </p>
      </ShownSecret>
    );
  const isAboutDays = (refusal: string | null): boolean => /seconds|expires_in/.test(refusal ?? '');
  return (
    <ActionDialog
      title="Create an API token"
      label="Create token"
      unless={nameLack('token', token) ?? (/^[1-9]\d*$/.test(days) ? null : 'Give a number of days')}
      command={commandOf(
        ...['token', 'create', token || 'NAME', '--days', days],
        ...(project === '' ? [] : ['--project', project]),
        ...(isReadOnly ? ['--read-only'] : []),
      )}
      run={async () => {
        const { token: secret } = await corral.tokenCreate({
          token,
          expires_in: Number(days) * day,
          ...(project === '' ? {} : { project }),
          read_only: isReadOnly,
        });
        setMade(secret);
      }}
      stale={['tokens']}
      onDone={() => undefined}
      onClose={onClose}
    >
      {(refusal) => (
        <>
          <TextField
            label="Name"
            about="By which you know it again: what uses it."
            autoFocus
            autoComplete="off"
            required
            value={token}
            error={isAboutDays(refusal) ? null : refusal}
            mistake={nameMistake('token', token)}
            onChange={(event) => setToken(event.target.value)}
          />
          <TextField
            label="Lasts how many days"
            type="number"
            min={1}
            required
            value={days}
            error={isAboutDays(refusal) ? refusal : null}
            onChange={(event) => setDays(event.target.value)}
          />
          <SelectField label="For project" value={project} onChange={(event) => setProject(event.target.value)}>
            <option value="">all that you may</option>
            {projects.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </SelectField>
          <CheckField
            label="Only for reading"
            checked={isReadOnly}
            onChange={(event) => setReadOnly(event.target.checked)}
          />
        </>
      )}
    </ActionDialog>
  );
};
