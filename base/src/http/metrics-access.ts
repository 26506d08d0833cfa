import type { FastifyRequest } from 'fastify';
import { isForwarded } from './forwarded-headers.ts';
import type { HttpOptions } from './http-options.ts';
import { isLoopback } from './loopback.ts';

/** May the client see the metrics without credentials? What comes through a proxy does not come from this machine. */
export const seesMetrics = (who: HttpOptions['metrics'], { socket, headers }: FastifyRequest): boolean => {
  if (who !== 'loopback') return who === 'anyone';
  const from = socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  return isLoopback(from) && !isForwarded(headers);
};
