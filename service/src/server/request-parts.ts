import { checkQuery } from '@corral/base/http/query-string';
import { type Check, checkOf, inBody, inPath, joinMistakes } from '@corral/base/schema/schema-check';
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import { invalid } from '../core/corral-error.ts';

/** The parts of a request, as they came. */
export interface RequestParts {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** The parts of a request that fit the schemas of its route. */
export interface CheckedParts<P extends TObject, Q extends TObject, B extends TSchema> extends RequestParts {
  readonly params: Static<P>;
  readonly query: Static<Q>;
  readonly body: Static<B>;
}

/** The schema of a part that a route does not have. */
export const nothing = Type.Object({}, { additionalProperties: false });
export type Nothing = typeof nothing;

/** What the parts of a request must look like; one that is absent must be empty. */
export interface PartSchemas<P extends TObject, Q extends TObject, B extends TSchema> {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
}

/** Refuses a request of which any part does not fit its schema, and says what is wrong with all of them. */
export const partsChecker = <P extends TObject = Nothing, Q extends TObject = Nothing, B extends TSchema = Nothing>({
  params,
  query,
  body,
}: PartSchemas<P, Q, B>): ((parts: RequestParts) => CheckedParts<P, Q, B>) => {
  const checks: readonly (readonly [keyof RequestParts, Check])[] = [
    ['params', checkOf(params ?? nothing, inPath)],
    ['query', checkQuery(query ?? nothing)],
    ['body', checkOf(body ?? nothing, inBody)],
  ];
  return (parts) => {
    const mistakes = checks.flatMap(([part, check]) => check(parts[part]));
    const fits = (_: RequestParts): _ is CheckedParts<P, Q, B> => mistakes.length === 0;
    if (!fits(parts)) throw invalid(joinMistakes(mistakes));
    return parts;
  };
};
