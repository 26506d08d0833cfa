import type { DatabaseInTransaction } from './program-databases.ts';
import { counted } from './text-layout.ts';

/** What becomes of the API tokens in a backup. */
export type Tokens = 'kept' | 'revoked';

/** Sessions and tokens of a backup that are not restored. */
export interface Ended {
  readonly sessions: number;
  readonly tokens: number;
}

/** Ends the sessions that came with a backup: the service may have ended them since. Tokens only if that is wanted. */
export const endOldLogins = async (inside: readonly DatabaseInTransaction[], tokens: Tokens): Promise<Ended> => ({
  sessions: await emptied(inside, 'sessions'),
  tokens: tokens === 'revoked' ? await emptied(inside, 'api_tokens') : 0,
});

const emptied = async (inside: readonly DatabaseInTransaction[], table: string): Promise<number> => {
  const programDatabase = inside.find(({ tables }) => tables.some(({ name }) => name === table));
  return (await programDatabase?.access.all(`delete from "${table}" returning id`))?.length ?? 0;
};

/** What an operator has to know of them. */
export const describeEndedLogins = (ended: Ended, tokens: Tokens, madeAt: string): string[] => [
  `Sessions are not restored (${counted(ended.sessions, 'session')}): all users must sign in again.`,
  ...(tokens === 'revoked'
    ? [
        `All API tokens are revoked (${counted(ended.tokens, 'token')}): scripts need new ones.`,
        `Users and passwords are those of ${madeAt}: what was deleted or changed since then`,
        'is valid again. Delete such users, and set such passwords with corral-admin reset-password.',
      ]
    : [
        `Users, passwords and API tokens are those of ${madeAt}: what was deleted, changed or`,
        'revoked since then is valid again. Delete such users, set such passwords with corral-admin',
        'reset-password, and revoke such tokens; restore --revoke-tokens revokes them all.',
      ]),
];
