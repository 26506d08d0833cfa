import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '@corral/base/config/config-error';

/** Reads the admin token from its file; makes one, for its owner's eyes only, if there is none yet. */
export const readOrMakeAdminToken = (file: string): string => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new ConfigError([`obmd.admin_token: ${file} cannot be created (${(error as Error).message})`]);
    }
  }
  const token = readFileSync(file, 'utf8').trim();
  if (/^[\x21-\x7e]{1,256}$/.test(token)) return token;
  throw new ConfigError([`obmd.admin_token: ${file} does not contain a token; delete it to have a new one created`]);
};
