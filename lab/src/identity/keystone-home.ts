import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { run } from '../switches/namespaces.ts';
import { temporaryDirectory, type Undo } from '../switches/undo.ts';

const execute = promisify(execFile);

/** Where a Keystone keeps everything, and the password of its first administrator. */
export interface KeystoneHome {
  readonly directory: string;
  readonly adminPassword: string;
}

/** Fills a directory with all that a Keystone needs to start: configuration, keys, tables and an administrator. */
export const prepareHome = async (url: string, undo: Undo): Promise<KeystoneHome> => {
  const directory = await temporaryDirectory('keystone', undo);
  const file = join(directory, 'keystone.conf');
  await writeFile(file, configuration(directory), { mode: 0o600 });
  for (const repository of ['fernet', 'credential']) await writeKeys(join(directory, repository));
  const adminPassword = randomBytes(12).toString('hex');
  const env = { PATH: process.env['PATH'], OS_BOOTSTRAP_PASSWORD: adminPassword };
  const manage = (...args: readonly string[]) => execute('keystone-manage', ['--config-file', file, ...args], { env });
  await manage('db_sync');
  // Without it a wrong password after a good one waits for a lock that its own process holds.
  await run('sqlite3', [join(directory, 'keystone.db'), 'pragma journal_mode = wal']);
  await manage('bootstrap', '--bootstrap-region-id', 'lab', '--bootstrap-public-url', url);
  return { directory, adminPassword };
};

/** `keystone-manage fernet_setup` would do the same in three seconds. */
const writeKeys = async (repository: string): Promise<void> => {
  await mkdir(repository, { mode: 0o700 });
  for (const name of ['0', '1']) {
    const key = `${randomBytes(32).toString('base64url')}=`;
    await writeFile(join(repository, name), key, { mode: 0o600 });
  }
};

/** Without a cache, validating a token takes seconds. */
const configuration = (directory: string): string => `[DEFAULT]
log_file = ${join(directory, 'keystone.log')}
[database]
connection = sqlite:///${join(directory, 'keystone.db')}
[token]
provider = fernet
[fernet_tokens]
key_repository = ${join(directory, 'fernet')}
[fernet_receipts]
key_repository = ${join(directory, 'fernet')}
[credential]
key_repository = ${join(directory, 'credential')}
[identity]
password_hash_rounds = 4
[cache]
enabled = true
backend = dogpile.cache.memory
`;
