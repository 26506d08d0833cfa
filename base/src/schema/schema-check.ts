import type { TSchema } from '@sinclair/typebox';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { excerptOf } from './excerpt.ts';
import { shortName } from './shorten.ts';

/** Says what is wrong with a value, one sentence a mistake; an empty list means it fits. */
export type Check = (value: unknown) => readonly string[];

/** `body field "node"` and the like: the place a sentence speaks of. */
type DescribePath = (path: readonly string[]) => string;

// The schemas are the program's own: to check them against the schema of schemas would take the first request 60 ms
// more.
const options = { strict: false, verbose: true, unicodeRegExp: true, meta: false, validateSchema: false } as const;

/** At most this many errors are reported at once. */
export const mostMistakes = 10;

/** Compiles schemas, each once. */
const compiler = (ajv: Ajv): ((schema: TSchema) => ValidateFunction) => {
  const compiled = new WeakMap<TSchema, ValidateFunction>();
  return (schema) => {
    const known = compiled.get(schema);
    if (known) return known;
    const made = ajv.compile(schema);
    compiled.set(schema, made);
    return made;
  };
};

/** Stops at the first mistake: a pattern is not tried on a text that is too long, nor a field after an unknown one. */
const firstErrorOf = compiler(new Ajv(options));
/** Finds all of them, and takes as long as that takes: only for excerpts. */
const allErrorsOf = compiler(new Ajv({ ...options, allErrors: true }));

/**
 * Compiles a schema into a check whose sentences name the offending field and what would be accepted: the first ten
 * mistakes, and one more sentence if there are others.
 */
export const checkOf = (schema: TSchema, describePath: DescribePath): Check => {
  // Compiled at the first use: all of them together would be a third of the time to start.
  let firstError: ValidateFunction | undefined;
  let excerpt: ((value: unknown) => unknown) | undefined;
  return (value) => {
    firstError ??= firstErrorOf(schema);
    if (firstError(value)) return [];
    const first = firstError.errors ?? [];
    const list = allErrorsOf(schema);
    excerpt ??= excerptOf(schema);
    // If the mistake is in what was left out, the first one has to do.
    const told = list(excerpt(value)) ? [] : sentences(list.errors ?? [], describePath);
    return told.length > 0 ? told : sentences(first, describePath);
  };
};

/** The first ten of all mistakes of a request, in one line. */
export const joinMistakes = (mistakes: readonly string[]): string => {
  const told = mistakes.slice(0, mostMistakes).join('; ');
  return mistakes.length > mostMistakes ? `${told}; these are the first ten errors, there are more` : told;
};

const quoted = (path: readonly string[]): string => `"${path.map(shortName).join('.')}"`;

/** The place of a field in a JSON body. */
export const inBody: DescribePath = (path) => (path.length === 0 ? 'the body' : `field ${quoted(path)}`);
/** The place of an argument in the path. */
export const inPath: DescribePath = (path) => (path.length === 0 ? 'the path' : `path argument ${quoted(path)}`);
/** The place of a parameter in the query. */
export const inQuery: DescribePath = (path) => (path.length === 0 ? 'the query' : `query parameter ${quoted(path)}`);

/** One more than are reported, to know that there are more. */
const sentences = (errors: readonly ErrorObject[], describePath: DescribePath): string[] => {
  const said = new Set<string>();
  for (const error of errors) {
    const sentence = describe(error, describePath);
    if (sentence) said.add(sentence);
    if (said.size > mostMistakes) break;
  }
  return [...said];
};

const describe = (error: ErrorObject, describePath: DescribePath): string | null => {
  // An error inside a key is reported by the summary of the keys.
  if (error.propertyName !== undefined) return null;
  const path = error.instancePath.split('/').slice(1).map(unescapePointer);
  const params: Record<string, unknown> = error.params;
  switch (error.keyword) {
    case 'required':
      return `${describePath([...path, String(params['missingProperty'])])} is missing; ${expected(fieldSchema(error, String(params['missingProperty'])))}`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `${describePath([...path, String(params['additionalProperty'] ?? params['unevaluatedProperty'])])} is unknown; ${known(error)}`;
    case 'propertyNames':
      return `the name of ${describePath([...path, String(params['propertyName'])])} is invalid; ${expected(error.schema as Described)}`;
    case 'not':
    case 'anyOf':
    case 'if':
      return `${describePath(path)} is invalid; ${expected(error.parentSchema)}`;
    case 'type':
    case 'pattern':
    case 'minLength':
    case 'maxLength':
    case 'const':
    case 'enum':
      // Inside an anyOf the summary of the union speaks for its branches.
      return error.schemaPath.includes('/anyOf/')
        ? null
        : `${describePath(path)} is invalid; ${expected(error.parentSchema)}`;
    default:
      return `${describePath(path)} ${error.message ?? 'is invalid'}; ${expected(error.parentSchema)}`;
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
  return names.length === 0 ? 'none is expected' : `expected one of ${names.map((name) => `"${name}"`).join(', ')}`;
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
