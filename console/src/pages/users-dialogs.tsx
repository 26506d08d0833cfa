import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { corral } from '../api/client.ts';
import { allUsers, projectNames } from '../api/queries.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { passwordMistake, passwordRule } from '../ui/password-rule.ts';
import { commandOf } from '../ui/shell-word.ts';
import { TextField } from '../ui/field.tsx';
import { Membership } from '../ui/membership.tsx';

/** What was asked for, and of which user. */
export interface AskedOfUser {
  readonly what: 'projects' | 'password' | 'promote' | 'demote' | 'delete';
  readonly user: string;
}

interface OfUser {
  readonly user: string;
  readonly onClose: () => void;
}

export const UserDialogs = ({
  asked: { what, user },
  onClose,
}: {
  readonly asked: AskedOfUser;
  readonly onClose: () => void;
}) => {
  if (what === 'projects') return <ProjectsOf user={user} onClose={onClose} />;
  if (what === 'password') return <SetPassword user={user} onClose={onClose} />;
  if (what === 'delete') return <DeleteUser user={user} onClose={onClose} />;
  return <SetAdmin user={user} isAdmin={what === 'promote'} onClose={onClose} />;
};

const ProjectsOf = ({ user, onClose }: OfUser) => {
  const projects = useQuery(projectNames).data;
  const found = useQuery(allUsers).data?.find(({ name }) => name === user);
  if (projects === undefined) return null;
  return (
    <Membership
      title={`Projects of ${user}`}
      kind="project"
      has={found?.projects ?? []}
      all={projects}
      pairWith={(project) => ({ user, project })}
      onClose={onClose}
    />
  );
};

const SetPassword = ({ user, onClose }: OfUser) => {
  const [password, setPassword] = useState('');
  return (
    <ActionDialog
      title={`Set the password of ${user}`}
      label="Set password"
      unless={password === '' ? 'Give the new password first' : passwordMistake(password)}
      command={commandOf('user', 'password', user)}
      run={() => corral.userSetPassword({ username: user, password })}
      stale={['users']}
      onClose={onClose}
    >
      {(refusal) => (
        <>
          <p>
            All sessions of <b>{user}</b> end and all their API tokens are revoked: nothing that was opened with the old
            password stays open.
          </p>
          <TextField
            label="New password"
            type="password"
            autoComplete="new-password"
            autoFocus
            required
            about={passwordRule}
            value={password}
            mistake={passwordMistake(password)}
            error={refusal}
            onChange={(event) => setPassword(event.target.value)}
          />
        </>
      )}
    </ActionDialog>
  );
};

const SetAdmin = ({ user, isAdmin, onClose }: OfUser & { readonly isAdmin: boolean }) => (
  <ActionDialog
    title={isAdmin ? `Give ${user} administrative access` : `Take administrative access from ${user}`}
    label={isAdmin ? 'Give access' : 'Take access'}
    look={isAdmin ? 'primary' : 'danger'}
    command={commandOf('user', 'set-admin', user, String(isAdmin))}
    run={() => corral.userSetAdmin({ username: user, is_admin: isAdmin })}
    stale={['users']}
    onClose={onClose}
  >
    {isAdmin ? (
      <p>
        <b>{user}</b> will see and may change everything: nodes and networks of all projects, switches, and other users.
      </p>
    ) : (
      <p>
        From that moment on <b>{user}</b> may do only what their projects allow.
      </p>
    )}
  </ActionDialog>
);

const DeleteUser = ({ user, onClose }: OfUser) => (
  <ActionDialog
    title={`Delete user ${user}`}
    label={`Delete ${user}`}
    look="danger"
    command={commandOf('user', 'delete', user)}
    run={() => corral.userDelete({ username: user })}
    stale={['users', 'projects', 'me']}
    onClose={onClose}
  >
    <p>
      <b>{user}</b> is signed out everywhere, their API tokens are revoked, and they leave their projects. What they
      reserved or made stays with the projects.
    </p>
  </ActionDialog>
);
