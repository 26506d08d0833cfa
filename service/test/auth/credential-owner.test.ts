import { describe, expect, it } from 'vitest';
import { type OwnedRow, ownerOf } from '../../src/auth/credential-owner.ts';

const vouchedMs = 60_000;
const rules = { backends: ['database', 'oidc'], vouchedMs };

const nobody: OwnedRow = {
  ...{ user_id: null, user: null, user_is_admin: null, project: null },
  ...{ backend: null, subject: null, name: null },
  ...{ identity_is_admin: null, identity_projects: null, identity_seen_at: null },
};
const user: OwnedRow = { ...nobody, user_id: 7, user: 'ada', user_is_admin: 0 };
const person = (seenAt: number): OwnedRow => ({
  ...nobody,
  ...{ backend: 'oidc', subject: 's1', name: 'oidc:grace', identity_is_admin: 1 },
  ...{ identity_projects: '["red"]', identity_seen_at: seenAt },
});
const refused = expect.objectContaining({ type: 'AuthorizationError' }) as Error;

describe('whose a session or a token is', () => {
  it('is a user with the projects of all rows', () => {
    const rows = ['red', 'blue'].map((project) => ({ ...user, project })) as [OwnedRow, OwnedRow];
    expect(ownerOf(rows, rules)).toMatchObject({
      caller: { name: 'ada', admin: false, projects: new Set(['red', 'blue']) },
      until: Number.POSITIVE_INFINITY,
    });
  });

  it('is a person for as long as the backend vouched for them, and no longer', () => {
    const now = Date.now();
    expect(ownerOf([person(now)], rules).caller).toMatchObject({ admin: true, projects: new Set(['red']) });
    expect(() => ownerOf([person(now - vouchedMs)], rules)).toThrow(refused);
    // By a clock that has been set back since.
    expect(() => ownerOf([person(now + 10 * vouchedMs)], rules)).toThrow(refused);
  });

  it('is nobody of a backend that is not in use any more', () => {
    expect(() => ownerOf([user], { ...rules, backends: ['oidc'] })).toThrow(refused);
    expect(() => ownerOf([person(Date.now())], { ...rules, backends: ['database'] })).toThrow(refused);
  });
});
