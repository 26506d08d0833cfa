import { DatabaseUnavailable } from '@corral/base/db/database-fault';
import { frameworkFaultOf } from '@corral/base/http/framework-errors';
import { ObmdError, type ObmdErrorType } from '../core/obmd-error.ts';

/** What each kind of failure is in HTTP. The one place that knows. */
export const statusOf = {
  ValidationError: 400,
  BadArgumentError: 400,
  AuthorizationError: 401,
  NotFoundError: 404,
  MethodNotAllowedError: 405,
  DuplicateError: 409,
  PayloadTooLargeError: 413,
  ServerError: 500,
  UnsupportedError: 501,
  BmcError: 502,
  BusyError: 503,
  StandbyError: 503,
  UnavailableError: 503,
} as const satisfies Record<ObmdErrorType, number>;

/** Converts any thrown value into the error for the caller. */
export const toObmdError = (error: unknown): ObmdError => {
  if (error instanceof ObmdError) return error;
  if (error instanceof DatabaseUnavailable) return new ObmdError('UnavailableError', error.message, { cause: error });
  const fault = frameworkFaultOf(error);
  if (fault !== null) return new ObmdError(fault.type, fault.message);
  return new ObmdError(
    'ServerError',
    'internal error; the log has the details under the x-request-id of this response',
    { cause: error },
  );
};
