import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { corral, type PortOverview } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { CheckField } from '../ui/field.tsx';
import { useOutcomes } from '../ui/outcomes.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { type Progress, WorkDialog } from '../ui/work-dialog.tsx';

interface DeletePortsProps {
  readonly on: string;
  readonly ports: readonly PortOverview[];
  readonly onDone: () => void;
}

/** Why ports cannot be deleted, as far as that is known: the others are refused one by one. */
const refusalOf = (on: string, ports: readonly PortOverview[]): string | null => {
  const unknown = ports.find(({ registered }) => !registered);
  return unknown === undefined ? null : `port ${unknown.port} of switch ${on} is not registered`;
};

/** What can be done with the chosen ports of a switch. They leave the list one by one, so it stays until it is closed. */
export const DeletePorts = ({ on, ports, onDone }: DeletePortsProps) => {
  const queries = useQueryClient();
  const [asked, setAsked] = useState<readonly string[] | null>(null);
  const [isForced, setForced] = useState(false);
  const { outcomes, start, clear } = useOutcomes();
  const progress: Progress = {
    outcomes,
    begin: ({ things, run }) =>
      void start(things.map((port) => ({ key: port.name, run: () => run(port) }))).then(() => {
        for (const key of ['switch', 'switches']) void queries.invalidateQueries({ queryKey: [key] });
      }),
    close: () => {
      if (outcomes.length > 0 && outcomes.every(({ state }) => state === 'done')) onDone();
      setAsked(null);
      setForced(false);
      clear();
    },
  };
  const force = isForced ? ({ force: 'true' } as const) : {};
  const words = isForced ? ['--force'] : [];
  return (
    <>
      {ports.length > 0 && (
        <div className="flex flex-wrap items-center gap-3 border-b border-line bg-accent-soft p-3">
          <span className="font-medium">{ports.length} chosen</span>
          <Button look="danger" unless={refusalOf(on, ports)} onClick={() => setAsked(ports.map(({ port }) => port))}>
            Delete {ports.length === 1 ? '1 port' : `${ports.length} ports`}…
          </Button>
          <Button look="quiet" onClick={onDone}>
            Choose none
          </Button>
        </div>
      )}
      {asked !== null && (
        <WorkDialog
          kind="port"
          verb="Delete"
          things={asked.map((name) => ({ name }))}
          run={({ name }) => corral.switchDeletePort({ switch: on, port: name, ...force })}
          command={asked.map((port) => commandOf('port', 'delete', on, port, ...words)).join('; ')}
          look="danger"
          progress={progress}
        >
          <p className="text-dim">
            Corral forgets these ports and leaves them as they are: it neither reads nor changes them any more. Ports
            that nics are on are refused, and so are those that may carry something, unless by force.
          </p>
          <CheckField
            label="Delete them even if their state is unknown"
            about="Only if the device or the cables no longer exist."
            checked={isForced}
            onChange={({ target }) => setForced(target.checked)}
          />
        </WorkDialog>
      )}
    </>
  );
};
