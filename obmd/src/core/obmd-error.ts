/** The ways in which the daemon refuses or fails. What each is in HTTP is the server's business. */
export type ObmdErrorType =
  | 'ValidationError'
  | 'BadArgumentError'
  | 'AuthorizationError'
  | 'NotFoundError'
  | 'DuplicateError'
  | 'MethodNotAllowedError'
  | 'PayloadTooLargeError'
  | 'UnsupportedError'
  | 'BmcError'
  | 'BusyError'
  | 'StandbyError'
  | 'UnavailableError'
  | 'ServerError';

/** A failure that is reported to the caller: its kind, and one sentence a person can act on. */
export class ObmdError extends Error {
  readonly type: ObmdErrorType;

  constructor(type: ObmdErrorType, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = type;
    this.type = type;
  }
}

const thrower =
  (type: ObmdErrorType) =>
  (message: string, options?: ErrorOptions): ObmdError =>
    new ObmdError(type, message, options);

export const invalid = thrower('ValidationError');
export const badArgument = thrower('BadArgumentError');
export const unauthorized = thrower('AuthorizationError');
export const duplicate = thrower('DuplicateError');
export const notFound = thrower('NotFoundError');
export const unsupported = thrower('UnsupportedError');
export const bmcFailed = thrower('BmcError');
export const busy = thrower('BusyError');
export const standby = thrower('StandbyError');
