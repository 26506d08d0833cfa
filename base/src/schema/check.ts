import type { TSchema } from '@sinclair/typebox';
import { createRequire } from 'node:module';
import type * as AjvModule from 'ajv';
import type { ErrorObject, ValidateFunction } from 'ajv';

/** Says what is wrong with a value, one sentence a mistake; an empty list means it fits. */
export type Check = (value: unknown) => readonly string[];

/** `body field "node"` and the like: the place a sentence speaks of. */
type Place = (path: readonly string[]) => string;

// Required, not imported: looking for the exports of its hundred files takes longer than running them.
const { Ajv } = createRequire(import.meta.url)('ajv') as typeof AjvModule;
const ajv = new Ajv({ allErrors: true, strict: false, verbose: true, unicodeRegExp: true });

const compiled = new WeakMap<TSchema, ValidateFunction>();

const validator = (schema: TSchema): ValidateFunction => {
  const known = compiled.get(schema);
  if (known) return known;
  const made = ajv.compile(schema);
  compiled.set(schema, made);
  return made;
};

/** Compiles a schema into a check whose sentences name the offending field and what would be accepted. */
export const checkOf = (schema: TSchema, place: Place): Check => {
  // Compiled at the first use: all of them together would be a third of the time to start.
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= validator(schema);
    return validate(value) ? [] : sentences(validate.errors ?? [], place);
  };
};

/** The place of a field in a JSON body. */
export const inBody: Place = (path) => (path.length === 0 ? 'the body' : `field "${path.join('.')}"`);
/** The place of an argument in the path. */
export const inPath: Place = (path) => (path.length === 0 ? 'the path' : `path argument "${path.join('.')}"`);
/** The place of a parameter in the query. */
export const inQuery: Place = (path) => (path.length === 0 ? 'the query' : `query parameter "${path.join('.')}"`);

const sentences = (errors: readonly ErrorObject[], place: Place): string[] => {
  const said = new Set<string>();
  for (const error of errors) {
    const sentence = describe(error, place);
    if (sentence) said.add(sentence);
  }
  return [...said];
};

const describe = (error: ErrorObject, place: Place): string | null => {
  // What is wrong inside a key is told by the summary of the keys.
  if (error.propertyName !== undefined) return null;
  const path = error.instancePath.split('/').slice(1).map(unescapePointer);
  const params: Record<string, unknown> = error.params;
  switch (error.keyword) {
    case 'required':
      return `${place([...path, String(params['missingProperty'])])} is missing; ${expected(fieldSchema(error, String(params['missingProperty'])))}`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `${place([...path, String(params['additionalProperty'] ?? params['unevaluatedProperty'])])} is not known here; ${known(error)}`;
    case 'propertyNames':
      return `the name of ${place([...path, String(params['propertyName'])])} is not acceptable; ${expected(error.schema as Described)}`;
    case 'not':
    case 'anyOf':
    case 'if':
      return `${place(path)} is not acceptable; ${expected(error.parentSchema)}`;
    case 'type':
    case 'pattern':
    case 'minLength':
    case 'maxLength':
    case 'const':
    case 'enum':
      // Inside an anyOf the summary of the union speaks for its branches.
      return error.schemaPath.includes('/anyOf/')
        ? null
        : `${place(path)} is not acceptable; ${expected(error.parentSchema)}`;
    default:
      return `${place(path)} ${error.message ?? 'is not acceptable'}; ${expected(error.parentSchema)}`;
  }
};

const unescapePointer = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

interface Described {
  readonly [keyword: string]: unknown;
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Described[];
  readonly minimum?: number;
  readonly maximum?: number;
}

const fieldSchema = (error: ErrorObject, field: string): Described | undefined =>
  (error.parentSchema as Described | undefined)?.properties?.[field];

const known = (error: ErrorObject): string => {
  const names = Object.keys((error.parentSchema as Described | undefined)?.properties ?? {});
  return names.length === 0 ? 'nothing is accepted there' : `known are ${names.map((name) => `"${name}"`).join(', ')}`;
};

const expected = (schema: Described | undefined): string => {
  if (schema === undefined) return 'see the API reference';
  if (schema.description !== undefined) return `expected ${schema.description}`;
  return `expected ${kindOf(schema)}`;
};

const kindOf = (schema: Described): string => {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
  if (schema.anyOf) return schema.anyOf.map(kindOf).join(' or ');
  const kinds: Record<string, string> = {
    string: 'a string',
    boolean: 'true or false',
    integer: 'a whole number',
    number: 'a number',
    object: 'a JSON object',
    array: 'a list',
    null: 'null',
  };
  return kinds[schema.type ?? ''] ?? 'another value';
};
