import type { Option, ParsedArguments } from './cli-command.ts';

/** The option of commands that can exceed a quota. */
export const forceOption: Readonly<Record<'force', Option>> = {
  force: { about: 'also beyond the quota of the project (administrators only)' },
};

/** The field of a call for it: services that know no quotas do not know it either, so it is sent only if it is given. */
export const forced = (parsed: ParsedArguments): { readonly force?: true } =>
  parsed.flag('force') ? { force: true } : {};
