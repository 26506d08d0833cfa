import { Link } from '@tanstack/react-router';
import { fillOf } from './network-colour.ts';

/** A network by its colour and its name. */
export const NetworkChip = ({ network, channel }: { readonly network: string; readonly channel?: string }) => (
  <Link
    to="/networks/$network"
    params={{ network }}
    title={channel === undefined || channel === 'vlan/native' ? network : `${network}, tagged (${channel})`}
    className="inline-flex max-w-56 min-w-0 items-center gap-1.5 rounded-full border border-line bg-panel px-2 text-fine text-text hover:border-line-strong"
  >
    <span aria-hidden className="size-2.5 shrink-0 rounded-[2px]" style={{ background: fillOf(network) }} />
    <span className="truncate">{network}</span>
    {channel !== undefined && channel !== 'vlan/native' && <span className="shrink-0 text-dim">tagged</span>}
  </Link>
);

/** So many fit into a cell of a table. */
const mostChips = 2;

/** The networks of a row, on one line: what does not fit is counted, and named on hover. */
export const NetworkChips = ({
  networks,
}: {
  readonly networks: readonly { readonly network: string; readonly channel: string }[];
}) => {
  const rest = networks.slice(mostChips).map(({ network }) => network);
  return (
    <>
      {networks.slice(0, mostChips).map(({ network, channel }) => (
        <NetworkChip key={`${channel} ${network}`} network={network} channel={channel} />
      ))}
      {rest.length > 0 && (
        <span className="shrink-0 text-fine text-dim" title={rest.join(', ')}>
          +{rest.length}
          <span className="sr-only">: {rest.join(', ')}</span>
        </span>
      )}
    </>
  );
};
