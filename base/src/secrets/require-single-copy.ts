import { ConfigError } from '../config/config-error.ts';
import type { OtherMachines } from '../db/other-machines.ts';

/**
 * Refuses if there are machines that have a copy of the key file, as far as the databases can tell: they would go on
 * sealing with a key that is about to leave.
 */
export const requireSingleCopy = async (
  databases: readonly { readonly otherMachines: () => Promise<OtherMachines> }[],
  warn: (text: string) => void,
): Promise<void> => {
  const seen = await Promise.all(databases.map(({ otherMachines }) => otherMachines()));
  const addresses = [...new Set(seen.flatMap((one) => one.addresses))];
  if (addresses.length > 0) {
    throw new ConfigError([
      `the database is also in use from other machines (${addresses.join(', ')}), and what they seal with a copy of the old key would be lost: run rotate-key --prepare, rotate-key --keep-old and rotate-key, and copy the key file to them after each; or rotate-key --single-machine if none of them has a copy`,
    ]);
  }
  const placeholder = seen.reduce((sum, one) => sum + one.hidden, 0);
  if (placeholder > 0) {
    warn(
      `cannot tell whether other machines use the database: the addresses of ${placeholder} connections of other database users are hidden`,
    );
  }
};
