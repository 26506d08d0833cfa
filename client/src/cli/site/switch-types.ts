import type { Corral } from '../../index.ts';
import { nearest } from '../mistake.ts';
import type { Draft } from './draft.ts';
import type { Told, WantedSwitch } from './wanted.ts';

/** The part of JSON Schema that drivers describe their fields in. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly writeOnly?: boolean;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
}

/** The fields of every type of switch that the service knows. */
export type SwitchTypes = ReadonlyMap<string, Schema>;

export const readSwitchTypes = async (corral: Corral, signal: AbortSignal): Promise<SwitchTypes> => {
  const types = await corral.listSwitchTypes({}, { signal });
  return new Map(Object.entries(types).map(([type, { fields }]) => [type, fields as Schema]));
};

/** What is wrong with a switch that is to be registered, as its driver would say. */
export const checkSwitch = (draft: Draft, wanted: WantedSwitch, types: SwitchTypes): void => {
  if (wanted.type === null) return;
  const schema = types.get(wanted.type);
  if (!schema) {
    const known = [...types.keys()].sort();
    const meant = nearest(wanted.type, known);
    const hint = meant === null ? `expected one of ${known.join(', ')}` : `did you mean ${meant}?`;
    draft.mistake(wanted, `the service does not support switches of type ${wanted.type}; ${hint}`);
    return;
  }
  checkNames(draft, wanted, schema);
  for (const [name, told] of wanted.fields) {
    const field = propertyOf(schema, name);
    if (!field) continue;
    if (field.writeOnly) draft.mistake(told, secretHere(name));
    else if (!fits(told.value, field)) {
      draft.mistake(
        told,
        `${JSON.stringify(told.value)} is invalid; expected ${field.description ?? field.type ?? ''}`,
      );
    }
  }
};

/** The fields of a switch that may be shown; any other field is an error, and its value is not shown. */
export const shownFields = (draft: Draft, wanted: WantedSwitch, types: SwitchTypes): WantedSwitch['fields'] => {
  const schema = types.get(wanted.type ?? '') ?? {};
  checkKnown(draft, wanted, schema);
  return new Map(
    [...wanted.fields].filter(([name, told]) => {
      const field = propertyOf(schema, name);
      if (field?.writeOnly) draft.mistake(told, secretHere(name));
      return field && !field.writeOnly;
    }),
  );
};

const secretHere = (name: string): string => `this document must not contain secrets; use ${name}_file or ${name}_env`;

const propertyOf = ({ properties = {} }: Schema, name: string): Schema | undefined =>
  Object.hasOwn(properties, name) ? properties[name] : undefined;

const checkKnown = (draft: Draft, wanted: WantedSwitch, schema: Schema): ReadonlyMap<string, Told> => {
  const known = Object.keys(schema.properties ?? {});
  const given = new Map<string, Told>([...wanted.fields, ...wanted.secrets]);
  for (const [name, told] of given) {
    if (known.includes(name)) continue;
    const meant = nearest(name, known);
    const hint = meant === null ? `expected one of ${known.join(', ')}` : `did you mean ${meant}?`;
    draft.mistake(told, `switches of type ${wanted.type ?? ''} have no field ${name}; ${hint}`);
  }
  return given;
};

const checkNames = (draft: Draft, wanted: WantedSwitch, schema: Schema): void => {
  const given = checkKnown(draft, wanted, schema);
  const spelled = (name: string): string =>
    propertyOf(schema, name)?.writeOnly ? `${name}_file or ${name}_env` : name;
  const lacks = (names: readonly string[] = []): readonly string[] => names.filter((name) => !given.has(name));
  for (const name of lacks(schema.required)) draft.mistake(wanted, `${spelled(name)} is missing`);
  const ways = (schema.anyOf ?? []).map(({ required }) => lacks(required));
  if (ways.length > 0 && ways.every((way) => way.length > 0)) {
    draft.mistake(wanted, `${ways.map((way) => way.map(spelled).join(' and ')).join(', or ')} is missing`);
  }
};

const fits = (value: unknown, schema: Schema): boolean => {
  if (schema.anyOf) return schema.anyOf.some((one) => fits(value, one));
  if (schema.type === 'boolean') return typeof value === 'boolean';
  if (schema.type === 'integer' || schema.type === 'number') return typeof value === 'number' && inRange(value, schema);
  return schema.type !== 'string' || (typeof value === 'string' && isSpelled(value, schema));
};

const inRange = (value: number, { type, minimum = -Infinity, maximum = Infinity }: Schema): boolean =>
  (type === 'number' || Number.isInteger(value)) && value >= minimum && value <= maximum;

const isSpelled = (value: string, { pattern, minLength = 0, maxLength = Infinity }: Schema): boolean =>
  value.length >= minLength &&
  value.length <= maxLength &&
  (pattern === undefined || new RegExp(pattern, 'u').test(value));
