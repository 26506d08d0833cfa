import { labelOf, labelWithin } from './device-labels.ts';
import { shellWord } from './shell-word.ts';

/** The part of JSON Schema in which drivers describe the fields of their devices. */
export interface DeviceSchema {
  readonly type?: string;
  readonly description?: string;
  /** A secret. */
  readonly writeOnly?: boolean;
  readonly contentMediaType?: string;
  readonly const?: string;
  readonly properties?: Readonly<Record<string, DeviceSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly DeviceSchema[];
}

/** What was typed into the fields of a device, by their names. */
export type DeviceValues = Readonly<Record<string, string>>;

/** A field of a device, and how it is typed. */
export interface DeviceField {
  readonly name: string;
  readonly label: string;
  readonly about: string | undefined;
  readonly isSecret: boolean;
  /** It is needed, or one way of several to give what is needed. */
  readonly isMain: boolean;
  /** The same in words: `required`, or what can be given instead of it. */
  readonly need: string;
  readonly kind: 'line' | 'lines' | 'number' | 'yes or no' | 'choice';
  readonly choices: readonly string[];
}

/** How `true` is typed. */
export const yes = 'true';

const kindOf = ({ type, contentMediaType, anyOf = [] }: DeviceSchema): DeviceField['kind'] => {
  if (contentMediaType === 'application/x-pem-file') return 'lines';
  if (type === 'boolean') return 'yes or no';
  if (anyOf.length > 0 && anyOf.every((one) => one.const !== undefined)) return 'choice';
  const isNumber = [type, ...anyOf.map((one) => one.type)].some((each) => each === 'integer' || each === 'number');
  return isNumber ? 'number' : 'line';
};

/** The fields of a type of device, those that it needs first. */
export const fieldsOf = ({ properties = {}, required = [], anyOf = [] }: DeviceSchema): readonly DeviceField[] => {
  const ways = anyOf.flatMap((way) => way.required ?? []);
  const main = new Set([...required, ...ways]);
  const needOf = (name: string): string => {
    if (required.includes(name)) return 'required';
    if (!ways.includes(name)) return '(optional)';
    return `this or ${ways
      .filter((way) => way !== name)
      .map(labelWithin)
      .join(' or ')}`;
  };
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    label: labelOf(name),
    about: schema.description,
    isSecret: schema.writeOnly === true,
    isMain: main.has(name),
    need: needOf(name),
    kind: kindOf(schema),
    choices: (schema.anyOf ?? []).flatMap((one) => one.const ?? []),
  }));
  return [...fields.filter(({ isMain }) => isMain), ...fields.filter(({ isMain }) => !isMain)];
};

/** What is sent of what was typed: numbers as numbers, and nothing of what was left empty. The service judges it. */
export const valuesToSend = (fields: readonly DeviceField[], values: DeviceValues): Record<string, unknown> =>
  Object.fromEntries(
    fields.flatMap(({ name, kind }): [string, unknown][] => {
      const text = values[name] ?? '';
      if (text === '') return [];
      if (kind === 'yes or no') return [[name, text === yes]];
      return [[name, kind === 'number' && /^\d+$/.test(text) ? Number(text) : text]];
    }),
  );

/** What was typed into these fields, without secrets. */
export const valuesToKeep = (fields: readonly DeviceField[], values: DeviceValues): DeviceValues =>
  Object.fromEntries(
    fields.flatMap(({ name, isSecret }) => {
      const value = values[name];
      return isSecret || value === undefined ? [] : [[name, value]];
    }),
  );

/** The same as words of a command. Secrets are never among them: they are in files. */
export const wordsOf = (fields: readonly DeviceField[], values: DeviceValues): string =>
  fields
    .filter(({ name }) => (values[name] ?? '') !== '')
    .map(({ name, kind, isSecret }) => {
      if (isSecret && (name === 'password' || name === 'pass')) return '--password-file FILE';
      if (isSecret || kind === 'lines') return `${name}=@FILE`;
      return shellWord(`${name}=${values[name] ?? ''}`);
    })
    .join(' ');
