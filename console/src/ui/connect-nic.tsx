import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { corral, type NodeOverview } from '../api/client.ts';
import { allNetworks } from '../api/queries.ts';
import { Button } from './button.tsx';
import { ChoiceField, onlyOne } from './choice-field.tsx';
import { Command } from './command.tsx';
import { ConnectDialog } from './connect-dialog.tsx';
import { SelectField } from './field.tsx';
import { Loaded } from './loaded.tsx';
import { commandOf } from './shell-word.ts';
import { Empty, sentenceOf } from './states.tsx';

/** A nic, and the node that it is in. */
export interface OneNic {
  readonly node: NodeOverview;
  readonly nic: NodeOverview['nics'][number];
}

export const native = 'vlan/native';

/** Why nothing can be asked of a nic now, as the service says it. */
export const waits = ({ node, nic }: OneNic): string | null =>
  nic.pending === null ? null : `node ${node.name} has a pending networking action on nic ${nic.label}; wait for it`;

/** Connects a nic to a network. */
export const Connect = ({ node, nic }: OneNic) => (
  <ConnectDialog
    label={nic.label}
    of={node.name}
    unless={
      waits({ node, nic }) ??
      (nic.port === null ? `nic ${nic.label} of node ${node.name} is not connected to a switch port` : null)
    }
  >
    {(close) => <ConnectForm node={node} nic={nic} onDone={close} />}
  </ConnectDialog>
);

const ConnectForm = ({ onDone, ...one }: OneNic & { readonly onDone: () => void }) => {
  const project = one.node.project ?? '';
  return (
    <Loaded query={useQuery(allNetworks)} rows={3}>
      {({ networks }) => {
        const usable = networks.filter(
          ({ name, access }) =>
            (access === null || access.includes(project)) && !Object.values(one.nic.networks).includes(name),
        );
        if (usable.length > 0) return <ConnectFields {...one} networks={usable} onDone={onDone} />;
        return (
          <Empty title="There is no other network to connect to">
            Project {project} can make one: <code className="font-mono">corral network create</code>
          </Empty>
        );
      }}
    </Loaded>
  );
};

interface Usable {
  readonly name: string;
  readonly channels: readonly string[];
}

const ConnectFields = ({
  node,
  nic,
  networks,
  onDone,
}: OneNic & { readonly networks: readonly Usable[]; readonly onDone: () => void }) => {
  const [wished, setWished] = useState(onlyOne(networks.map(({ name }) => name)));
  const [kind, setKind] = useState<'native' | 'tagged'>(nic.networks[native] === undefined ? 'native' : 'tagged');
  const { name: network, channels } = networks.find(({ name }) => name === wished) ?? nothing;
  const channel = channels.find((each) => (each === native) === (kind === 'native')) ?? native;
  const work = useMutation({
    mutationFn: () => corral.nodeConnectNetwork({ node: node.name, nic: nic.label, network, channel }),
    onSuccess: onDone,
  });
  const why = work.error === null ? null : sentenceOf(work.error);
  const isOfChannel = why?.startsWith('Channel') ?? false;
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (network !== '' && !work.isPending) work.mutate();
      }}
    >
      <ChoiceField
        label="Network"
        options={networks.map(({ name }) => name)}
        value={network}
        error={isOfChannel ? null : why}
        onChange={(next) => {
          work.reset();
          setWished(next);
        }}
      />
      <SelectField
        label="Channel"
        value={kind}
        error={isOfChannel ? why : null}
        about={
          kind === 'native' ? 'Frames have no tag; one network for each nic.' : `Frames have the tag of ${channel}.`
        }
        onChange={(event) => {
          work.reset();
          setKind(event.target.value === 'tagged' ? 'tagged' : 'native');
        }}
      >
        <option value="native">native</option>
        <option value="tagged">tagged</option>
      </SelectField>
      <Command text={commandOf('node', 'network', 'connect', node.name, nic.label, network || 'NETWORK', channel)} />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          unless={network === '' ? 'Choose a network first' : null}
          isBusy={work.isPending}
        >
          {network === '' ? 'Connect' : `Connect to ${network}`}
        </Button>
      </div>
    </form>
  );
};

const nothing: Usable = { name: '', channels: [native] };
