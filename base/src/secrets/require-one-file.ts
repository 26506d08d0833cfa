import { ConfigError } from '../config/config-error.ts';
import type { Elsewhere } from '../db/elsewhere.ts';

/**
 * Refuses if there are machines that have a copy of the key file, as far as the databases can tell: they would go on
 * sealing with a key that is about to leave.
 */
export const requireOneFile = async (
  databases: readonly { readonly elsewhere: () => Promise<Elsewhere> }[],
  warn: (text: string) => void,
): Promise<void> => {
  const seen = await Promise.all(databases.map(({ elsewhere }) => elsewhere()));
  const addresses = [...new Set(seen.flatMap((one) => one.addresses))];
  if (addresses.length > 0) {
    throw new ConfigError([
      `the database is also in use from other machines (${addresses.join(', ')}), and what they seal with a copy of the old key would be lost: run rotate-key --prepare, rotate-key --keep-old and rotate-key, and copy the key file to them after each; or rotate-key --single-machine if none of them has a copy`,
    ]);
  }
  const hidden = seen.reduce((sum, one) => sum + one.hidden, 0);
  if (hidden > 0) {
    warn(
      `cannot tell whether other machines use the database: the addresses of ${hidden} connections of other database users are hidden`,
    );
  }
};
