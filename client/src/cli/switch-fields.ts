import type { Corral } from '../index.ts';

/** The part of JSON Schema that drivers describe their fields in. */
export interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly writeOnly?: boolean;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly FieldSchema[];
}

/** The fields of every type of switch that the service knows. */
export type SwitchTypes = ReadonlyMap<string, FieldSchema>;

export const readSwitchTypes = async (corral: Corral, signal: AbortSignal): Promise<SwitchTypes> => {
  const types = await corral.listSwitchTypes({}, { signal });
  return new Map(Object.entries(types).map(([type, { fields }]) => [type, fields as FieldSchema]));
};

export const propertyOf = ({ properties = {} }: FieldSchema, name: string): FieldSchema | undefined =>
  Object.hasOwn(properties, name) ? properties[name] : undefined;

/** Is this a value of a field? */
export const fits = (value: unknown, schema: FieldSchema): boolean => {
  if (schema.anyOf) return schema.anyOf.some((one) => fits(value, one));
  if (schema.type === 'boolean') return typeof value === 'boolean';
  if (schema.type === 'integer' || schema.type === 'number') return typeof value === 'number' && inRange(value, schema);
  return schema.type !== 'string' || (typeof value === 'string' && isSpelled(value, schema));
};

const inRange = (value: number, { type, minimum = -Infinity, maximum = Infinity }: FieldSchema): boolean =>
  (type === 'number' || Number.isInteger(value)) && value >= minimum && value <= maximum;

const isSpelled = (value: string, { pattern, minLength = 0, maxLength = Infinity }: FieldSchema): boolean =>
  value.length >= minLength &&
  value.length <= maxLength &&
  (pattern === undefined || new RegExp(pattern, 'u').test(value));
