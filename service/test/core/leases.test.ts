import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemCaller } from '../../src/core/caller.ts';
import type { FreeLease, Lease } from '@corral/base/db/lease-table';
import { LeaseLost, releaseLease, requireLease } from '../../src/core/leases.ts';
import { leaseTable } from '../../src/db/service-leases.ts';
import { type RequestContext, createRequestContext } from '../../src/core/request-context.ts';
import type { Dependencies } from '../../src/core/dependencies.ts';
import type { Db } from '../../src/db/service-database.ts';
import { openDatabase } from '../../src/db/open-service-database.ts';
import { dataDirectory } from '../support/services/data-directory.ts';
import { engines, migratedPostgres } from '../support/services/engines.ts';

const ms = 10_000;

describe.each(engines)('a lease on %s', (engine) => {
  let directory: string;
  let db: Db;
  let context: RequestContext;
  let count = 0;
  const newName = (): string => `object/${(count += 1)}`;

  beforeAll(async () => {
    directory = await dataDirectory('corral-leases-');
    db = await openDatabase(
      engine === 'sqlite'
        ? { engine, path: join(directory, 'corral.db') }
        : { engine, url: await migratedPostgres('corral', openDatabase), connections: 2 },
    );
    context = createRequestContext(db, {} as Dependencies, { caller: systemCaller, requestId: null });
  });
  afterEach(() => void vi.restoreAllMocks());
  afterAll(async () => {
    await db.close();
    await rm(directory, { recursive: true, force: true });
  });

  const inspect = (name: string) => context.read(async (op) => (await context.leases.inspect(op, [name], ms))(name));
  const free = async (name: string): Promise<FreeLease> => {
    const { free: found } = await inspect(name);
    if (found === null) throw new Error(`lease ${name} is held`);
    return found;
  };
  const claim = (seen: FreeLease, holder: string) => context.write((op) => leaseTable.claim(op, seen, holder, ms));
  const take = async (name: string, holder: string): Promise<Lease> => {
    const lease = await claim(await free(name), holder);
    if (lease === null) throw new Error('somebody else was quicker');
    return lease;
  };
  const giveBack = (lease: Lease) => context.write((op) => releaseLease(op, lease));
  const isHeldBy = (lease: Lease) =>
    context
      .write((op) => requireLease(op, lease))
      .then(
        () => true,
        (error: unknown) => !(error instanceof LeaseLost),
      );
  /** By the database's clock, which may have followed a `wait` of an earlier test. */
  const expireIn = (name: string, inMs: number) =>
    context.write(async ({ tx }) => {
      await tx
        .updateTable('leases')
        .set({ expires_at: sql<number>`${db.now} + ${inMs}` })
        .where('name', '=', name)
        .execute();
    });
  /** The monotonic clock goes on by so much. */
  const wait = (waitedMs: number): void => {
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + waitedMs);
  };

  it('is one holder’s at a time, and its fence grows with every change of hands', async () => {
    const name = newName();
    const first = await take(name, 'one');
    expect(await inspect(name)).toMatchObject({ free: null });
    await giveBack(first);
    const second = await take(name, 'two');
    expect(second.fence).toBeGreaterThan(first.fence);
    expect([await isHeldBy(first), await isHeldBy(second)]).toEqual([false, true]);
  });

  it('is not claimed by a process that read it before it changed hands, or was renewed', async () => {
    const name = newName();
    const none = await free(name);
    const first = await take(name, 'one');
    expect(await claim(none, 'two')).toBeNull();
    await giveBack(first);
    const seen = await free(name);
    const second = await take(name, 'two');
    expect(await claim(seen, 'three')).toBeNull();
    await giveBack(second);
    const later = await free(name);
    await take(name, 'three').then(giveBack);
    // Given back again it looks the same but for its fence.
    expect(await claim(later, 'four')).toBeNull();

    const dead = await take(name, 'five');
    await expireIn(name, -1_000);
    await inspect(name);
    wait(ms);
    const overdue = await free(name);
    expect(await context.write((op) => leaseTable.renew(op, dead, ms))).toBe(true);
    expect(await claim(overdue, 'six')).toBeNull();
    expect(await isHeldBy(dead)).toBe(true);
  });

  it('is neither renewed nor given back by its previous holder', async () => {
    const name = newName();
    const first = await take(name, 'one');
    await giveBack(first);
    const second = await take(name, 'one');
    expect(await context.write((op) => leaseTable.renew(op, first, ms))).toBe(false);
    await giveBack(first);
    expect(await inspect(name)).toMatchObject({ free: null });
    expect(await isHeldBy(second)).toBe(true);
  });

  it('stays free when a renewal arrives after it was given back', async () => {
    const lease = await take(newName(), 'one');
    await giveBack(lease);
    expect(await isHeldBy(lease)).toBe(false);
    expect(await context.write((op) => leaseTable.renew(op, lease, ms))).toBe(false);
    expect((await inspect(lease.name)).free).not.toBeNull();
  });

  it('is free only when its row has stood still for a while, whatever the clock of the database says', async () => {
    const name = newName();
    await take(name, 'one');
    await expireIn(name, -1_000);
    const { waitMs } = await inspect(name);
    expect(waitMs).toBeGreaterThan(ms / 4);
    wait(ms);
    expect((await inspect(name)).free).not.toBeNull();
  });

  it('is not waited for longer than a few times its length, however far in the future its end is', async () => {
    const name = newName();
    await take(name, 'one');
    await expireIn(name, 3_600_000);
    const { waitMs } = await inspect(name);
    expect(waitMs).toBeLessThanOrEqual(5 * ms);
    wait(5 * ms);
    expect((await inspect(name)).free).not.toBeNull();
  });
});
