import { blocked } from '../core/corral-error.ts';
import { type Node } from '../core/find-objects.ts';
import { allOf, withFreshRights } from '../core/fresh-rights.ts';
import { requireLease } from '../core/leases.ts';
import { obmIsEnabled } from '../core/node-blocks.ts';
import { adminOf, callTo } from '../core/obm.ts';
import type { ReadOp } from '../core/request-context.ts';
import { withLease } from '../core/with-lease.ts';
import type { CallPermit, ObmAccess, ObmAnswer, ObmClient } from '../drivers/obm/obm-contract.ts';
import { type Attempt, findCleaned, type Verdict } from './cleaning-attempt.ts';

/*
 * What is done to a node out of band between two projects. The service makes itself a token for it, which voids every
 * other, and destroys it again: who had one before has none after that.
 */

/** Turns the node off, and reads that it is. */
export const powerOff = (attempt: Attempt): Promise<Verdict> => withToken(attempt, turnOff);

const turnOff = async (obm: ObmClient, access: ObmAccess, permit: CallPermit): Promise<Verdict> => {
  const before = await obm.powerStatus(access);
  if (before.kind !== 'done') return refusal(before);
  if (!isOff(before.value)) {
    const told = await obm.powerOff(access, permit);
    if (told.kind !== 'done') return refusal(told);
  }
  const after = await obm.powerStatus(access);
  if (after.kind !== 'done') return refusal(after);
  return isOff(after.value)
    ? { kind: 'passed', sentence: 'the node is off', evidence: `power status: ${after.value}` }
    : { kind: 'later', sentence: `the node was turned off, and its power status is ${after.value}` };
};

/** Daemons have different words around it. */
const isOff = (status: string): boolean => /\boff\b/i.test(status);

/** Gives the node the boot device that the site wants it to have. */
export const resetBootDevice = (attempt: Attempt): Promise<Verdict> =>
  withToken(attempt, async (obm, access, permit) => {
    const { bootdev } = attempt.rules;
    const told = await obm.setBootDevice(access, bootdev, permit);
    return told.kind === 'done' ? { kind: 'passed', sentence: `the boot device is ${bootdev}` } : refusal(told);
  });

/** Turns the node off, and has it boot by this device when it is turned on, by whatever that is. */
export const offToBootBy = (attempt: Attempt, device: string): Promise<Verdict> =>
  withToken(attempt, async (obm, access, permit) => {
    const off = await turnOff(obm, access, permit);
    if (off.kind !== 'passed') return off;
    const told = await obm.setBootDevice(access, device, permit);
    return told.kind === 'done' ? off : refusal(told);
  });

/** How far the node has been turned on. */
interface TurningOn {
  /** An earlier attempt turned it on, perhaps: only then may it be on. */
  readonly isBegun: boolean;
  /** Records that this one does. */
  readonly begin: () => Promise<void>;
}

/** Turns the node on so that it boots by this device. One that has turned itself on is turned off first. */
export const bootBy = (attempt: Attempt, device: string, { isBegun, begin }: TurningOn): Promise<Verdict> =>
  withToken(attempt, async (obm, access, permit) => {
    const off = isBegun ? null : await turnOff(obm, access, permit);
    if (off !== null && off.kind !== 'passed') return off;
    const told = await obm.setBootDevice(access, device, permit);
    if (told.kind !== 'done') return refusal(told);
    const before = await obm.powerStatus(access);
    if (before.kind !== 'done') return refusal(before);
    if (!isBegun) {
      if (!isOff(before.value)) return { kind: 'later', sentence: 'the node was turned off, and has turned itself on' };
      await begin();
    }
    if (isOff(before.value)) {
      const turned = await obm.powerOn(access, permit);
      if (turned.kind !== 'done') return refusal(turned);
    }
    const after = await obm.powerStatus(access);
    if (after.kind !== 'done') return refusal(after);
    return isOff(after.value)
      ? { kind: 'later', sentence: `the node was turned on, and its power status is ${after.value}` }
      : { kind: 'passed', sentence: 'the node is on' };
  });

/** Voids every token and ends every console. */
export const takeBackBmc = async (attempt: Attempt): Promise<Verdict> => {
  const verdict = await withToken(attempt, () =>
    Promise.resolve({ kind: 'passed', sentence: 'nobody has a token for its BMC, or its console' } as const),
  );
  await attempt.context.write(async (op) => {
    await requireLease(op, attempt.held.lease);
    const node = await findCleaned(op, attempt);
    await op.tx.deleteFrom('consoles').where('node_id', '=', node.id).execute();
    op.notify('consoles');
  });
  return verdict;
};

const refusal = (answer: Exclude<ObmAnswer<unknown>, { kind: 'done' }>): Verdict => ({
  kind: 'later',
  sentence:
    answer.kind === 'rejected'
      ? `the OBM daemon refused: ${answer.reason}`
      : 'the OBM daemon rejects the token that it issued',
});

/** Does something to a node with a token that ends with it. */
const withToken = async (
  attempt: Attempt,
  work: (obm: ObmClient, access: ObmAccess, permit: CallPermit) => Promise<Verdict>,
): Promise<Verdict> => {
  const { context, held } = attempt;
  const found = await context.read((op) => findCleaned(op, attempt));
  return context.devices.change(callTo(found), ({ obm }) =>
    // Those who enable OBM, or register the BMC, take the same lease.
    withLease(context, `obm/${found.id}`, (obmLease) =>
      withFreshRights(
        async () => {
          const node = await context.read(async (op) => {
            const current = await findCleaned(op, attempt);
            if (current.obm_token !== null) throw obmIsEnabled(current);
            await requireOnlyNode(op, current);
            return current;
          });
          await held.confirm();
          await obmLease.confirm();
          return node;
        },
        async (node, rights) => {
          const admin = adminOf(context.dependencies, node);
          const ours = allOf(held, obmLease);
          const token = await obm.createToken(admin, allOf(rights, ours));
          attempt.moment('cleaning token made');
          let verdict: Verdict;
          try {
            verdict = await work(obm, { uri: node.obm_uri, token }, ours);
          } catch (error) {
            // The next attempt makes another, which voids this one.
            await obm.destroyToken(admin, ours).catch(() => undefined);
            throw error;
          }
          await obm.destroyToken(admin, ours);
          return verdict;
        },
      ),
    ),
  );
};

/** Two nodes with one address are one machine with two names, which may be in use under the other. */
const requireOnlyNode = async ({ tx }: ReadOp, node: Node): Promise<void> => {
  const address = node.obm_uri.replace(/\/+$/, '');
  const other = await tx
    .selectFrom('nodes')
    .select('label')
    .where('obm_uri', 'in', [address, `${address}/`])
    .where('id', '!=', node.id)
    .executeTakeFirst();
  if (other === undefined) return;
  throw blocked(`node ${other.label} has the same OBM address; correct one of them`);
};
