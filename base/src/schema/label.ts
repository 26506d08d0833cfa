import { type Static, Type } from '@sinclair/typebox';

/*
 * The grammar of names. Every label passes it at the door, so nothing further in has to think about
 * control characters, and no label can end a line on a device's command line.
 */

const control = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';
const noSpaceAtEnds = '(?!\\s)(?!.*\\s$)';
const wellFormed = '(?!.*\\p{Surrogate})';

/*
 * Unicode's ignorable characters: zero-width ones, those that turn the direction of writing, fillers. With and without
 * them two labels look alike. Joiners and variation selectors belong to how some languages and emoji are written, so
 * these may follow a character that is not ASCII.
 */
const visible = '(?!.*(?:(?![\\u200c\\u200d\\ufe00-\\ufe0f])\\p{DI}|(?:^|[\\u0000-\\u007f])\\p{DI}|[\\ufff9-\\ufffb]))';

/** A string in the grammar of names, without the forbidden characters. */
export const labelOf = (forbidden: string, description: string, isNot = '') =>
  Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: `^${isNot}${wellFormed}${noSpaceAtEnds}[^${forbidden}${control}]+$`,
    description,
  });

/** The same for a name that is given now: nothing in it that cannot be seen. */
export const newLabelOf = (forbidden: string, description: string, isNot = '') =>
  labelOf(forbidden, `${description}; no invisible characters`, `${isNot}${visible}`);

/** What a label must look like, in words, for error messages. */
export const labelRule = '1 to 255 characters without control characters, "/" or a space at either end';
/** The same for names that may hold a slash. */
export const portLabelRule = '1 to 255 characters without control characters or a space at either end';

export const Label = labelOf('/', labelRule);
export type Label = Static<typeof Label>;
