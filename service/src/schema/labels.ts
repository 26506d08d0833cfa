import { labelOf, labelRule, portLabelRule } from '@corral/base/schema/label';

export { Label, labelRule } from '@corral/base/schema/label';

/** A project's label: `admin` means the operator where an owner is named, so no project may have it. */
export const NewProjectLabel = labelOf('/', `${labelRule}; not "admin", which means the operator`, '(?!admin$)');
/** A user's name: HTTP Basic ends it at the first colon. */
export const NewUsername = labelOf('/:', `${labelRule}, and without a colon`);
/** Port names are the switch's own: they may contain slashes and spaces. */
export const PortLabel = labelOf('', portLabelRule);
export const Text = labelOf('', portLabelRule);

export const StatusId = labelOf('/', 'the id of a networking action');
