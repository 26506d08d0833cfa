import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { corral } from '../api/client.ts';
import { projectNames } from '../api/queries.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { nameMistake } from '../ui/name-rule.ts';
import { passwordMistake, passwordRule } from '../ui/password-rule.ts';
import { commandOf } from '../ui/shell-word.ts';
import { CheckField, SelectField, TextField } from '../ui/field.tsx';

/** A new user, in a project if that is wished. */
export const CreateUser = ({ onClose }: { readonly onClose: () => void }) => {
  const projects = useQuery(projectNames).data ?? [];
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [project, setProject] = useState('');
  const [isAdmin, setAdmin] = useState(false);
  // Whose project was refused is there already.
  const [made, setMade] = useState<string | null>(null);
  const run = async (): Promise<void> => {
    if (made !== username) {
      await corral.userCreate({ username, password, is_admin: isAdmin });
      setMade(username);
    }
    if (project !== '') await corral.userAddProject({ user: username, project });
  };
  const refusedPart = (refusal: string | null): 'user' | 'password' | 'project' =>
    made === username ? 'project' : refusal?.includes('"password"') ? 'password' : 'user';
  const name = username || 'NAME';
  return (
    <ActionDialog
      title="Create a user"
      label="Create user"
      unless={
        username === '' || password === ''
          ? 'Give a name and a password first'
          : (nameMistake('username', username) ?? passwordMistake(password))
      }
      command={
        commandOf('user', 'create', name, ...(isAdmin ? ['--admin'] : [])) +
        (project === '' ? '' : ` && ${commandOf('user', 'project', 'add', name, project)}`)
      }
      run={run}
      stale={['users', 'projects']}
      onClose={onClose}
    >
      {(refusal) => (
        <>
          <TextField
            label="Name"
            autoFocus
            autoComplete="off"
            required
            value={username}
            error={refusedPart(refusal) === 'user' ? refusal : null}
            mistake={nameMistake('username', username)}
            onChange={(event) => setUsername(event.target.value)}
          />
          <TextField
            label="First password"
            type="password"
            autoComplete="new-password"
            required
            about={`${passwordRule}. They change it on their account page.`}
            value={password}
            error={refusedPart(refusal) === 'password' ? refusal : null}
            mistake={passwordMistake(password)}
            onChange={(event) => setPassword(event.target.value)}
          />
          <SelectField
            label="In project"
            value={project}
            error={refusal !== null && refusedPart(refusal) === 'project' ? `${username} is created. ${refusal}` : null}
            onChange={(event) => setProject(event.target.value)}
          >
            <option value="">none yet</option>
            {projects.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </SelectField>
          <CheckField
            label="Administrative access"
            about="Sees and changes everything, of all projects."
            checked={isAdmin}
            onChange={(event) => setAdmin(event.target.checked)}
          />
        </>
      )}
    </ActionDialog>
  );
};
