import { type Static, Type } from '@sinclair/typebox';

/*
 * The grammar of names. Every label passes it at the door, so nothing further in has to think about
 * control characters, and no label can end a line on a device's command line.
 */

const control = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';
const noSpaceAtEnds = '(?!\\s)(?!.*\\s$)';
const wellFormed = '(?!.*\\p{Surrogate})';

const labelOf = (forbidden: string, description: string, isNot = '') =>
  Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: `^${isNot}${wellFormed}${noSpaceAtEnds}[^${forbidden}${control}]+$`,
    description,
  });

/** What a label must look like, in words, for error messages. */
export const labelRule = '1 to 255 characters without control characters, "/" or a space at either end';
const portLabelRule = '1 to 255 characters without control characters or a space at either end';

export const Label = labelOf('/', labelRule);
/** A project's label: `admin` means the operator where an owner is named, so no project may have it. */
export const NewProjectLabel = labelOf('/', `${labelRule}; not "admin", which means the operator`, '(?!admin$)');
/** A user's name: HTTP Basic ends it at the first colon. */
export const NewUsername = labelOf('/:', `${labelRule}, and without a colon`);
/** Port names are the switch's own: they may contain slashes and spaces. */
export const PortLabel = labelOf('', portLabelRule);
export const Text = labelOf('', portLabelRule);

export const StatusId = labelOf('/', 'the id of a networking action');
export type Label = Static<typeof Label>;
