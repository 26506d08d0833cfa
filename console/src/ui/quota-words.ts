import type { Quota } from '../api/client.ts';
import { commandOf } from './shell-word.ts';

/** Of what there can be so many at most. */
export type Limited = Pick<Quota, 'what' | 'class'>;

/** What is limited, for everybody who has no limit of their own or for one project. */
export type QuotaName = Limited & Pick<Quota, 'project'>;

/** `nodes of class gpu`, `networks`. */
export const limitedWords = ({ what, class: name }: Limited): string =>
  name === null ? what : `${what} of class ${name}`;

export const isSameLimited = (one: Limited, other: Limited): boolean =>
  one.what === other.what && one.class === other.class;

/** What names a quota in a call. */
export const quotaArguments = ({ what, class: name, project }: QuotaName) => ({
  what,
  ...(project === null ? {} : { project }),
  ...(name === null ? {} : { class: name }),
});

/** The command that does something with a quota. */
export const quotaCommand = (verb: 'set' | 'delete', { what, class: name, project }: QuotaName, limit?: string) =>
  commandOf(
    ...['quota', verb, what],
    ...(limit === undefined ? [] : [limit]),
    ...(project === null ? [] : ['--project', project]),
    ...(name === null ? [] : ['--class', name]),
  );
