import { Link } from '@tanstack/react-router';
import { fillOf } from './network-colour.ts';

/** A network by its colour and its name. */
export const NetworkChip = ({ network, channel }: { readonly network: string; readonly channel?: string }) => (
  <Link
    to="/networks/$network"
    params={{ network }}
    title={channel === undefined || channel === 'vlan/native' ? network : `${network}, tagged (${channel})`}
    className="inline-flex max-w-56 items-center gap-1.5 rounded-full border border-line bg-panel px-2 text-fine text-text hover:border-line-strong"
  >
    <span aria-hidden className="size-2.5 shrink-0 rounded-[2px]" style={{ background: fillOf(network) }} />
    <span className="truncate">{network}</span>
    {channel !== undefined && channel !== 'vlan/native' && <span className="text-dim">tagged</span>}
  </Link>
);
