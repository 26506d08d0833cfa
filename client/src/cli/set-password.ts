import { basic } from '../index.ts';
import type { ParsedArguments, CommandContext } from './cli-command.ts';
import { UsageError } from './usage-error.ts';

/** Changes one's own password, or sets another's; answers whose. API tokens may not: one's own password is shown again. */
export const setPassword = async (context: CommandContext, parsed: ParsedArguments): Promise<string> => {
  const corral = await context.corral();
  const me = await corral.whoami();
  const username = parsed.optional('user') ?? me.name;
  const isOwn = username === me.name;
  if (!isOwn && parsed.flag('revoke-tokens')) {
    throw new UsageError(`--revoke-tokens is for your own password; the tokens of ${username} are revoked anyway`);
  }
  const needsProof = isOwn || me.by !== 'credentials';
  const current = needsProof
    ? await context.secret(`your current password, ${me.name}`, parsed.option('current-file'))
    : '';
  const password = await newPassword(context, parsed, username);
  const caller = needsProof ? context.corralAs(corral.endpoint, basic(me.name, current)) : corral;
  await caller.userSetPassword(
    { username, password, ...(isOwn ? { current, revoke_tokens: parsed.flag('revoke-tokens') } : {}) },
    { signal: context.signal },
  );
  return username;
};

const newPassword = async (context: CommandContext, parsed: ParsedArguments, username: string): Promise<string> => {
  const file = parsed.option('password-file');
  const what = `a new password for ${username}`;
  const password = await context.secret(what, file);
  if (file === undefined && (await context.secret('repeat the new password')) !== password) {
    throw new UsageError('the passwords do not match; nothing was changed');
  }
  return password;
};
