import type { NodeOverview } from '../api/client.ts';

const whole = /^[\da-f]{2}([:-])[\da-f]{2}(?:\1[\da-f]{2}){4}$/i;

/** An address as it is compared: letters and what stands between the pairs make no difference. */
const bare = (macaddr: string): string => macaddr.toLowerCase().replaceAll(/[^\da-z]/g, '');

/** What is wrong with the form of a MAC address; null: nothing, or it is still to be typed. */
export const macMistake = (macaddr: string): string | null =>
  macaddr === '' || whole.test(macaddr)
    ? null
    : 'A MAC address is six pairs of hexadecimal digits with “:” or “-” between them, such as 52:54:00:00:01:00';

/** Which nic has an address already. */
export const ownerOfMac = (macaddr: string, nodes: readonly NodeOverview[]): string | null => {
  if (!whole.test(macaddr)) return null;
  for (const { name, nics } of nodes) {
    const nic = nics.find((each) => bare(each.macaddr) === bare(macaddr));
    if (nic !== undefined) return `Nic ${nic.label} of node ${name} has this address already`;
  }
  return null;
};

export const isSameMac = (one: string, other: string): boolean => bare(one) !== '' && bare(one) === bare(other);
