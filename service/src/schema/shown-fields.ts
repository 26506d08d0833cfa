import type { TSchema } from '@sinclair/typebox';

const mark = 'isShown';

/** Marks a field of a switch that administrators may read again. One without the mark counts as a secret. */
export const shown = <T extends TSchema>(schema: T): T => ({ ...schema, [mark]: true });

/** The fields of a switch type as clients see them: JSON Schema, where a secret is `writeOnly`. */
export const toldSchema = (schema: TSchema): object => {
  const { properties = {}, ...rest } = schema as { readonly properties?: Readonly<Record<string, TSchema>> };
  const told = Object.entries(properties).map(([name, { [mark]: isShown, ...field }]) => [
    name,
    isShown === true ? field : { ...field, writeOnly: true },
  ]);
  return { ...rest, properties: Object.fromEntries(told) as object };
};

/** What clients see of a registered switch. */
export interface ShownFields {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Names of fields that it has too, and that stay untold. */
  readonly secrets: readonly string[];
}

/** Parts the fields of a switch into those that its driver lets be read, and the rest. */
export const shownFields = (schema: TSchema, fields: Readonly<Record<string, unknown>>): ShownFields => {
  const properties = (schema as { readonly properties?: Readonly<Record<string, TSchema>> }).properties ?? {};
  const isShown = (name: string): boolean => Object.hasOwn(properties, name) && properties[name]?.[mark] === true;
  const names = Object.keys(fields).sort();
  return {
    fields: Object.fromEntries(names.filter(isShown).map((name) => [name, fields[name]])),
    secrets: names.filter((name) => !isShown(name)),
  };
};
