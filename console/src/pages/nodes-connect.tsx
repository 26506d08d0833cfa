import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { corral } from '../api/client.ts';
import { allNetworks } from '../api/queries.ts';
import { ChoiceField, onlyOne } from '../ui/choice-field.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { type Progress, WorkDialog } from '../ui/work-dialog.tsx';
import type { NodeRow } from './nodes-search.ts';

const native = 'vlan/native';

/** The nics that all of these nodes have. */
const commonNics = (nodes: readonly NodeRow[]): readonly string[] => {
  const [first = [], ...others] = nodes.map(({ node }) => node?.nics.map(({ label }) => label) ?? []);
  return first.filter((label) => others.every((labels) => labels.includes(label)));
};

/** Connects one nic of each of several nodes to a network, without a tag. */
export const ConnectNodes = ({
  nodes,
  progress,
}: {
  readonly nodes: readonly NodeRow[];
  readonly progress: Progress;
}) => {
  const networks = useQuery(allNetworks).data?.networks ?? [];
  const projects = nodes.map(({ node }) => node?.project ?? '');
  const usable = networks.filter(
    ({ access, channels }) =>
      channels.includes(native) && (access === null || projects.every((project) => access.includes(project))),
  );
  const nics = commonNics(nodes);
  const [wished, setWished] = useState<{ readonly network?: string; readonly nic?: string }>({});
  const network = wished.network ?? onlyOne(usable.map(({ name }) => name));
  const nic = wished.nic ?? onlyOne(nics);
  const words = (node: string) => ['node', 'network', 'connect', node, nic || 'NIC', network || 'NETWORK'];
  const lack =
    nics.length === 0
      ? 'There is no nic that all of these nodes have'
      : usable.length === 0
        ? 'There is no network that all of these nodes may use'
        : network === ''
          ? 'Choose a network first'
          : nic === ''
            ? 'Choose a nic first'
            : null;
  return (
    <WorkDialog
      verb="Connect"
      kind="node"
      things={nodes}
      run={async ({ name }) => {
        const { status_id } = await corral.nodeConnectNetwork({ node: name, nic, network, channel: native });
        await corral.waitForAction(status_id, { listens: false });
      }}
      command={nodes.map(({ name }) => commandOf(...words(name))).join('; ')}
      unless={lack}
      progress={progress}
    >
      <ChoiceField
        label="Network"
        options={usable.map(({ name }) => name)}
        value={network}
        onChange={(value) => setWished({ ...wished, network: value })}
      />
      <ChoiceField
        label="Nic of each"
        options={nics}
        value={nic}
        about="Frames have no tag (vlan/native)."
        onChange={(value) => setWished({ ...wished, nic: value })}
      />
    </WorkDialog>
  );
};
