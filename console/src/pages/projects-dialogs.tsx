import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { corral } from '../api/client.ts';
import { allProjects, allUsers } from '../api/queries.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { TextField } from '../ui/field.tsx';
import { Membership } from '../ui/membership.tsx';
import { nameLack, nameMistake } from '../ui/name-rule.ts';

/** What was asked for, and of which project. */
export type AskedOfProjects =
  { readonly what: 'create' } | { readonly what: 'members' | 'delete'; readonly project: string };

interface OfProject {
  readonly project: string;
  readonly onClose: () => void;
}

export const ProjectDialogs = ({
  asked,
  onClose,
}: {
  readonly asked: AskedOfProjects;
  readonly onClose: () => void;
}) => {
  if (asked.what === 'create') return <CreateProject onClose={onClose} />;
  if (asked.what === 'members') return <Members project={asked.project} onClose={onClose} />;
  return <DeleteProject project={asked.project} onClose={onClose} />;
};

const CreateProject = ({ onClose }: Pick<OfProject, 'onClose'>) => {
  const [project, setProject] = useState('');
  return (
    <ActionDialog
      title="Create a project"
      label="Create project"
      unless={nameLack('project', project)}
      command={commandOf('project', 'create', project || 'NAME')}
      run={() => corral.projectCreate({ project })}
      stale={['projects']}
      onClose={onClose}
    >
      {(refusal) => (
        <TextField
          label="Name"
          about="It has nothing and nobody at first."
          autoFocus
          autoComplete="off"
          required
          value={project}
          error={refusal}
          mistake={nameMistake('project', project)}
          onChange={(event) => setProject(event.target.value)}
        />
      )}
    </ActionDialog>
  );
};

const Members = ({ project, onClose }: OfProject) => {
  const users = useQuery(allUsers).data;
  const members = useQuery(allProjects).data?.find(({ name }) => name === project)?.members;
  if (users === undefined) return null;
  return (
    <Membership
      title={`Members of ${project}`}
      kind="user"
      has={members ?? []}
      all={users.map(({ name }) => name)}
      pairWith={(user) => ({ user, project })}
      onClose={onClose}
    />
  );
};

const DeleteProject = ({ project, onClose }: OfProject) => (
  <ActionDialog
    title={`Delete project ${project}`}
    label={`Delete ${project}`}
    look="danger"
    command={commandOf('project', 'delete', project)}
    run={() => corral.projectDelete({ project })}
    stale={['projects', 'users', 'me']}
    onClose={onClose}
  >
    <p>
      Project <b>{project}</b> is gone for good, its members leave it, and tokens for it are revoked. A project that
      still has nodes, networks or headnodes is not deleted.
    </p>
  </ActionDialog>
);
