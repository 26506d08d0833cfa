import { basic } from '../index.ts';
import type { Given, Scene } from './command.ts';
import { UsageError } from './mistake.ts';

/** Changes one's own password, or sets another's; answers whose. API tokens may not: one's own password is shown again. */
export const setPassword = async (scene: Scene, given: Given): Promise<string> => {
  const corral = await scene.corral();
  const me = await corral.whoami();
  const username = given.optional('user') ?? me.name;
  const isOwn = username === me.name;
  if (!isOwn && given.flag('revoke-tokens')) {
    throw new UsageError(`--revoke-tokens is for your own password; the tokens of ${username} are revoked anyway`);
  }
  const needsProof = isOwn || me.by !== 'credentials';
  const current = needsProof
    ? await scene.secret(`your current password, ${me.name}`, given.option('current-file'))
    : '';
  const password = await newPassword(scene, given, username);
  const caller = needsProof ? scene.corralAs(corral.endpoint, basic(me.name, current)) : corral;
  await caller.userSetPassword(
    { username, password, ...(isOwn ? { current, revoke_tokens: given.flag('revoke-tokens') } : {}) },
    { signal: scene.signal },
  );
  return username;
};

const newPassword = async (scene: Scene, given: Given, username: string): Promise<string> => {
  const file = given.option('password-file');
  const what = `a new password for ${username}`;
  const password = await scene.secret(what, file);
  if (file === undefined && (await scene.secret('repeat the new password')) !== password) {
    throw new UsageError('the passwords do not match; nothing was changed');
  }
  return password;
};
