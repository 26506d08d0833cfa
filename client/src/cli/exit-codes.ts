import { ActionFailedError, CorralError, ProtocolError, TimedOutError, UnreachableError } from '../index.ts';
import { plainWords } from './plain-words.ts';
import { StoppedError, UsageError } from './usage-error.ts';

/** What a script can rely on. */
export const exitCodes = { done: 0, refused: 1, usage: 2, unreachable: 3, timedOut: 4, interrupted: 130 } as const;

/** Why a command failed: the exit code, one sentence, and what to try next. */
export interface Failure {
  readonly code: number;
  readonly message: string;
  readonly hint: string | null;
}

/** The server's own sentence, with the next step where there is one. */
export const failureOf = (error: unknown): Failure => {
  if (error instanceof UsageError) return { code: exitCodes.usage, message: error.message, hint: null };
  if (error instanceof StoppedError) return { code: error.code, message: error.message, hint: error.hint };
  if (error instanceof TimedOutError) return { code: exitCodes.timedOut, message: error.message, hint: null };
  if (error instanceof UnreachableError) {
    return {
      code: exitCodes.unreachable,
      message: error.message,
      hint: unreachableHint(error.message),
    };
  }
  if (error instanceof ProtocolError) return { code: exitCodes.unreachable, message: error.message, hint: null };
  if (error instanceof CorralError)
    return { code: exitCodes.refused, message: plainWords(error.message), hint: hintFor(error) };
  if (error instanceof ActionFailedError) return { code: exitCodes.refused, message: error.message, hint: null };
  // An answer of another shape than this version knows is noticed where it is used.
  if (error instanceof TypeError) {
    const message = `the service sent a response that this version of corral does not understand (${error.message})`;
    return { code: exitCodes.unreachable, message, hint: 'is the endpoint right, and are both of the same version?' };
  }
  return { code: exitCodes.refused, message: error instanceof Error ? error.message : String(error), hint: null };
};

const unreachableHint = (message: string): string => {
  if (message.includes('certificate'))
    return 'Node.js does not trust its certificate: set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority';
  if (/EPROTO|wrong version number|packet length too long/i.test(message)) return 'does it use http instead of https?';
  if (/socket hang up|ECONNRESET/.test(message)) return 'does it use https instead of http?';
  return 'is it running, and is the endpoint right? Set it with --endpoint or CORRAL_ENDPOINT, or log in: corral login';
};

const hintFor = (error: CorralError): string | null => {
  if (error.type === 'ServerError' && error.requestId !== null)
    return `report this request id to the operator: ${error.requestId}`;
  if (error.retryAfter !== null) return `try again in ${error.retryAfter} s`;
  return null;
};
