import type { JavaScriptTypeBuilder, TSchema } from '@sinclair/typebox';

/*
 * TypeBox's types around builders of our own. Its 200 files take 120 ms to load, an eighth of the time to start, and
 * what we want of them at run time is these few objects. A test compares the two.
 */

const optional = Symbol('optional');

type Schemas = Readonly<Record<string, TSchema & { readonly [optional]?: true }>>;

type Built =
  | 'String'
  | 'Integer'
  | 'Boolean'
  | 'Unknown'
  | 'Unsafe'
  | 'Literal'
  | 'Array'
  | 'Union'
  | 'Optional'
  | 'Record'
  | 'Object';

const builders = {
  String: (options?: object) => ({ ...options, type: 'string' }),
  Integer: (options?: object) => ({ ...options, type: 'integer' }),
  Boolean: (options?: object) => ({ ...options, type: 'boolean' }),
  Unknown: (options?: object) => ({ ...options }),
  Unsafe: (options?: object) => ({ ...options }),
  Literal: (value: unknown, options?: object) => ({ ...options, const: value, type: typeof value }),
  Array: (items: TSchema, options?: object) => ({ ...options, type: 'array', items }),
  Union: (anyOf: readonly TSchema[], options?: object) => ({ ...options, anyOf }),
  Optional: (schema: TSchema) => ({ ...schema, [optional]: true }),
  Record: (key: { readonly pattern?: string }, value: TSchema, options?: object) => ({
    ...options,
    type: 'object',
    patternProperties: { [key.pattern ?? '^(.*)$']: value },
  }),
  Object: (properties: Schemas, options?: object) => {
    const required = Object.keys(properties).filter((name) => properties[name]?.[optional] !== true);
    return { ...options, type: 'object', ...(required.length > 0 ? { required } : {}), properties };
  },
} satisfies Readonly<Record<Built, unknown>>;

/** Builds schemas whose types are known to the compiler. */
export const Type = builders as unknown as Pick<JavaScriptTypeBuilder, Built>;
