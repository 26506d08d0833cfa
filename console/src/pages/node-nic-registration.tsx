import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { corral, type NodeOverview } from '../api/client.ts';
import { allNodes } from '../api/queries.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { Button } from '../ui/button.tsx';
import { type OneNic, waits } from '../ui/connect-nic.tsx';
import { TextField } from '../ui/field.tsx';
import { FreePort, noPlace } from '../ui/free-port.tsx';
import { macMistake, ownerOfMac } from '../ui/mac-address.ts';
import { nameMistake } from '../ui/name-rule.ts';
import { RowMenu } from '../ui/row-menu.tsx';
import { commandOf } from '../ui/shell-word.ts';

const stale = ['nodes', 'node', 'switch', 'switches'];

/** Why what belongs to a reserved node stays as it is, as the service says it. */
const isReserved = ({ name, project }: NodeOverview): string | null =>
  project === null ? null : `node ${name} is in project ${project}; detach it first`;

/** Opens the form that adds a nic to a node. */
export const AddNic = ({ node }: { readonly node: NodeOverview }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button className="h-7!" onClick={() => setOpen(true)}>
        Add a nic…
      </Button>
      {isOpen && <AddNicDialog node={node.name} onClose={() => setOpen(false)} />}
    </>
  );
};

const AddNicDialog = ({ node, onClose }: { readonly node: string; readonly onClose: () => void }) => {
  const [nic, setNic] = useState('');
  const [macaddr, setMacaddr] = useState('');
  const owner = ownerOfMac(macaddr, useQuery(allNodes).data?.nodes ?? []);
  const mistake = macMistake(macaddr);
  return (
    <ActionDialog
      title={`Add a nic to ${node}`}
      label="Add nic"
      unless={
        nic === '' || macaddr === ''
          ? 'Give a name and a MAC address first'
          : (nameMistake('nic', nic) ?? mistake ?? owner)
      }
      command={commandOf('node', 'nic', 'register', node, nic || 'NIC', macaddr || 'MAC')}
      run={() => corral.nodeRegisterNic({ node, nic, macaddr })}
      stale={stale}
      onClose={onClose}
    >
      {(refusal) => (
        <>
          <TextField
            label="Nic"
            about="Such as eth0."
            autoFocus
            autoComplete="off"
            value={nic}
            error={refusal?.includes('"macaddr"') ? null : refusal}
            mistake={nameMistake('nic', nic)}
            onChange={(event) => setNic(event.target.value)}
          />
          <TextField
            label="MAC address"
            autoComplete="off"
            spellCheck={false}
            value={macaddr}
            error={refusal?.includes('"macaddr"') ? refusal : owner}
            mistake={mistake}
            onChange={(event) => setMacaddr(event.target.value)}
          />
        </>
      )}
    </ActionDialog>
  );
};

/** What an administrator does with the record of a nic. */
export const NicMenu = ({ node, nic }: OneNic) => {
  const [asked, setAsked] = useState<'plug' | 'unplug' | 'delete' | null>(null);
  const close = (): void => setAsked(null);
  const isPlugged = typeof nic.port === 'string';
  return (
    <>
      <RowMenu
        label={`Wiring of ${nic.label}`}
        actions={[
          isPlugged
            ? {
                label: 'Unplug…',
                onChoose: () => setAsked('unplug'),
                unless: isReserved(node) ?? waits({ node, nic }),
              }
            : { label: 'Plug into a port…', onChoose: () => setAsked('plug') },
          {
            label: 'Delete nic…',
            onChoose: () => setAsked('delete'),
            isDanger: true,
            unless:
              isReserved(node) ??
              (isPlugged
                ? `nic ${nic.label} of node ${node.name} is on a switch port; detach the port from it first`
                : null),
          },
        ]}
      />
      {asked === 'plug' && <Plug node={node} nic={nic} onClose={close} />}
      {asked === 'unplug' && <Unplug node={node} nic={nic} onClose={close} />}
      {asked === 'delete' && <DeleteNic node={node} nic={nic} onClose={close} />}
    </>
  );
};

interface NicDialogProps extends OneNic {
  readonly onClose: () => void;
}

const Plug = ({ node, nic, onClose }: NicDialogProps) => {
  const [place, setPlace] = useState(noPlace);
  return (
    <ActionDialog
      title={`Plug ${nic.label} of ${node.name} into a port`}
      label="Record the cable"
      unless={place.port === '' ? 'Choose a switch and a port first' : null}
      command={commandOf('port', 'nic', 'add', place.switch || 'SWITCH', place.port || 'PORT', node.name, nic.label)}
      run={() => corral.portConnectNic({ ...place, node: node.name, nic: nic.label })}
      stale={stale}
      onClose={onClose}
    >
      {(refusal) => (
        <>
          <p>
            The port is read at once. As long as it carries something that is not recorded, {node.name} cannot be
            reserved.
          </p>
          <FreePort value={place} error={refusal} onChange={setPlace} />
        </>
      )}
    </ActionDialog>
  );
};

const Unplug = ({ node, nic, onClose }: NicDialogProps) => {
  const [on, port] = [nic.switch ?? '', nic.port ?? ''];
  return (
    <ActionDialog
      title={`Unplug ${nic.label} of ${node.name}`}
      label={`Unplug ${nic.label}`}
      look="danger"
      command={commandOf('port', 'nic', 'remove', on, port)}
      run={() => corral.portDetachNic({ switch: on, port })}
      stale={stale}
      onClose={onClose}
    >
      <p>
        It is recorded that {nic.label} is no longer on port {port} of {on}. Nothing changes on the switch, and{' '}
        {nic.label} can be connected to no network until it is plugged in again.
      </p>
    </ActionDialog>
  );
};

const DeleteNic = ({ node, nic, onClose }: NicDialogProps) => (
  <ActionDialog
    title={`Delete nic ${nic.label} of ${node.name}`}
    label={`Delete ${nic.label}`}
    look="danger"
    command={commandOf('node', 'nic', 'delete', node.name, nic.label)}
    run={() => corral.nodeDeleteNic({ node: node.name, nic: nic.label })}
    stale={stale}
    onClose={onClose}
  >
    <p>
      The record of {nic.label} ({nic.macaddr}) is gone for good. The machine stays as it is.
    </p>
  </ActionDialog>
);
