import type { IdentityRules } from '../core/dependencies.ts';
import type { Db } from '../db/service-database.ts';
import type { AuthBackend } from './auth-contract.ts';
import { SessionActivity } from './session-activity.ts';
import { sessionBackend } from './session-backend.ts';
import { tokenBackend } from './token-backend.ts';

/**
 * The backends in use by name, and around them what is made here for people: tokens are recognized by their prefix,
 * and a cookie is used when there is nothing else. Where everybody is the operator there are no people.
 */
export const configureBackends = (
  db: Db,
  identity: IdentityRules,
  named: Readonly<Record<string, AuthBackend>>,
): readonly AuthBackend[] => {
  const backends = Object.keys(named);
  if (backends.includes('null')) return Object.values(named);
  const rules = { ...identity, backends, lastUses: new SessionActivity() };
  return [tokenBackend(db, rules), ...Object.values(named), sessionBackend(db, rules)];
};
