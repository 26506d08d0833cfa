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

/** The fields of every type of a kind of device that the service knows. */
export interface DeviceTypes {
  /** `switches`, in sentences. */
  readonly many: string;
  readonly fields: ReadonlyMap<string, FieldSchema>;
}

export const noSwitchTypes: DeviceTypes = { many: 'switches', fields: new Map() };

export const readSwitchTypes = async (corral: Corral, signal: AbortSignal): Promise<DeviceTypes> => {
  const types = await corral.listSwitchTypes({}, { signal });
  const fields = new Map(Object.entries(types).map(([type, { fields: schema }]) => [type, schema as FieldSchema]));
  return { ...noSwitchTypes, fields };
};

/** The same of BMCs; `isInside`: an OBM daemon runs inside the service. */
export interface BmcTypes extends DeviceTypes {
  readonly isInside: boolean;
}

export const noBmcTypes: BmcTypes = { many: 'BMCs', fields: new Map(), isInside: false };

export const readBmcTypes = async (corral: Corral, signal: AbortSignal): Promise<BmcTypes> => {
  const { inside, types } = await corral.listBmcTypes({}, { signal });
  const fields = new Map(
    Object.entries(types).map(([type, { fields: schema }]) => [type, spelledOut(schema as FieldSchema)]),
  );
  return { ...noBmcTypes, fields, isInside: inside };
};

/** A BMC's password is called so here, as that of a switch is; the daemon calls it `pass`. */
const password = 'password';
const pass = 'pass';

const spelledOut = ({ properties = {}, required = [], ...rest }: FieldSchema): FieldSchema => ({
  ...rest,
  properties: Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name === pass ? password : name, field]),
  ),
  required: required.map((name) => (name === pass ? password : name)),
});

/** What the daemon gets of a BMC with these fields. */
export const bmcInfo = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name === password ? pass : name, value]));

/** Fields of a type whose values the service keeps to itself. */
export const secretsOf = ({ fields }: DeviceTypes, type: string): readonly string[] =>
  Object.entries(fields.get(type)?.properties ?? {}).flatMap(([name, { writeOnly }]) => (writeOnly ? [name] : []));

export const typeHeadings = ['type', 'needs', 'may have'];

/** A line for each type of device: which fields it needs, and which it may have. */
export const typeRows = (types: Readonly<Record<string, { readonly fields: unknown }>>): string[][] =>
  Object.entries(types).map(([type, { fields }]) => {
    const { required = [], properties = {} } = fields as FieldSchema;
    const rest = Object.keys(properties).filter((name) => !required.includes(name));
    return [type, required.join(' '), rest.join(' ')];
  });

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
