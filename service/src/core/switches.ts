import { steadyNow } from '@corral/base/steady-clock';
import type { Capability, SwitchDriver, SwitchRules } from '../drivers/switches/switch-contract.ts';
import { shownFields, toldSchema } from '../schema/shown-fields.ts';
import { checkOf, inBody, joinMistakes } from '@corral/base/schema/schema-check';
import { badArgument, blocked, CorralError, duplicate, invalid } from './corral-error.ts';
import { findSwitch, type Switch } from './find-objects.ts';
import type { RequestContext, ReadOp, WriteOp } from './request-context.ts';
import type { TransactionDependencies } from './dependencies.ts';
import { recordAddresses, releaseDuplicates, requireFreeAddresses } from './switch-identity.ts';

/** How existing clients spell the types they know: this, and then the short name. */
const legacyTypePrefix = 'http://schema.massopencloud.org/haas/v0/switches/';

interface Drivers<D extends SwitchRules> {
  readonly switches: Readonly<Record<string, D>>;
}

/** The driver of a registered switch; a driver that was there at registration and is gone is the operator's mistake. */
export const driverOf = <D extends SwitchRules>(dependencies: Drivers<D>, type: string): D => {
  const driver = Object.hasOwn(dependencies.switches, type) ? dependencies.switches[type] : undefined;
  if (!driver) throw new CorralError('ServerError', `no driver for switches of type ${type} is configured`);
  return driver;
};

/** The short name of a type. */
export const typeNamed = (dependencies: Drivers<SwitchRules>, name: string): string => {
  const short = name.startsWith(legacyTypePrefix) ? name.slice(legacyTypePrefix.length) : name;
  const isLegacy = short !== name;
  const driver = Object.hasOwn(dependencies.switches, short) ? dependencies.switches[short] : undefined;
  if (driver && (!isLegacy || driver.hasLegacyType)) return short;
  throw badArgument(
    `field "type" is ${JSON.stringify(name)}; expected one of ${Object.keys(dependencies.switches).sort().join(', ')}`,
  );
};

const firstSweepMs = 60_000;

interface SwitchRegister {
  readonly switch: string;
  readonly type: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Names are resolved before the transaction begins: no resolver is waited for inside. */
export const switchRegister = async (context: RequestContext, args: SwitchRegister): Promise<void> => {
  const { type, driver } = requireUsable(context, args);
  const places = (await driver.places?.(args.fields)) ?? [];
  await context.write((op) => insertSwitch(op, { ...args, type }, places));
};

/** The driver that takes these fields, if they are such as it needs and lead where connections may go. */
export const requireUsable = (
  { dependencies }: RequestContext,
  args: SwitchRegister,
): { readonly type: string; readonly driver: SwitchDriver } => {
  const type = typeNamed(dependencies, args.type);
  const driver = driverOf(dependencies, type);
  requireFields(dependencies, driver, args);
  return { type, driver };
};

/** Refuses fields that a driver does not take, and those that lead where no connection may go. */
export const requireFields = (
  dependencies: TransactionDependencies,
  driver: SwitchRules,
  args: Omit<SwitchRegister, 'type'>,
): void => {
  const mistakes = checkOf(driver.config, inBody)(args.fields);
  if (mistakes.length > 0) throw invalid(joinMistakes(mistakes));
  requirePermitted(dependencies, driver, args);
};

/** Of a name it is seen at every session where it is then. */
const requirePermitted = (
  { outbound }: TransactionDependencies,
  driver: SwitchRules,
  args: Omit<SwitchRegister, 'type'>,
): void => {
  const [refusal] = hostsOf(driver, args).flatMap((host) => outbound.refusalOf(host) ?? []);
  if (refusal) throw badArgument(`switch ${args.switch} cannot be reached: ${refusal.message}`);
};

/** What the schema lets pass may still be no address. */
const hostsOf = (driver: SwitchRules, args: Omit<SwitchRegister, 'type'>): readonly string[] => {
  try {
    return driver.hosts?.(args.fields) ?? [];
  } catch (error) {
    throw badArgument(
      `the address of switch ${args.switch} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
};

const insertSwitch = async (op: WriteOp, args: SwitchRegister, places: readonly string[]): Promise<void> => {
  const { type } = args;
  const taken = await op.tx.selectFrom('switches').select('id').where('label', '=', args.switch).executeTakeFirst();
  if (taken) throw duplicate(`switch ${args.switch} already exists`);
  await requireFreeAddresses(op, { id: 0, label: args.switch }, places);
  const { id } = await op.tx
    .insertInto('switches')
    .values({
      label: args.switch,
      type,
      config: op.dependencies.vault.seal(JSON.stringify(args.fields)),
      // Its first sweep is its first turn like any other: what its ports carry is read when nics are connected.
      sweep_at: steadyNow() + firstSweepMs,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await recordAddresses(op, id, places);
  op.record({ type: 'switch_register', switch: args.switch, detail: { type } });
};

export const switchDelete = async (op: WriteOp, args: { switch: string }): Promise<void> => {
  const found = await findSwitch(op, args.switch);
  const port = await op.tx.selectFrom('ports').select('label').where('switch_id', '=', found.id).executeTakeFirst();
  if (port) throw blocked(`switch ${found.label} still has port ${port.label}; delete its ports first`);
  await op.tx.deleteFrom('switch_places').where('switch_id', '=', found.id).execute();
  await releaseDuplicates(op, found.id);
  await op.tx.deleteFrom('switches').where('id', '=', found.id).execute();
  op.record({ type: 'switch_delete', switch: found.label });
};

interface SwitchType {
  readonly capabilities: readonly Capability[];
  readonly fields: object;
}

/** The types of switches that can be registered, and the fields of each. */
export const listSwitchTypes = ({ dependencies }: ReadOp): Promise<Readonly<Record<string, SwitchType>>> =>
  Promise.resolve(
    Object.fromEntries(
      Object.entries(dependencies.switches)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([type, { capabilities, config }]) => [type, { capabilities, fields: toldSchema(config) }]),
    ),
  );

/** What a switch was registered with. */
export interface Registration {
  readonly capabilities: readonly Capability[];
  /** What it was registered with, as far as that is no secret. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly secrets: readonly string[];
  /** What the device says it is; only if it does. */
  readonly identity?: string;
}

interface SwitchView extends Registration {
  readonly name: string;
  readonly ports: readonly string[];
  readonly type: string;
  /** The switch that has this device already; only then. */
  readonly duplicate_of?: string;
}

export const showSwitch = async (op: ReadOp, args: { switch: string }): Promise<SwitchView> => {
  const found = await findSwitch(op, args.switch);
  const ports = await op.tx.selectFrom('ports').select('label').where('switch_id', '=', found.id).execute();
  const other =
    found.duplicate_of === null
      ? undefined
      : await op.tx.selectFrom('switches').select('label').where('id', '=', found.duplicate_of).executeTakeFirst();
  return {
    name: found.label,
    ports: ports.map(({ label }) => label).sort(),
    type: found.type,
    ...registrationOf(op, found),
    ...(other === undefined ? {} : { duplicate_of: other.label }),
  };
};

/** All fields that a switch has, secrets too. */
export const fieldsOf = (
  { vault }: Pick<TransactionDependencies, 'vault'>,
  { config }: Pick<Switch, 'config'>,
): Readonly<Record<string, unknown>> => JSON.parse(vault.open(config)) as Readonly<Record<string, unknown>>;

/** What a switch was registered with, without secrets, and what the device behind it says it is. */
export const registrationOf = ({ dependencies }: ReadOp, found: Switch): Registration => {
  const driver = driverOf(dependencies, found.type);
  const fields = fieldsOf(dependencies, found);
  return {
    capabilities: driver.capabilities,
    ...shownFields(driver.config, fields),
    ...(found.identity === null ? {} : { identity: found.identity }),
  };
};

export const listSwitches = async ({ tx }: ReadOp): Promise<string[]> => {
  const rows = await tx.selectFrom('switches').select('label').execute();
  return rows.map(({ label }) => label).sort();
};
