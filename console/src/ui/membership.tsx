import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { corral } from '../api/client.ts';
import { ActionDialog } from './action-dialog.tsx';
import { Button } from './button.tsx';
import { commandOf } from './shell-word.ts';
import { Command } from './command.tsx';
import { Dialog } from './dialog.tsx';
import { ChoiceField } from './choice-field.tsx';
import { naturalOrder } from './natural-order.ts';
import { sentenceOf } from './states.tsx';
import { useAction } from './use-action.ts';

/** Who may act for what. */
interface Pair {
  readonly user: string;
  readonly project: string;
}

interface MembershipProps {
  readonly title: string;
  /** What is on the other side: projects of a user, or users of a project. */
  readonly kind: 'project' | 'user';
  readonly has: readonly string[];
  readonly all: readonly string[];
  readonly pairWith: (name: string) => Pair;
  readonly onClose: () => void;
}

const stale = ['users', 'projects', 'me'];

/** The projects of a user, or the users of a project: more of them, or fewer. */
export const Membership = (props: MembershipProps) => {
  const [leaving, setLeaving] = useState<Pair | null>(null);
  if (leaving !== null)
    return (
      <ActionDialog
        title={`Remove ${leaving.user} from ${leaving.project}`}
        label={`Remove ${leaving.user}`}
        look="danger"
        command={commandOf('user', 'project', 'remove', leaving.user, leaving.project)}
        run={() => corral.userRemoveProject(leaving)}
        stale={stale}
        onClose={() => setLeaving(null)}
      >
        <p>
          From that moment on <b>{leaving.user}</b> can neither see nor change what belongs to project{' '}
          <b>{leaving.project}</b>, with a password or with a token. Nodes and networks stay as they are.
        </p>
      </ActionDialog>
    );
  return (
    <Dialog title={props.title} isOpen onClose={props.onClose}>
      <div className="grid gap-4">
        {props.has.length === 0 ? (
          <p className="text-dim">{props.kind === 'project' ? 'In no project.' : 'Nobody is in it.'}</p>
        ) : (
          <ul
            aria-label={props.kind === 'project' ? 'Projects' : 'Members'}
            className="rounded-card border border-line"
          >
            {[...props.has].sort(naturalOrder).map((name) => (
              <li
                key={name}
                className="flex items-center justify-between gap-3 border-b border-line py-1 pr-1 pl-3 last:border-b-0"
              >
                <span className="min-w-0 truncate font-mono" title={name}>
                  {name}
                </span>
                <Button look="quiet" aria-label={`Remove ${name}…`} onClick={() => setLeaving(props.pairWith(name))}>
                  Remove…
                </Button>
              </li>
            ))}
          </ul>
        )}
        <Joining {...props} />
      </div>
    </Dialog>
  );
};

const Joining = ({ kind, has, all, pairWith }: MembershipProps) => {
  const queries = useQueryClient();
  const rest = all.filter((name) => !has.includes(name)).sort(naturalOrder);
  const [wished, setWished] = useState('');
  const chosen = rest.includes(wished) ? wished : '';
  const add = useAction({
    mutationFn: () => corral.userAddProject(pairWith(chosen)),
    onSettled: () => Promise.all(stale.map((key) => queries.invalidateQueries({ queryKey: [key] }))),
  });
  if (rest.length === 0)
    return (
      <p className="text-dim">{kind === 'project' ? 'There are no other projects.' : 'There are no other users.'}</p>
    );
  const { user, project } = pairWith(chosen);
  return (
    <form
      className="grid gap-3"
      onChange={add.forget}
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen !== '') add.start();
      }}
    >
      <ChoiceField
        label={kind === 'project' ? 'Add to project' : 'Add user'}
        options={rest}
        value={chosen}
        error={add.error && sentenceOf(add.error)}
        onChange={setWished}
      />
      <div className="flex min-w-0 flex-wrap items-center gap-2">
        <Button
          type="submit"
          look="primary"
          isBusy={add.isPending}
          unless={chosen === '' ? `Choose a ${kind} first` : null}
        >
          Add
        </Button>
        {chosen !== '' && <Command text={commandOf('user', 'project', 'add', user, project)} />}
      </div>
    </form>
  );
};
