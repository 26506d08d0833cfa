import type { CommandContext } from './cli-command.ts';
import { ask } from './prompts.ts';
import { type DeviceTypes, type FieldSchema, fits, propertyOf } from './device-fields.ts';
import { nearest, UsageError } from './usage-error.ts';

/** What the command line says of a device. */
export interface GivenDevice {
  /** `switch sw1`, in questions. */
  readonly what: string;
  readonly type: string;
  readonly fields: readonly GivenField[];
}

/** A field: its value, or the file that has it. */
export interface GivenField {
  readonly name: string;
  readonly value: string | { readonly file: string };
}

/** A field of a registered device: its new value, that it is asked for (undefined), or that it goes (null). */
interface ChangedField {
  readonly name: string;
  readonly value: GivenField['value'] | undefined | null;
}

/** Words such as `hostname=sw1` and `private_key=@id_ed25519`; the file of the password is an option of its own. */
export const fieldsIn = (words: readonly string[], passwordFile: string | undefined): readonly GivenField[] =>
  withPassword(words.map(fieldIn), passwordFile);

/** The same of changes: `password` is asked for, and `enable_password=` goes. */
export const changesIn = (words: readonly string[], passwordFile: string | undefined): readonly ChangedField[] =>
  withPassword(
    words.map((word): ChangedField => {
      if (!word.includes('=')) return { name: word, value: undefined };
      return /^[^=]+=$/.test(word) ? { name: word.slice(0, -1), value: null } : fieldIn(word);
    }),
    passwordFile,
  );

const fieldIn = (word: string): GivenField => {
  const at = word.indexOf('=');
  if (at < 1) throw new UsageError(`${JSON.stringify(word)} is not a field; write NAME=VALUE`);
  const [name, value] = [word.slice(0, at), word.slice(at + 1)];
  if ((name === 'password' || name === 'pass') && !value.startsWith('@')) throw visible('password');
  return { name, value: value.startsWith('@') ? { file: value.slice(1) } : value };
};

const withPassword = <F extends ChangedField>(
  fields: readonly F[],
  passwordFile: string | undefined,
): readonly (F | GivenField)[] => {
  const all: readonly (F | GivenField)[] =
    passwordFile === undefined ? fields : [...fields, { name: 'password', value: { file: passwordFile } }];
  const twice = all.find(({ name }, index) => all.findIndex((other) => other.name === name) !== index);
  if (twice) throw new UsageError(`field ${twice.name} is given twice`);
  return all;
};

const visible = (name: string): UsageError =>
  new UsageError(
    name === 'password'
      ? 'a password on the command line is visible to other users; enter it at the prompt, or use --password-file'
      : `a secret on the command line is visible to other users; put it in a file: ${name}=@FILE, or ${name}=@- for standard input`,
  );

/** The fields of a device as its type takes them. What the type needs and the command line does not say is asked for. */
export const collectFields = async (
  context: CommandContext,
  types: DeviceTypes,
  given: GivenDevice,
): Promise<Record<string, unknown>> => {
  const schema = schemaFor(types, given.type);
  const fields: Record<string, unknown> = {};
  for (const { name, value } of given.fields) {
    const field = requireKnown(types, schema, given.type, name);
    fields[name] = await valueOf(context, field, { what: nameOf(given, name), name, value });
  }
  for (const name of missingIn(schema, fields)) {
    const field = propertyOf(schema, name) ?? {};
    fields[name] = await valueOf(context, field, { what: nameOf(given, name), name, value: undefined });
  }
  return fields;
};

/** The fields of a registered device that change, as its type takes them; null: it has the field no more. */
export const collectChanges = async (
  context: CommandContext,
  types: DeviceTypes,
  given: Pick<GivenDevice, 'what' | 'type'> & { readonly changes: readonly ChangedField[] },
): Promise<Record<string, unknown>> => {
  const schema = schemaFor(types, given.type);
  const known = given.changes.map((change) => ({
    ...change,
    field: requireKnown(types, schema, given.type, change.name),
  }));
  const fields: Record<string, unknown> = {};
  for (const { name, value, field } of known)
    fields[name] = value === null ? null : await valueOf(context, field, { what: nameOf(given, name), name, value });
  return fields;
};

/** What a field gets: what is given, or the answer to a question. */
const valueOf = async (
  context: CommandContext,
  field: FieldSchema,
  {
    what,
    name,
    value,
  }: { readonly what: string; readonly name: string; readonly value: GivenField['value'] | undefined },
): Promise<unknown> => {
  if (typeof value === 'string') {
    if (field.writeOnly) throw visible(name);
    return converted(name, value, field);
  }
  const isAskedAloud = value === undefined && !field.writeOnly;
  const text = isAskedAloud
    ? await ask(context.terminal, `${what}${field.description ? ` (${field.description})` : ''}`)
    : await context.secret(what, value?.file);
  return converted(name, text, field);
};

const nameOf = ({ what }: Pick<GivenDevice, 'what'>, name: string): string =>
  `the ${name.replaceAll('_', ' ')} of ${what}`;

/** A type may be written as existing clients write it: an address that ends with its name. */
const schemaFor = ({ many, fields: types }: DeviceTypes, type: string): FieldSchema => {
  const schema = types.get(type) ?? types.get(type.slice(type.lastIndexOf('/') + 1));
  if (schema) return schema;
  const known = [...types.keys()].sort();
  const meant = nearest(type, known);
  const hint = meant === null ? `expected one of ${known.join(', ')}` : `did you mean ${meant}?`;
  throw new UsageError(`the service does not support ${many} of type ${type}; ${hint}`);
};

const requireKnown = ({ many }: DeviceTypes, schema: FieldSchema, type: string, name: string): FieldSchema => {
  const field = propertyOf(schema, name);
  if (field) return field;
  const known = Object.keys(schema.properties ?? {});
  const meant = nearest(name, known);
  const hint = meant === null ? `expected one of ${known.join(', ')}` : `did you mean ${meant}?`;
  throw new UsageError(`${many} of type ${type} have no field ${name}; ${hint}`);
};

/** What is needed and not there; where one of several things is needed, the first. */
const missingIn = (schema: FieldSchema, fields: Readonly<Record<string, unknown>>): readonly string[] => {
  const lacks = (names: readonly string[] = []): readonly string[] =>
    names.filter((name) => !Object.hasOwn(fields, name));
  const ways = (schema.anyOf ?? []).map(({ required }) => lacks(required));
  const way = ways.some((lacked) => lacked.length === 0) ? [] : (ways[0] ?? []);
  return [...lacks(schema.required), ...way];
};

/** A number where the field takes one, and so on. */
const converted = (name: string, text: string, field: FieldSchema): unknown => {
  const readings: readonly unknown[] = [
    ...(/^-?\d+(\.\d+)?$/.test(text) ? [Number(text)] : []),
    ...(text === 'true' || text === 'false' ? [text === 'true'] : []),
    text,
  ];
  const value = readings.find((reading) => fits(reading, field));
  if (value !== undefined) return value;
  const shown = field.writeOnly ? 'the value' : JSON.stringify(text);
  throw new UsageError(`field ${name}: ${shown} is invalid; expected ${field.description ?? field.type ?? 'another'}`);
};
