import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { corral, type NetworkOverview } from '../api/client.ts';
import { allNetworks } from '../api/queries.ts';
import { useMe } from '../api/use-me.ts';
import { useProjects } from '../api/use-projects.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Command } from '../ui/command.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { shellWord } from '../ui/shell-word.ts';
import { Empty, sentenceOf } from '../ui/states.tsx';

/** Which projects may use a network; its owner grants and revokes, and a project may give up its own. */
export const NetworkAccess = ({
  network,
  mayManage,
}: {
  readonly network: NetworkOverview;
  readonly mayManage: boolean;
}) => {
  const { projects } = useMe();
  const [revoked, setRevoked] = useState<string | null>(null);
  if (network.access === null)
    return (
      <Card title="Who may use it">
        <Empty title="Everybody">The network is public: it has no access list to change.</Empty>
      </Card>
    );
  return (
    <Card title="Who may use it">
      {network.access.length === 0 && <Empty title="Nobody, until a project is granted access" />}
      <ul aria-label="Projects with access">
        {network.access.map((project) => (
          <li
            key={project}
            className="flex min-h-9 items-center justify-between gap-3 border-b border-line px-3.5 py-0.5"
          >
            <span className="min-w-0 break-all">{project}</span>
            {project === network.owner ? (
              <span className="text-dim">owner</span>
            ) : (
              (mayManage || projects.includes(project)) && (
                <Button look="quiet" aria-label={`Revoke access of ${project}`} onClick={() => setRevoked(project)}>
                  Revoke…
                </Button>
              )
            )}
          </li>
        ))}
      </ul>
      {mayManage && <Grant network={network.name} known={network.access} />}
      {revoked !== null && <Revoke network={network.name} project={revoked} onClose={() => setRevoked(null)} />}
    </Card>
  );
};

const Grant = ({ network, known }: { readonly network: string; readonly known: readonly string[] }) => {
  const { admin } = useMe();
  const projects = useProjects();
  const queries = useQueryClient();
  const [project, setProject] = useState('');
  const grant = useMutation({
    mutationFn: () => corral.networkGrantProjectAccess({ network, project }),
    onSuccess: async () => {
      setProject('');
      await queries.invalidateQueries({ queryKey: allNetworks.queryKey });
    },
  });
  return (
    <form
      className="grid gap-2 p-3.5"
      onSubmit={(event) => {
        event.preventDefault();
        if (project !== '') grant.mutate();
      }}
    >
      <TextField
        label="Grant access to project"
        about={
          admin
            ? 'Its nodes may then be on this network, and hear everything on it.'
            : 'Its exact name. Its nodes may then be on this network, and hear everything on it.'
        }
        autoComplete="off"
        list="projects-without-access"
        value={project}
        onChange={(event) => {
          setProject(event.target.value);
          grant.reset();
        }}
        error={grant.error && sentenceOf(grant.error)}
      />
      <datalist id="projects-without-access">
        {projects
          .filter((each) => !known.includes(each))
          .map((each) => (
            <option key={each} value={each} />
          ))}
      </datalist>
      <Button
        type="submit"
        className="justify-self-start"
        isBusy={grant.isPending}
        unless={project === '' ? 'Name a project first' : null}
      >
        Grant access
      </Button>
      <Command
        text={`corral network grant-access ${shellWord(network)} ${project === '' ? 'PROJECT' : shellWord(project)}`}
      />
    </form>
  );
};

const Revoke = ({
  network,
  project,
  onClose,
}: {
  readonly network: string;
  readonly project: string;
  readonly onClose: () => void;
}) => {
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => corral.networkRevokeProjectAccess({ network, project }),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries({ queryKey: allNetworks.queryKey });
    },
  });
  return (
    <Dialog title={`Revoke access of ${project}?`} isOpen onClose={onClose}>
      <div className="grid gap-3">
        <p>
          Project {project} can connect nothing to {network} from then on. This is refused while a node or a headnode of
          it is on the network.
        </p>
        {revoke.error && (
          <p role="alert" className="text-bad">
            {sentenceOf(revoke.error)}
          </p>
        )}
        <Button look="danger" className="justify-self-start" isBusy={revoke.isPending} onClick={() => revoke.mutate()}>
          <span className="max-w-64 truncate">Revoke access of {project}</span>
        </Button>
        <Command text={`corral network revoke-access ${shellWord(network)} ${shellWord(project)}`} />
      </div>
    </Dialog>
  );
};
