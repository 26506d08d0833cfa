import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox';

/** A JSON object with exactly these fields. */
export const exactly = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });

/** The same, or null. As a list of types, because the serializer would validate the branches of a union at every reply. */
export const orNull = <S extends TSchema>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [schema['type'], 'null'] });

/** An object whose keys are labels. */
export const byLabel = <S extends TSchema>(value: S) => Type.Record(Type.String(), value);

export const Labels = Type.Array(Type.String(), { description: 'labels, sorted' });

/** Administrators may exceed what a project is limited to. */
export const Force = Type.Optional(
  Type.Boolean({ description: 'true: also beyond the quota of the project; only for administrators' }),
);

export const Accepted = Type.Object({
  status_id: Type.String({ description: 'pass it to show_networking_action for the status' }),
});

/** Where a node is under its OBM daemon, and the right to ask that for tokens. */
export const Obmd = Type.Object(
  {
    uri: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: "the node's http or https address under the OBM daemon",
    }),
    admin_token: Type.String({ minLength: 1, maxLength: 4096, description: "the OBM daemon's admin token" }),
  },
  { additionalProperties: false, description: 'an object with "uri" and "admin_token"' },
);
