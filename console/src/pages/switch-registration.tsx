import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { corral, type PortOverview, type SwitchDetails } from '../api/client.ts';
import { switchNamed } from '../api/queries.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { Button } from '../ui/button.tsx';
import { CheckField } from '../ui/field.tsx';
import { commandOf } from '../ui/shell-word.ts';

/** Ends the record of a switch that has no ports any more. */
export const DeleteSwitch = ({ found }: { readonly found: SwitchDetails }) => {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const leave = async (): Promise<void> => {
    await navigate({ to: '/switches' });
    queries.removeQueries({ queryKey: switchNamed(found.name).queryKey, type: 'inactive' });
  };
  const port = found.port_list.find(({ registered }) => registered)?.port;
  return (
    <>
      <Button
        look="danger"
        unless={port === undefined ? null : `switch ${found.name} still has port ${port}; delete its ports first`}
        onClick={() => setAsking(true)}
      >
        Delete…
      </Button>
      {isAsking && (
        <ActionDialog
          title={`Delete switch ${found.name}`}
          label={`Delete ${found.name}`}
          look="danger"
          command={commandOf('switch', 'delete', found.name)}
          run={() => corral.switchDelete({ switch: found.name })}
          stale={['switches']}
          onDone={() => void leave()}
          onClose={() => setAsking(false)}
        >
          <p>
            The record of <b>{found.name}</b> is gone for good, with its login. Nothing changes on the device.
          </p>
        </ActionDialog>
      )}
    </>
  );
};

/** Ends the record of a port that no nic is on. */
export const DeletePort = ({ on, port }: { readonly on: string; readonly port: PortOverview }) => {
  const [isAsking, setAsking] = useState(false);
  const [isForced, setForced] = useState(false);
  return (
    <>
      <Button
        look="danger"
        unless={
          port.node === null
            ? null
            : `nic ${port.nic ?? ''} of node ${port.node} is on port ${port.port}; detach it first`
        }
        onClick={() => setAsking(true)}
      >
        Delete port…
      </Button>
      {isAsking && (
        <ActionDialog
          title={`Delete port ${port.port} of ${on}`}
          label={`Delete ${port.port}`}
          look="danger"
          command={commandOf('port', 'delete', on, port.port, ...(isForced ? ['--force'] : []))}
          run={() => corral.switchDeletePort({ switch: on, port: port.port, ...(isForced ? { force: 'true' } : {}) })}
          stale={['switch', 'switches']}
          onClose={() => setAsking(false)}
        >
          {(refusal) => (
            <>
              <p>
                Corral forgets the port and leaves it as it is: it neither reads nor changes it any more. A port that
                may carry something is only deleted by force.
              </p>
              <CheckField
                label="Delete it even if its state is unknown"
                about="Only if the device or the cable no longer exists."
                checked={isForced}
                error={refusal}
                onChange={(event) => setForced(event.target.checked)}
              />
            </>
          )}
        </ActionDialog>
      )}
    </>
  );
};
