import { describe, expect, it } from 'vitest';
import { anonymous, type Caller } from '../../src/core/caller.ts';
import { currentCaller } from '../../src/core/current-rights.ts';
import type { Tx } from '../../src/db/service-database.ts';

type Named = Extract<Caller, { kind: 'user' }>;

const tx = {} as Tx;
const member: Named = { kind: 'user', name: 'ada', admin: false, projects: new Set(['red', 'blue']) };
/** A caller whom the database has other rights for by now. */
const nowIs = (caller: Named, current: Caller): Caller => ({ ...caller, recheck: () => Promise.resolve(current) });

describe('the rights of a caller, read again in the transaction of a change,', () => {
  it.each<[string, Named, Caller]>([
    ['administrative access was taken away', { ...member, admin: true }, member],
    ['one of several projects was taken away', member, { ...member, projects: new Set(['red']) }],
    ['only looking is left', member, { ...member, readOnly: true }],
    ['nothing is left', member, anonymous],
  ])('do not count any more when %s', async (_, caller, current) => {
    for (const use of ['lock', 'read'] as const) {
      await expect(currentCaller(tx, nowIs(caller, current), use)).rejects.toMatchObject({
        type: 'AuthorizationError',
      });
    }
  });

  it('are those of the database when they are the same, or more', async () => {
    for (const current of [
      { ...member, projects: new Set(['red', 'blue', 'green']) },
      { ...member, admin: true },
    ]) {
      expect(await currentCaller(tx, nowIs(member, current), 'lock')).toBe(current);
    }
  });

  it('end with the credentials, also where the backend keeps its people elsewhere', async () => {
    const until = Date.now();
    await expect(currentCaller(tx, { ...member, until }, 'lock')).rejects.toMatchObject({ type: 'AuthorizationError' });
    const later = { ...member, until: until + 60_000 };
    expect(await currentCaller(tx, later, 'lock')).toBe(later);
  });
});
