import { AuthorizationError } from '../index.ts';
import type { ParsedArguments } from './cli-command.ts';
import type { CallerSource, CallerUsed } from './client-from-options.ts';
import { keystoneHint } from './keystone-hint.ts';

/** Nobody waits longer for a hint. */
const longestMs = 3_000;

/**
 * What to try after the service said no. It is asked who the caller is: who is known there needs a right and not a
 * login, and who is not needs credentials that it accepts.
 */
export const refusalHint = async (
  error: AuthorizationError,
  { corral, source }: CallerUsed,
  parsed: ParsedArguments,
): Promise<string | null> => {
  // A user who has just given a password knows what was wrong.
  if (error.message.startsWith('wrong user name or password')) return null;
  const hint = corral.whoami().then(
    (me) => missingRight(error, me, { source, endpoint: corral.endpoint }, parsed),
    // Without an answer nothing is known, and a wrong hint is worse than none.
    (failure: unknown) =>
      failure instanceof AuthorizationError ? missingLogin(failure, source, corral.endpoint) : null,
  );
  const quiet = hint.catch(() => null);
  const late = new Promise<null>((resolve) => setTimeout(resolve, longestMs, null).unref());
  return Promise.race([quiet, late]);
};

interface Me {
  readonly name: string;
  readonly admin: boolean;
  readonly projects: readonly string[];
  readonly read_only: boolean;
}

const missingRight = (
  { message }: Error,
  me: Me,
  { source, endpoint }: { readonly source: CallerSource; readonly endpoint: string },
  parsed: ParsedArguments,
): string | null => {
  const who = `you are ${me.name} at ${endpoint}`;
  if (me.read_only && message.includes('read-only'))
    return `${who}, with a read-only token; corral token create NAME creates one that may change things`;
  if (message.includes('administrative access') || message.includes('administrators only'))
    return `${who}, without administrative access; ask an administrator`;
  if (/has access to network|owns network/.test(message))
    return `${who}, ${placeOf(me)}; its owner or an administrator can grant access: corral network grant-access ${parsed.optional('network') ?? 'NETWORK'} PROJECT`;
  if (!/\bproject\b/.test(message)) return null;
  const named = parsed.optional('project') ?? parsed.option('project') ?? parsed.optional('owner');
  if (source.kind === 'keystone') {
    return `${who}, ${placeOf(me)}: Keystone's token is for that project; for another, set OS_PROJECT_ID${named === undefined || me.projects.includes(named) ? '' : `=${named}`}`;
  }
  const isMissing = named !== undefined && !me.projects.includes(named);
  return isMissing
    ? `${who}, ${placeOf(me)}, and not in project ${named}; an administrator can add you: corral user project add ${me.name} ${named}`
    : `${who}, ${placeOf(me)}; an administrator can add you to the project that has it`;
};

const placeOf = ({ projects }: Me): string => {
  if (projects.length === 0) return 'in no project';
  return `in ${projects.length === 1 ? 'project' : 'projects'} ${projects.join(', ')}`;
};

const missingLogin = (
  refusal: AuthorizationError,
  source: CallerSource,
  endpoint: string,
): string | null | Promise<string | null> => {
  switch (source.kind) {
    case 'none':
      return source.otherProfile === null
        ? `you are not logged in at ${endpoint}: corral login ${endpoint}`
        : `profile ${source.otherProfile.name} is for ${source.otherProfile.endpoint}, so its token was not sent to ${endpoint}; log in there: corral login ${endpoint} --profile NAME`;
    case 'profile':
      return `${endpoint} no longer accepts the token of profile ${source.name}: it has expired or was revoked; log in again: corral login ${endpoint} --profile ${source.name}`;
    case 'token':
      return `${endpoint} does not accept the token in CORRAL_TOKEN: it has expired, was revoked, or is for another service`;
    case 'keystone':
      return keystoneHint(refusal, source, endpoint);
    case 'other':
      return null;
  }
};
