/** A refusal or failure that the service told, with its own sentence. */
export class CorralError extends Error {
  /** The interface's name for it: `DuplicateError`. */
  readonly type: string;
  readonly status: number;
  /** Under which the operator finds it in the log. */
  readonly requestId: string | null;
  /** Seconds after which to try again, if the service said so. */
  readonly retryAfter: number | null;

  constructor(details: ErrorDetails) {
    super(details.message);
    this.name = details.type;
    this.type = details.type;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
  }
}

/** An answer that is a refusal, taken apart. */
export interface ErrorDetails {
  readonly type: string;
  readonly message: string;
  readonly status: number;
  readonly requestId: string | null;
  readonly retryAfter: number | null;
}

export class ValidationError extends CorralError {}
export class BadArgumentError extends CorralError {}
export class AuthorizationError extends CorralError {}
export class NotFoundError extends CorralError {}
export class MethodNotAllowedError extends CorralError {}
export class DuplicateError extends CorralError {}
export class BlockedError extends CorralError {}
export class ProjectMismatchError extends CorralError {}
export class IllegalStateError extends CorralError {}
export class AllocationError extends CorralError {}
export class PayloadTooLargeError extends CorralError {}
export class TooManyRequestsError extends CorralError {}
export class ServerError extends CorralError {}
export class OBMError extends CorralError {}
export class SwitchError extends CorralError {}
export class HypervisorError extends CorralError {}
export class UnavailableError extends CorralError {}

const classes: Readonly<Record<string, new (details: ErrorDetails) => CorralError>> = {
  ValidationError,
  BadArgumentError,
  AuthorizationError,
  NotFoundError,
  MethodNotAllowedError,
  DuplicateError,
  BlockedError,
  ProjectMismatchError,
  IllegalStateError,
  AllocationError,
  PayloadTooLargeError,
  TooManyRequestsError,
  ServerError,
  OBMError,
  SwitchError,
  HypervisorError,
  UnavailableError,
};

/** The error of the interface that an answer tells; a type that is newer than this client is a plain CorralError. */
export const errorOf = (details: ErrorDetails): CorralError => {
  const Kind = Object.hasOwn(classes, details.type) ? classes[details.type] : undefined;
  return Kind ? new Kind(details) : new CorralError(details);
};

/** The refusal of the identity provider, before any request to the service. */
export const refusedBy = (message: string): AuthorizationError =>
  new AuthorizationError({ type: 'AuthorizationError', message, status: 401, requestId: null, retryAfter: null });

/** Nobody answered at the endpoint. Whether a change was made, nobody can say, unless `sent` is false. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  readonly sent: boolean;

  constructor(message: string, options: ErrorOptions & { readonly sent: boolean }) {
    super(message, options);
    this.sent = options.sent;
  }
}

/** It took longer than it was given. */
export class TimedOutError extends Error {
  override readonly name = 'TimedOutError';
}

/** Something answered that is not a Corral service, or not one of this kind. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** A queued change that ended in ERROR; the message says why. */
export class ActionFailedError extends Error {
  override readonly name = 'ActionFailedError';
}

/** A release of a node that failed; the message says why, `step` at what. The node is still in its project. */
export class ReleaseFailedError extends Error {
  override readonly name = 'ReleaseFailedError';
  readonly step: string;

  constructor(message: string, step: string) {
    super(message);
    this.step = step;
  }
}
