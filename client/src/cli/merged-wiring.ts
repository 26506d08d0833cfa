import type { Calls } from '../index.ts';
import { naturalOrder } from '../natural-order.ts';

type Wiring = Calls['showSwitchWiring']['reply'];
type Nic = Wiring['nics'][number];

/**
 * What several switches tell, as one answer. Each tells of the nics that are recorded on it, and of others that it saw
 * at its registered ports.
 */
export const mergedWiring = (views: readonly Wiring[]): Wiring => {
  const nics = new Map<string, Nic>();
  for (const nic of views.flatMap((view) => view.nics)) {
    const name = `${nic.node} ${nic.nic}`;
    const known = nics.get(name);
    nics.set(name, known === undefined ? nic : merged(known, nic));
  }
  return {
    nics: [...nics].sort(([one], [other]) => naturalOrder(one, other)).map(([, nic]) => nic),
    switches: views.flatMap(({ switches }) => switches),
  };
};

/** As the service judges what several switches of one node tell: a port with a nic has an address to itself. */
const merged = (one: Nic, other: Nic): Nic => {
  const [first, second] = one.verdict === 'elsewhere' ? [other, one] : [one, other];
  const isElsewhere =
    second.verdict === 'elsewhere' && (first.verdict !== 'right' || second.seen.some(({ nic }) => nic !== null));
  return {
    ...first,
    seen: [...first.seen, ...second.seen],
    verdict: isElsewhere ? 'elsewhere' : first.verdict,
    reason: isElsewhere ? null : first.reason,
  };
};
