import type { TSchema } from '@sinclair/typebox';
import type { SwitchRules } from '../drivers/switches/switch-contract.ts';
import { pending } from '../db/service-statement.ts';
import { shownFields } from '../schema/shown-fields.ts';
import { badArgument } from './corral-error.ts';
import { findSwitch, type Switch } from './find-objects.ts';
import type { RequestContext, WriteOp } from './request-context.ts';
import { askForSweep, movePlace, requireFreeAddresses } from './switch-identity.ts';
import { isSecretName } from './switch-secrets.ts';
import { driverOf, fieldsOf, requireFields, typeNamed } from './switches.ts';

type Fields = Readonly<Record<string, unknown>>;

interface SwitchUpdate {
  readonly switch: string;
  readonly type?: string;
  /** Those that change; null: the switch has it no more. */
  readonly fields: Fields;
}

/**
 * Changes fields of a registered switch. Its ports, and what is on them, stay. Names are resolved before the transaction
 * begins, so that an update that comes in between makes this one begin again.
 */
export const switchUpdate = async (context: RequestContext, args: SwitchUpdate): Promise<void> => {
  for (;;) {
    const found = await context.read((op) => findSwitch(op, args.switch));
    const change = await changeOf(context, found, args);
    if (change === null || (await context.write((op) => storeChange(op, found, change)))) return;
  }
};

interface Change {
  /** All fields, with those that change. */
  readonly fields: Fields;
  readonly changed: readonly string[];
  /** Where it is reached from now on; null: as before, because only secrets change. */
  readonly places: readonly string[] | null;
}

/** null: nothing changes. */
const changeOf = async (
  { dependencies }: RequestContext,
  found: Switch,
  args: SwitchUpdate,
): Promise<Change | null> => {
  const driver = driverOf(dependencies, found.type);
  if (args.type !== undefined && typeNamed(dependencies, args.type) !== found.type) {
    throw badArgument(
      `switch ${found.label} is of type ${found.type}, which cannot be changed; delete it and register it again`,
    );
  }
  const before = fieldsOf(dependencies, found);
  const fields = changedFields(driver.config, before, args.fields);
  requireFields(dependencies, driver, { switch: found.label, fields });
  const names = [...new Set([...Object.keys(before), ...Object.keys(fields)])];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(fields[name])).sort();
  if (changed.length === 0) return null;
  const isMoved = !isSecretOnly(driver, changed, { ...before, ...fields });
  return { fields, changed, places: isMoved ? ((await driver.places?.(fields)) ?? []) : null };
};

/** A field that the driver does not know is left for its schema to refuse. */
const changedFields = (schema: TSchema, before: Fields, changes: Fields): Fields => {
  const { properties = {} } = schema as { readonly properties?: object };
  const isRemoved = (name: string, value: unknown): boolean =>
    value === null && (Object.hasOwn(properties, name) || Object.hasOwn(before, name));
  return Object.fromEntries(
    Object.entries({ ...before, ...changes }).filter(([name, value]) => !isRemoved(name, value)),
  );
};

/**
 * Another password leads to the same device. Everything else may lead to another one: an address, but also a login where
 * it decides which switch it is, or a key that the device is known by. A field counts as a secret if its name says so and
 * its driver does not show it.
 */
const isSecretOnly = ({ config }: SwitchRules, changed: readonly string[], fields: Fields): boolean => {
  const { secrets } = shownFields(config, fields);
  return changed.every((name) => isSecretName(name) && secrets.includes(name));
};

/** False: somebody else changed the switch since it was read. */
const storeChange = async (op: WriteOp, read: Switch, change: Change): Promise<boolean> => {
  const found = await findSwitch(op, read.label);
  if (found.id !== read.id || found.config !== read.config) return false;
  if (change.places !== null) {
    await requireFreeAddresses(op, found, change.places);
    await movePlace(op, found, change.places);
  } else await askForSweep(op.tx, found.id);
  await op.tx
    .updateTable('switches')
    .set({
      config: op.dependencies.vault.seal(JSON.stringify(change.fields)),
      // A session with the old fields is no longer the newest, and nothing that it finds is recorded.
      session: found.session + 1,
      // It is tried at once, however often it failed.
      probe_at: 0,
      save_at: 0,
    })
    .where('id', '=', found.id)
    .execute();
  await retryNow(op, found);
  op.record({ type: 'switch_update', switch: found.label, detail: { fields: change.changed } });
  op.notify('actions');
  return true;
};

/** What waits for its next attempt, because the switch failed, waits no longer. */
const retryNow = async ({ tx }: WriteOp, { id }: Switch): Promise<void> => {
  await tx
    .updateTable('ports')
    .set({ suspect_retry_at: 0 })
    .where('switch_id', '=', id)
    .where('suspect_retry_at', 'is not', null)
    .execute();
  await tx
    .updateTable('actions')
    .set({ retry_at: 0 })
    .where('status', '=', pending)
    .where('nic_id', 'in', (of) =>
      of
        .selectFrom('nics')
        .innerJoin('ports', 'ports.id', 'nics.port_id')
        .select('nics.id')
        .where('ports.switch_id', '=', id),
    )
    .execute();
};
