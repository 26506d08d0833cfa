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

interface Details extends ErrorOptions {
  readonly retryAfterS?: number;
  readonly forAdmins?: string;
}

/** A failure that is reported to the caller: its kind, and one sentence a person can act on. */
export class CorralError extends Error {
  readonly type: ErrorType;
  /** When to try again, in seconds; null: nothing is known about that. */
  readonly retryAfterS: number | null;
  /** The sentence for administrators, which may tell what is nobody else's business. */
  readonly forAdmins: string;

  constructor(type: ErrorType, message: string, options?: Details) {
    super(message, options);
    this.name = type;
    this.type = type;
    this.retryAfterS = options?.retryAfterS ?? null;
    this.forAdmins = options?.forAdmins ?? message;
  }
}

const errorOf =
  (type: ErrorType) =>
  (message: string, options?: Details): CorralError =>
    new CorralError(type, message, options);

export const invalid = errorOf('ValidationError');
export const badArgument = errorOf('BadArgumentError');
export const unauthorized = errorOf('AuthorizationError');
export const notFound = errorOf('NotFoundError');
export const duplicate = errorOf('DuplicateError');
export const blocked = errorOf('BlockedError');
export const projectMismatch = errorOf('ProjectMismatchError');
export const illegalState = errorOf('IllegalStateError');
export const allocationFailed = errorOf('AllocationError');
export const obmFailed = errorOf('OBMError');
export const switchFailed = errorOf('SwitchError');
export const hypervisorFailed = errorOf('HypervisorError');
/** A required system does not answer. */
export const unavailable = errorOf('UnavailableError');
/** Refuses for a while; the caller gets the number of seconds. */
export const tooMany = (message: string, seconds: number): CorralError =>
  new CorralError('TooManyRequestsError', message, { retryAfterS: Math.max(1, Math.ceil(seconds)) });
