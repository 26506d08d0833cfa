import { CorralError } from '../../core/corral-error.ts';

/**
 * Why nobody was logged in: the person said no, the attempt is too old, used or somebody else's, the provider is not
 * there, it refuses this service, or its answer cannot be trusted.
 */
export type LoginFaultKind = 'denied' | 'stale' | 'unavailable' | 'refused' | 'untrusted';

/** A login that came to nothing. Its details are for the log; they hold no codes and no tokens. */
export class LoginFault extends Error {
  readonly kind: LoginFaultKind;

  constructor(kind: LoginFaultKind, details: string = kind) {
    super(details);
    this.name = 'LoginFault';
    this.kind = kind;
  }
}

/** Codes that providers put into `error`, and libraries into `code`: letters, and never what was sent. */
const word = (value: unknown): string => (typeof value === 'string' && /^\w{1,64}$/.test(value) ? value : 'unknown');

/** Converts a thrown error into the reported one. */
export const faultOf = (thrown: unknown): unknown => {
  const error = thrown instanceof Error && thrown.cause instanceof CorralError ? thrown.cause : thrown;
  if (error instanceof LoginFault) return error;
  if (error instanceof CorralError) {
    if (error.type === 'AuthorizationError') return new LoginFault('untrusted', error.message);
    return error.type === 'UnavailableError' ? new LoginFault('unavailable', error.message) : error;
  }
  if (!(error instanceof Error)) return error;
  const { code, error: said } = error as { readonly code?: unknown; readonly error?: unknown };
  switch (code) {
    case 'OAUTH_AUTHORIZATION_RESPONSE_ERROR':
      return new LoginFault(said === 'access_denied' ? 'denied' : 'refused', `the provider answered ${word(said)}`);
    case 'OAUTH_RESPONSE_BODY_ERROR':
      // A code is good once, and for a minute.
      return new LoginFault(said === 'invalid_grant' ? 'stale' : 'refused', `the provider answered ${word(said)}`);
    case 'OAUTH_WWW_AUTHENTICATE_CHALLENGE':
      return new LoginFault('refused', 'the provider refuses the credentials of this service');
    default:
      return typeof code === 'string' && code.startsWith('OAUTH_')
        ? new LoginFault('untrusted', `${word(code)}: ${error.message}`)
        : error;
  }
};
