import { Type as TypeBox } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { Type } from '../../src/schema/type.ts';

/** One schema that has everything in it. */
const everything = (type: typeof Type): object =>
  type.Object(
    {
      name: type.String({ minLength: 1, description: 'a name' }),
      count: type.Optional(type.Integer({ minimum: 0 })),
      either: type.Union([type.Literal('a'), type.Literal(1), type.Boolean()], { description: 'one of them' }),
      list: type.Array(type.Unknown(), { maxItems: 3 }),
      byName: type.Record(type.String(), type.String()),
      byLabel: type.Record(type.String({ pattern: '^a' }), type.Unknown(), { propertyNames: { maxLength: 3 } }),
      own: type.Optional(type.Unsafe<string>({ type: ['string', 'null'] })),
      nothing: type.Object({}),
      mayBe: type.Object({ a: type.Optional(type.String()) }),
    },
    { additionalProperties: false },
  );

it('the schemas are those that TypeBox makes', () => {
  expect(JSON.parse(JSON.stringify(everything(Type)))).toEqual(JSON.parse(JSON.stringify(everything(TypeBox))));
});
