import type { IdentityRules } from '../core/site.ts';
import type { Db } from '../db/db.ts';
import type { AuthBackend } from './contract.ts';
import { LastUses } from './last-uses.ts';
import { sessionBackend } from './sessions.ts';
import { tokenBackend } from './tokens.ts';

/**
 * The backends in use by name, and around them what is made here for people: tokens are recognized by their prefix,
 * and a cookie is used when there is nothing else. Where everybody is the operator there are no people.
 */
export const withSessions = (
  db: Db,
  identity: IdentityRules,
  named: Readonly<Record<string, AuthBackend>>,
): readonly AuthBackend[] => {
  const backends = Object.keys(named);
  if (backends.includes('null')) return Object.values(named);
  const rules = { ...identity, backends, lastUses: new LastUses() };
  return [tokenBackend(db, rules), ...Object.values(named), sessionBackend(db, rules)];
};
