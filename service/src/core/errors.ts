/** The kinds of failure the interface knows. What each means in HTTP is the server's business. */
export type ErrorType =
  | 'ValidationError'
  | 'BadArgumentError'
  | 'AuthorizationError'
  | 'NotFoundError'
  | 'DuplicateError'
  | 'BlockedError'
  | 'ProjectMismatchError'
  | 'IllegalStateError'
  | 'AllocationError'
  | 'MethodNotAllowedError'
  | 'PayloadTooLargeError'
  | 'TooManyRequestsError'
  | 'OBMError'
  | 'SwitchError'
  | 'HypervisorError'
  | 'UnavailableError'
  | 'ServerError';

/** A failure that the caller is told about: its kind, and one sentence a person can act on. */
export class CorralError extends Error {
  readonly type: ErrorType;

  constructor(type: ErrorType, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = type;
    this.type = type;
  }
}

const thrower =
  (type: ErrorType) =>
  (message: string, options?: ErrorOptions): CorralError =>
    new CorralError(type, message, options);

export const invalid = thrower('ValidationError');
export const badArgument = thrower('BadArgumentError');
export const unauthorized = thrower('AuthorizationError');
export const notFound = thrower('NotFoundError');
export const duplicate = thrower('DuplicateError');
export const blocked = thrower('BlockedError');
export const projectMismatch = thrower('ProjectMismatchError');
export const illegalState = thrower('IllegalStateError');
export const allocationFailed = thrower('AllocationError');
export const obmFailed = thrower('OBMError');
export const switchFailed = thrower('SwitchError');
export const hypervisorFailed = thrower('HypervisorError');
/** Whoever has to be asked first does not answer. */
export const unavailable = thrower('UnavailableError');
