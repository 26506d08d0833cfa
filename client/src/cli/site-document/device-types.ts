import { type DeviceTypes, type FieldSchema as Schema, fits, propertyOf } from '../device-fields.ts';
import { nearest } from '../usage-error.ts';
import type { SitePlan } from './site-plan.ts';
import type { DesiredDevice, SourceRef } from './desired-state.ts';

/** What is wrong with a device that is to be registered, as its driver would say. */
export const checkDevice = (plan: SitePlan, desired: DesiredDevice, types: DeviceTypes): void => {
  if (desired.type === null) return;
  const schema = types.fields.get(desired.type);
  if (!schema) {
    const known = [...types.fields.keys()].sort();
    const meant = nearest(desired.type, known);
    const hint = meant === null ? `expected one of ${known.join(', ')}` : `did you mean ${meant}?`;
    plan.mistake(desired, `the service does not support ${types.many} of type ${desired.type}; ${hint}`);
    return;
  }
  checkNames(plan, desired, schema, types);
  for (const [name, ref] of desired.fields) {
    const field = propertyOf(schema, name);
    if (field) checkValue(plan, name, ref, field);
  }
};

/** False, and a mistake: the document must not have the field, or not with this value. */
const checkValue = (
  plan: SitePlan,
  name: string,
  ref: SourceRef & { readonly value: unknown },
  field: Schema,
): boolean => {
  if (!field.writeOnly && fits(ref.value, field)) return true;
  plan.mistake(
    ref,
    field.writeOnly
      ? secretHere(name)
      : `${JSON.stringify(ref.value)} is invalid; expected ${field.description ?? field.type ?? ''}`,
  );
  return false;
};

/** The fields of a device that may be shown and are valid; any other field is an error, and no secret is shown. */
export const shownFields = (plan: SitePlan, desired: DesiredDevice, types: DeviceTypes): DesiredDevice['fields'] => {
  const schema = types.fields.get(desired.type ?? '') ?? {};
  checkKnown(plan, desired, schema, types);
  return new Map(
    [...desired.fields].filter(([name, ref]) => {
      const field = propertyOf(schema, name);
      return field !== undefined && checkValue(plan, name, ref, field);
    }),
  );
};

const secretHere = (name: string): string => `this document must not contain secrets; use ${name}_file or ${name}_env`;

const checkKnown = (
  plan: SitePlan,
  desired: DesiredDevice,
  schema: Schema,
  { many }: DeviceTypes,
): ReadonlyMap<string, SourceRef> => {
  const known = Object.keys(schema.properties ?? {});
  const parsed = new Map<string, SourceRef>([...desired.fields, ...desired.secrets]);
  for (const [name, ref] of parsed) {
    if (known.includes(name)) continue;
    const meant = nearest(name, known);
    const hint = meant === null ? `expected one of ${known.join(', ')}` : `did you mean ${meant}?`;
    plan.mistake(ref, `${many} of type ${desired.type ?? ''} have no field ${name}; ${hint}`);
  }
  return parsed;
};

const checkNames = (plan: SitePlan, desired: DesiredDevice, schema: Schema, types: DeviceTypes): void => {
  const parsed = checkKnown(plan, desired, schema, types);
  const spelled = (name: string): string =>
    propertyOf(schema, name)?.writeOnly ? `${name}_file or ${name}_env` : name;
  const lacks = (names: readonly string[] = []): readonly string[] => names.filter((name) => !parsed.has(name));
  for (const name of lacks(schema.required)) plan.mistake(desired, `${spelled(name)} is missing`);
  const ways = (schema.anyOf ?? []).map(({ required }) => lacks(required));
  if (ways.length > 0 && ways.every((way) => way.length > 0)) {
    plan.mistake(desired, `${ways.map((way) => way.map(spelled).join(' and ')).join(', or ')} is missing`);
  }
};
