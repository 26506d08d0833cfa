import { useQuery } from '@tanstack/react-query';
import type { Reading } from '../api/client.ts';
import { allNetworks } from '../api/queries.ts';
import { Badge } from './badge.tsx';
import { NetworkChip } from './network-chip.tsx';

/** What a port carries, or should. */
export const Carried = ({ reading }: { readonly reading: Reading }) =>
  reading.unclear !== undefined ? (
    <p>It may carry any VLAN: “{reading.unclear}” on the port is not understood.</p>
  ) : (
    <>
      <p className="flex flex-wrap items-center gap-1.5">
        untagged {reading.native === null ? 'none' : <Vlan vlan={String(reading.native)} />}
      </p>
      <p className="flex flex-wrap items-center gap-1.5">
        tagged{' '}
        {reading.tagged === '' ? 'none' : reading.tagged.split(', ').map((vlan) => <Vlan key={vlan} vlan={vlan} />)}
      </p>
    </>
  );

/** Does it carry nothing at all? */
export const isNothing = ({ native, tagged, unclear }: Reading): boolean =>
  native === null && tagged === '' && unclear === undefined;

/** A VLAN by the network that has it; a range, or one that no network has, by its number. */
const Vlan = ({ vlan }: { readonly vlan: string }) => {
  const network = useQuery(allNetworks).data?.networks.find(({ network_id }) => network_id === vlan);
  return (
    <>
      {network === undefined ? <Badge tone="warn">VLAN {vlan}</Badge> : <NetworkChip network={network.name} />}
      <span className="font-mono text-fine text-dim">{network === undefined ? 'no network' : `VLAN ${vlan}`}</span>
    </>
  );
};
