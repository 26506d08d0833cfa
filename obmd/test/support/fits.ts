import { checkOf, inBody } from '@corral/base/schema/schema-check';
import type { TSchema } from '@sinclair/typebox';

/** Does the value fit the schema, by the check that the daemon makes? */
export const fits = (schema: TSchema, value: unknown): boolean => checkOf(schema, inBody)(value).length === 0;
