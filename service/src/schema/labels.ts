import { labelOf, labelRule, newLabelOf, portLabelRule } from '@corral/base/schema/label';
import { Type } from '@sinclair/typebox';

export { Label, labelRule } from '@corral/base/schema/label';

/** A label for something new. */
export const NewLabel = newLabelOf('/', labelRule);
/** A project's label: `admin` means the operator where an owner is named, so no project may have it. */
export const NewProjectLabel = newLabelOf('/', `${labelRule}; not "admin", which means the operator`, '(?!admin$)');
/** A user's name: HTTP Basic ends it at the first colon. */
export const NewUsername = newLabelOf('/:', `${labelRule}, and without a colon`);
/** Port names are the switch's own: they may contain slashes and spaces. */
export const PortLabel = labelOf('', portLabelRule);
export const NewPortLabel = newLabelOf('', portLabelRule);
/** The name of a class of nodes, as it may stand in metadata. */
export const NodeClass = labelOf('', portLabelRule);
export const Text = labelOf('', portLabelRule);

/** A pattern for text that is not a name: it may be repeated in a message, and typed at a device's prompt. */
export const oneLine = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$';
/** A secret that may be typed at a device's prompt: it ends where its line does. */
export const SecretLine = Type.String({ pattern: oneLine, description: 'a password without control characters' });

export const StatusId = labelOf('/', 'the id of a networking action');
export const ReleaseId = labelOf('/', 'the id of a release');
