import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { corral, type NodeOverview } from '../api/client.ts';
import { bmcTypes } from '../api/queries.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { type DeviceSchema, valuesToSend, wordsOf } from '../ui/device-schema.ts';
import { commandOf } from '../ui/shell-word.ts';
import { sentenceOf } from '../ui/states.tsx';
import type { BmcDraft } from './node-plan.ts';
import { BmcInputs } from './setup-node-bmc.tsx';

interface OneNode {
  readonly node: NodeOverview;
}

/** What an administrator does with the record of a node: its BMC, and its end. */
export const NodeRegistration = ({ node }: OneNode) => {
  const [asked, setAsked] = useState<'bmc' | 'delete' | null>(null);
  const close = (): void => setAsked(null);
  return (
    <Card title="Registration">
      <div className="grid gap-3 p-3.5">
        <div className="flex flex-wrap gap-2">
          <Button
            unless={
              node.obm_enabled === true
                ? `OBM of node ${node.name} is enabled, and a change of its BMC would end that; disable it first`
                : null
            }
            onClick={() => setAsked('bmc')}
          >
            Register its BMC…
          </Button>
          <Button look="danger" unless={keeps(node)} onClick={() => setAsked('delete')}>
            Delete node…
          </Button>
        </div>
        <TestBmc name={node.name} />
      </div>
      {asked === 'bmc' && <RegisterBmc name={node.name} onClose={close} />}
      {asked === 'delete' && <DeleteNode name={node.name} onClose={close} />}
    </Card>
  );
};

/** Why a node cannot be deleted now, as the service says it. */
const keeps = ({ name, project, nics, obm_enabled }: NodeOverview): string | null => {
  if (project !== null) return `node ${name} is in project ${project}; detach it first`;
  const [nic] = nics;
  if (nic !== undefined) return `node ${name} still has nic ${nic.label}; delete it first`;
  return obm_enabled === true ? `OBM of node ${name} is enabled; disable it first` : null;
};

/** Logs in to the BMC, and says what answered. */
const TestBmc = ({ name }: { readonly name: string }) => {
  const test = useMutation({ mutationFn: () => corral.bmcTest({ node: name }) });
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button isBusy={test.isPending} title={commandOf('bmc', 'test', name)} onClick={() => test.mutate()}>
        Test its BMC
      </Button>
      {test.error !== null && (
        <span role="alert" className="min-w-0 text-bad">
          {sentenceOf(test.error)}
        </span>
      )}
      {test.data !== undefined && (
        <span role="status" className="min-w-0 text-dim">
          {test.data.answered} answered after {test.data.seconds} s, with privileges: {test.data.privileges}
        </span>
      )}
    </div>
  );
};

interface DialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

const RegisterBmc = ({ name, onClose }: DialogProps) => {
  const types = useQuery(bmcTypes).data?.types ?? {};
  const [bmc, setBmc] = useState<BmcDraft>({ type: '', values: {}, fields: [] });
  return (
    <ActionDialog
      title={`Register the BMC of ${name}`}
      label="Register BMC"
      unless={bmc.type === '' ? 'Choose its type first' : null}
      command={`${commandOf('bmc', 'register', name, bmc.type || 'TYPE')} ${wordsOf(bmc.fields, bmc.values)}`.trim()}
      run={() => corral.bmcRegister({ node: name, type: bmc.type, info: valuesToSend(bmc.fields, bmc.values) })}
      stale={['node', 'power']}
      onClose={onClose}
    >
      {(refusal) => (
        <BmcInputs
          schemas={Object.fromEntries(
            Object.entries(types).map(([type, { fields }]) => [type, fields as DeviceSchema]),
          )}
          value={bmc}
          error={refusal === null ? null : new Error(refusal)}
          onChange={setBmc}
        />
      )}
    </ActionDialog>
  );
};

const DeleteNode = ({ name, onClose }: DialogProps) => {
  const navigate = useNavigate();
  return (
    <ActionDialog
      title={`Delete node ${name}`}
      label={`Delete ${name}`}
      look="danger"
      command={commandOf('node', 'delete', name)}
      run={() => corral.nodeDelete({ node: name })}
      stale={['nodes']}
      onDone={() => void navigate({ to: '/nodes' })}
      onClose={onClose}
    >
      <p>
        The record of <b>{name}</b> is gone for good, with its metadata, and with its BMC if that belongs to the OBM
        daemon inside this service. The machine stays on or off as it is.
      </p>
    </ActionDialog>
  );
};
