import { useMutation, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { corral, type HeadnodeOverview } from '../api/client.ts';
import { allNetworks } from '../api/queries.ts';
import { Ask } from '../ui/ask.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { ChoiceField, onlyOne } from '../ui/choice-field.tsx';
import { Command } from '../ui/command.tsx';
import { ConnectDialog } from '../ui/connect-dialog.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { changeRefusal } from '../ui/headnode-state.ts';
import { Loaded } from '../ui/loaded.tsx';
import { nameLack, nameMistake } from '../ui/name-rule.ts';
import { naturalOrder } from '../ui/natural-order.ts';
import { NetworkChip } from '../ui/network-chip.tsx';
import { commandOf } from '../ui/shell-word.ts';
import { Empty, sentenceOf } from '../ui/states.tsx';

type Hnic = HeadnodeOverview['hnics'][number];

interface OneHnic {
  readonly headnode: HeadnodeOverview;
  readonly hnic: Hnic;
}

/** The virtual nics of a headnode, and the network that each is on. */
export const HeadnodeHnics = ({ headnode }: { readonly headnode: HeadnodeOverview }) => {
  const hnics = [...headnode.hnics].sort((a, b) => naturalOrder(a.label, b.label));
  const columns: readonly Column<Hnic>[] = [
    { name: 'hnic', heading: 'Hnic', width: '24%', cell: ({ label }) => <HnicName label={label} /> },
    {
      name: 'network',
      heading: 'Network',
      cell: (hnic) =>
        hnic.network === null ? (
          <Connect headnode={headnode} hnic={hnic} />
        ) : (
          <>
            <NetworkChip network={hnic.network} />
            <Detach headnode={headnode} hnic={hnic} network={hnic.network} />
          </>
        ),
    },
    {
      name: 'remove',
      heading: 'Remove',
      hidesHeading: true,
      width: '100px',
      cell: (hnic) => <Remove headnode={headnode} hnic={hnic} />,
    },
  ];
  return (
    <Card title="Hnics" actions={<AddHnic headnode={headnode} />}>
      {hnics.length === 0 ? (
        <Empty title="It has no hnics">Without one it is on no network.</Empty>
      ) : (
        <DataTable label="Hnics" rows={hnics} columns={columns} keyOf={({ label }) => label} minWidth={340} />
      )}
    </Card>
  );
};

const HnicName = ({ label }: { readonly label: string }) => (
  <span className="truncate font-mono" title={label}>
    {label}
  </span>
);

/** Opens a form; what was typed is gone when it is closed. */
const AddHnic = ({ headnode }: Pick<OneHnic, 'headnode'>) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button unless={changeRefusal(headnode)} onClick={() => setOpen(true)}>
        Add an hnic…
      </Button>
      <Dialog title={`Add an hnic to ${headnode.name}`} isOpen={isOpen} onClose={() => setOpen(false)}>
        <AddFields headnode={headnode} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
};

const AddFields = ({ headnode: { name, hnics }, onDone }: Pick<OneHnic, 'headnode'> & { onDone: () => void }) => {
  const [hnic, setHnic] = useState(() => nextLabel(hnics));
  const add = useMutation({
    mutationFn: () => corral.headnodeCreateHnic({ headnode: name, hnic }),
    onSuccess: onDone,
  });
  const lack = nameLack('hnic', hnic);
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (lack === null && !add.isPending) add.mutate();
      }}
    >
      <TextField
        label="Name"
        autoFocus
        required
        autoComplete="off"
        value={hnic}
        error={add.error && sentenceOf(add.error)}
        mistake={nameMistake('hnic', hnic)}
        onChange={(event) => {
          add.reset();
          setHnic(event.target.value);
        }}
      />
      <Command text={commandOf('headnode', 'nic', 'create', name, hnic === '' ? 'HNIC' : hnic)} />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="primary" unless={lack} isBusy={add.isPending}>
          Add <span className="max-w-40 truncate">{hnic}</span>
        </Button>
      </div>
    </form>
  );
};

/** The first of eth0, eth1, … that is not there. */
const nextLabel = (hnics: readonly Hnic[]): string => {
  const taken = new Set(hnics.map(({ label }) => label));
  let number = 0;
  while (taken.has(`eth${number}`)) number += 1;
  return `eth${number}`;
};

const Remove = ({ headnode, hnic: { label } }: OneHnic) => (
  <Ask
    label="Remove"
    look="quiet"
    className="h-7! text-bad!"
    aria-label={`Remove ${label}`}
    unless={changeRefusal(headnode)}
    title={`Remove ${label} from ${headnode.name}?`}
    verb={`Remove ${label}`}
    command={commandOf('headnode', 'nic', 'delete', headnode.name, label)}
    run={() => corral.headnodeDeleteHnic({ headnode: headnode.name, hnic: label })}
  />
);

const Detach = ({ headnode, hnic: { label }, network }: OneHnic & { readonly network: string }) => {
  const words = `Detach ${label} from ${network}`;
  return (
    <Ask
      label={<X size={13} aria-hidden />}
      aria-label={words}
      look="quiet"
      className="h-6! px-1! text-dim"
      unless={changeRefusal(headnode)}
      title={`${words}?`}
      verb={words}
      command={commandOf('headnode', 'network', 'detach', headnode.name, label)}
      run={() => corral.headnodeDetachNetwork({ headnode: headnode.name, hnic: label })}
    />
  );
};

const Connect = ({ headnode, hnic }: OneHnic) => (
  <ConnectDialog label={hnic.label} of={headnode.name} unless={changeRefusal(headnode)}>
    {(close) => <ConnectForm headnode={headnode} hnic={hnic} onDone={close} />}
  </ConnectDialog>
);

const ConnectForm = ({ onDone, ...one }: OneHnic & { readonly onDone: () => void }) => {
  const { project } = one.headnode;
  return (
    <Loaded query={useQuery(allNetworks)} rows={3}>
      {({ networks }) => {
        const usable = networks.filter(({ access }) => access === null || access.includes(project));
        if (usable.length > 0)
          return <ConnectFields {...one} networks={usable.map(({ name }) => name)} onDone={onDone} />;
        return (
          <Empty title="There is no network to connect to">
            Project {project} can make one: <code className="font-mono">corral network create</code>
          </Empty>
        );
      }}
    </Loaded>
  );
};

const ConnectFields = ({
  headnode: { name: headnode },
  hnic: { label: hnic },
  networks,
  onDone,
}: OneHnic & { readonly networks: readonly string[]; readonly onDone: () => void }) => {
  const [network, setNetwork] = useState(onlyOne(networks));
  const work = useMutation({
    mutationFn: () => corral.headnodeConnectNetwork({ headnode, hnic, network }),
    onSuccess: onDone,
  });
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
        options={networks}
        value={network}
        error={work.error && sentenceOf(work.error)}
        onChange={(next) => {
          work.reset();
          setNetwork(next);
        }}
      />
      <Command text={commandOf('headnode', 'network', 'connect', headnode, hnic, network || 'NETWORK')} />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          unless={network === '' ? 'Choose a network first' : null}
          isBusy={work.isPending}
        >
          Connect {network !== '' && 'to '}
          <span className="max-w-40 truncate">{network}</span>
        </Button>
      </div>
    </form>
  );
};
