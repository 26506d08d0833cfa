import type { JsonSchema } from './json-schema.ts';
import type { Route } from './route.ts';
import type { RouteGroup } from './routes/all-routes.ts';

/** The calls as the SDK knows them: a TypeScript module of their types and of where each argument goes. */
export const sdkModule = (groups: readonly RouteGroup[]): string => {
  // A duplicate route, for clients that write a trailing slash, is one call.
  const routes = groups
    .flatMap((group) => group.routes)
    .filter((route, index, all) => all.findIndex(({ name }) => name === route.name) === index);
  return [
    "// Made from the service's list of calls by `npm run generate`; a test compares. Do not edit.",
    '',
    '/** Of a call that takes none. */',
    'export type NoArguments = Readonly<Record<string, never>>;',
    '',
    '/** What every call takes and answers. */',
    'export interface Calls {',
    ...routes.map(
      (route) => `${commentOf(route)}  ${methodOf(route)}: { args: ${argsOf(route)}; reply: ${replyOf(route)} };`,
    ),
    '}',
    '',
    '/** Where every call is, and where its arguments go: those of the path and the query by name, the rest into the body. */',
    'export const calls = {',
    ...routes.map((route) => `  ${methodOf(route)}: ${placeOf(route)},`),
    '} as const;',
    '',
    '/** What names of new things must look like, by the name of their argument. */',
    'export const grammar = {',
    ...grammarOf(routes),
    '} as const;',
    '',
  ].join('\n');
};

/** The rules of the last argument in the paths that make things; a path may also end with something that exists. */
const grammarOf = (routes: readonly Route[]): readonly string[] => {
  const rules = new Map<string, { readonly pattern: string; readonly maxLength: number; readonly rule: string }>();
  for (const { method, path, params } of routes) {
    const name = /\/:(\w+)$/.exec(path)?.[1];
    if (method !== 'PUT' || name === undefined) continue;
    const { pattern, maxLength, description }: JsonSchema = params.properties[name] ?? {};
    if (pattern === undefined || maxLength === undefined || description === undefined) continue;
    // What is new has the longer rule: it forbids more.
    if (pattern.length > (rules.get(name)?.pattern.length ?? 0))
      rules.set(name, { pattern, maxLength, rule: description });
  }
  return [...rules].map(([name, rule]) => `  ${name}: ${JSON.stringify(rule)},`);
};

/** The interface's name, in the spelling of programs: `nodeConnectNetwork`. */
const methodOf = ({ name }: Route): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const commentOf = ({ summary, auth, method, path }: Route): string =>
  `  /** ${summary}. Who may: ${auth}. \`${method} ${path}\` */\n`;

const argsOf = ({ params, query, body }: Route): string => {
  const parts: readonly JsonSchema[] = [params, query, body];
  const fields = parts.flatMap((part) =>
    Object.entries(part.properties ?? {}).map(([name, schema]) =>
      fieldOf(name, schema, part.required?.includes(name) ?? false),
    ),
  );
  const isOpen = parts.some((part) => part.additionalProperties === true);
  if (isOpen) fields.push('readonly [field: string]: unknown');
  return fields.length === 0 ? 'NoArguments' : `{ ${fields.join('; ')} }`;
};

const fieldOf = (name: string, schema: JsonSchema, isRequired: boolean): string =>
  `readonly ${/^\w+$/.test(name) ? name : JSON.stringify(name)}${isRequired ? '' : '?'}: ${typeOf(schema)}`;

const replyOf = ({ reply }: Route): string => {
  if (reply.kind === 'none') return 'undefined';
  return reply.kind === 'json' ? typeOf(reply.schema) : 'AsyncIterable<Uint8Array>';
};

const typeOf = (schema: JsonSchema): string => {
  const { type, anyOf, items, properties, patternProperties, additionalProperties } = schema;
  const literals = schema.const === undefined ? (schema.enum ?? []) : [schema.const];
  if (literals.length > 0) return literals.map((literal) => JSON.stringify(literal)).join(' | ');
  if (anyOf) return unionOf(anyOf.map(typeOf));
  if (Array.isArray(type)) return type.map((one: string) => typeOf({ ...schema, type: one })).join(' | ');
  if (type === 'array') return `readonly ${parenthesised(typeOf(items ?? {}))}[]`;
  if (type === 'object') {
    const [values] = Object.values(patternProperties ?? {});
    if (values) return `Readonly<Record<string, ${typeOf(values)}>>`;
    const required = schema.required ?? [];
    const fields = Object.entries(properties ?? {}).map(([name, one]) => fieldOf(name, one, required.includes(name)));
    if (fields.length === 0) return 'Readonly<Record<string, unknown>>';
    return `{ ${[...fields, ...(additionalProperties === true ? ['readonly [field: string]: unknown'] : [])].join('; ')} }`;
  }
  return (typeof type === 'string' ? plain[type] : undefined) ?? 'unknown';
};

/** Beside `string`, a text of its own says nothing. */
const unionOf = (types: readonly string[]): string =>
  types.filter((type) => !(types.includes('string') && type.startsWith('"'))).join(' | ');

const plain: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

const parenthesised = (type: string): string => (type.includes('|') ? `(${type})` : type);

const placeOf = (route: Route): string =>
  JSON.stringify({
    name: route.name,
    method: route.method,
    path: route.path,
    query: Object.keys(route.query.properties),
    effect: route.effect,
    reply: kindOf(route.reply),
  });

/** What the outermost part of an answer is. */
const kindOf = (reply: Route['reply']): 'nothing' | 'bytes' | 'list' | 'object' | 'json' => {
  if (reply.kind === 'none') return 'nothing';
  if (reply.kind !== 'json') return 'bytes';
  const { type }: JsonSchema = reply.schema;
  return type === 'array' ? 'list' : type === 'object' ? 'object' : 'json';
};
