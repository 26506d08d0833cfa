import type { Caller } from '../../core/caller.ts';
import { type Description, timeOf } from './keystone-responses.ts';

type User = Extract<Caller, { kind: 'user' }>;

/** Whose token it is, and what it is good for. */
export interface Identity {
  readonly caller: User;
  /** The one project that it is for; null: none. */
  readonly project: string | null;
}

/** Turns Keystone's description of a token into a caller. */
export const identityOf = (token: Description, adminRole: string): Identity => {
  // A project that acts as a domain is one by another name, and nobody's tenant.
  const project = token.is_domain === true ? null : (token.project?.id ?? null);
  // An administrator of one domain is none of the site.
  const isOfSite = project !== null || token.system?.all === true;
  const isDelegated = delegations.some((kind) => token[kind] !== undefined);
  const { user, issued_at, expires_at } = token;
  const account = {
    kind: 'identity',
    backend: 'keystone',
    subject: `${user.id}/${project ?? ''}`,
    ...(issued_at === undefined ? {} : { vouchedAt: timeOf(issued_at) }),
  } as const;
  return {
    project,
    caller: {
      kind: 'user',
      // A user of the database has no colon in their name; the last @ is before the domain.
      name: `keystone:${plain(user.name)}@${plain(user.domain.name).replaceAll('@', '%40')}`,
      admin: isOfSite && (token.roles ?? []).some(({ name }) => name === adminRole),
      projects: new Set(project === null ? [] : [project]),
      until: timeOf(expires_at),
      // What was lent to somebody for a purpose makes nothing that lasts longer.
      ...(isDelegated ? {} : { account }),
    },
  };
};

const delegations = ['application_credential', 'OS-TRUST:trust', 'OS-OAUTH1'] as const;

/** A name that can stand in a log and is no other's: what cannot be seen is shown as %, and so is %. */
const plain = (name: string): string =>
  name.replaceAll(
    /[%\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `%${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
