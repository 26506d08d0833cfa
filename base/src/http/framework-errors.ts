import type { FastifyError } from 'fastify';

/** What the framework found wrong with a request before any of our code saw it. */
export interface FrameworkFault {
  readonly type: 'PayloadTooLargeError' | 'ValidationError';
  readonly message: string;
}

/** The framework's refusals in our words; null for anything else. */
export const frameworkFaultOf = (error: unknown): FrameworkFault | null => {
  const { code, statusCode, message } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return {
      type: 'PayloadTooLargeError',
      message: 'the body is too large; expected at most 1 MiB, or 16 KiB without credentials',
    };
  }
  if (code === 'FST_ERR_BAD_URL') {
    return { type: 'ValidationError', message: 'the path cannot be decoded; expected UTF-8 in percent-encoding' };
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return { type: 'ValidationError', message: message ?? 'the request is malformed' };
  }
  return null;
};
