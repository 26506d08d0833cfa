/** A reason not to go on that a person can do something about; it is shown without a stack. */
export class DemoError extends Error {}
