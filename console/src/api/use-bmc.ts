import type { Calls } from '@corral/client';
import { useQuery } from '@tanstack/react-query';
import { allBmcs } from './queries.ts';
import { useMe } from './use-me.ts';

/** A BMC as it is registered, without secrets. */
export type Bmc = Calls['showBmc']['reply'];

/** What is known of the BMC of a node. */
export type KnownBmc =
  | { readonly kind: 'registered'; readonly bmc: Bmc }
  | { readonly kind: 'none' }
  /** Its OBM daemon has not answered yet; or nobody tells the person who looks, who is no administrator. */
  | { readonly kind: 'not yet' }
  | { readonly kind: 'unknown'; readonly why: Error };

/** Whether a BMC is registered for a node, and which. */
export const useBmc = (node: string): KnownBmc => {
  const { admin } = useMe();
  const { data, error } = useQuery({ ...allBmcs, enabled: admin });
  if (error !== null) return { kind: 'unknown', why: error };
  const found = data?.bmcs.find((each) => each.node === node);
  if (data === undefined || found === undefined) return { kind: 'not yet' };
  if (found.bmc !== null) return { kind: 'registered', bmc: found.bmc };
  const silent = data.unread[new URL(found.uri).origin];
  return silent === undefined ? { kind: 'none' } : { kind: 'unknown', why: new Error(silent) };
};

/** Why nothing can be asked of a BMC that is not there. */
export const lackOfBmc = (node: string, { kind }: KnownBmc): string | null =>
  kind === 'none' ? `no BMC is registered for node ${node}; register it first` : null;
