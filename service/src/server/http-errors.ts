import { DatabaseUnavailable } from '@corral/base/db/database-fault';
import { frameworkFaultOf } from '@corral/base/http/framework-errors';
import { CorralError, type ErrorType } from '../core/corral-error.ts';

/** What each kind of failure is in HTTP. The one place that knows. */
export const statusOf = {
  ValidationError: 400,
  BadArgumentError: 400,
  AuthorizationError: 401,
  NotFoundError: 404,
  MethodNotAllowedError: 405,
  DuplicateError: 409,
  BlockedError: 409,
  ProjectMismatchError: 409,
  IllegalStateError: 409,
  AllocationError: 409,
  PayloadTooLargeError: 413,
  TooManyRequestsError: 429,
  ServerError: 500,
  OBMError: 502,
  SwitchError: 502,
  HypervisorError: 502,
  UnavailableError: 503,
} as const satisfies Record<ErrorType, number>;

/** Converts any thrown value into the error for the caller. Unknown errors become a ServerError. */
export const toCorralError = (error: unknown): CorralError => {
  if (error instanceof CorralError) return error;
  if (error instanceof DatabaseUnavailable) {
    const { message, reason, retryAfterS } = error;
    // Without a cause: the log reports once that changes fail, and not for every request.
    return new CorralError('UnavailableError', message, { retryAfterS, forAdmins: `${message} (${reason})` });
  }
  // An extension cannot make our errors, but it can say which one it means.
  if (isObject(error) && isErrorType(error['type'])) {
    const { type, message } = error;
    return new CorralError(type, typeof message === 'string' ? message : type);
  }
  const fault = frameworkFaultOf(error);
  if (fault !== null) return new CorralError(fault.type, fault.message);
  return new CorralError(
    'ServerError',
    'internal error; the log has the details under the x-request-id of this response',
    {
      cause: error,
    },
  );
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isErrorType = (type: unknown): type is ErrorType => typeof type === 'string' && Object.hasOwn(statusOf, type);
