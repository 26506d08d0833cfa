import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { corral, type NodeOverview } from '../api/client.ts';
import { nodeNamed } from '../api/queries.ts';
import { useBmc } from '../api/use-bmc.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { PortLink } from './node-blocks.tsx';
import { BmcLine, ChangeBmc, TestBmc } from './node-bmc.tsx';

interface OneNode {
  readonly node: NodeOverview;
}

/** What an administrator does with the record of a node: its BMC, and its end. */
export const NodeRegistration = ({ node }: OneNode) => {
  const [asked, setAsked] = useState<'bmc' | 'delete' | null>(null);
  const close = (): void => setAsked(null);
  const known = useBmc(node.name);
  const doubt = doubtOf(node);
  return (
    <Card title="Registration">
      <BmcLine known={known} />
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
            {known.kind === 'registered' ? 'Change its BMC…' : 'Register its BMC…'}
          </Button>
          <Button look="danger" unless={keeps(node)} onClick={() => setAsked('delete')}>
            Delete node…
          </Button>
        </div>
        {doubt?.switch && (
          <PortLink switch={doubt.switch} port={doubt.port}>
            Look at the port that keeps it from being deleted
          </PortLink>
        )}
        <TestBmc name={node.name} known={known} />
      </div>
      {asked === 'bmc' && <ChangeBmc name={node.name} known={known} onClose={close} />}
      {asked === 'delete' && <DeleteNode name={node.name} onClose={close} />}
    </Card>
  );
};

/** A port that the node was on, and that is not to be trusted. */
const doubtOf = ({ project, nics, blocked }: NodeOverview) =>
  project === null && nics.length === 0 ? blocked?.find(({ kind }) => kind === 'port') : undefined;

/** Why a node cannot be deleted now, as the service says it. */
const keeps = (node: NodeOverview): string | null => {
  const { name, project, nics, obm_enabled } = node;
  if (project !== null) return `node ${name} is in project ${project}; detach it first`;
  const [nic] = nics;
  if (nic !== undefined) return `node ${name} still has nic ${nic.label}; delete it first`;
  if (obm_enabled === true) return `OBM of node ${name} is enabled; disable it first`;
  const doubt = doubtOf(node);
  return doubt === undefined ? null : `node ${name} cannot be deleted: ${doubt.message}`;
};

interface DialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

const DeleteNode = ({ name, onClose }: DialogProps) => {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const leave = async (): Promise<void> => {
    await navigate({ to: '/nodes' });
    queries.removeQueries({ queryKey: nodeNamed(name).queryKey, type: 'inactive' });
  };
  return (
    <ActionDialog
      title={`Delete node ${name}`}
      label={`Delete ${name}`}
      look="danger"
      command={commandOf('node', 'delete', name)}
      run={() => corral.nodeDelete({ node: name })}
      stale={['nodes']}
      onDone={() => void leave()}
      onClose={onClose}
    >
      <p>
        The record of <b>{name}</b> is gone for good, with its metadata, and with its BMC if that belongs to the OBM
        daemon inside this service. The machine stays on or off as it is.
      </p>
    </ActionDialog>
  );
};
