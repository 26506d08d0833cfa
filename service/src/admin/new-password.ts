import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { text as wholeOf } from 'node:stream/consumers';
import { ConfigError } from '@corral/base/config/config-error';
import { describeFileError } from '@corral/base/config/file-error';
import { checkOf } from '@corral/base/schema/schema-check';
import { NewPassword } from '../schema/passwords.ts';
import { askHidden } from './admin-prompts.ts';
import type { Invocation } from './admin-command.ts';

/** How both password commands get the password. */
export const passwordOptions = {
  'password-file': { type: 'string' },
  generate: { type: 'boolean' },
} as const;

export const passwordUsage = '[--password-file FILE | --generate]';

export const passwordHelp = `  --password-file FILE  reads the password from a file (\`-\`: from standard input)
  --generate            generates one and shows it once`;

/** A password, and whether it was made here. */
export interface ChosenPassword {
  readonly password: string;
  readonly isGenerated: boolean;
}

/** Asks for a password twice without showing it, or takes it from where the options say. */
export const choosePassword = async (invocation: Invocation, username: string): Promise<ChosenPassword> => {
  const { options } = invocation;
  const file = options['password-file'];
  const isGenerated = options['generate'] === true;
  if (isGenerated && file !== undefined) throw new ConfigError(['--password-file and --generate cannot be combined']);
  if (isGenerated) return { password: randomBytes(18).toString('base64url'), isGenerated };
  const password = typeof file === 'string' ? await readPassword(invocation, file) : await askTwice(invocation);
  const mistakes = checkOf(NewPassword, () => 'the password')(password);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  if (password === username) throw new ConfigError(['the password is the user name; choose another']);
  return { password, isGenerated };
};

const otherwise = 'give the password with --password-file, or generate one with --generate';

const askTwice = async (invocation: Invocation): Promise<string> => {
  const [password = '', again] = await askHidden(invocation, ['new password', 'repeat the new password'], otherwise);
  if (again === password) return password;
  throw new ConfigError(['the passwords do not match; nothing was changed']);
};

const readPassword = async ({ input }: Invocation, file: string): Promise<string> => {
  try {
    const text = file === '-' ? await wholeOf(input) : await readFile(file, 'utf8');
    return text.replace(/\r?\n$/, '');
  } catch (error) {
    throw new ConfigError([`--password-file: ${file} cannot be read: ${describeFileError(error)}`]);
  }
};
