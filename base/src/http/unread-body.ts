import type { IncomingMessage, ServerResponse } from 'node:http';
import { hangUp } from './hang-up.ts';

/** A rest this long is read to its end, so that the connection can be used again. */
const shortBody = 64 * 1024;

/** Has a request been answered before all of it was read, and is what is left not worth reading? */
export const isLeftUnread = ({ complete, headers }: IncomingMessage): boolean => {
  if (complete) return false;
  const length = headers['content-length'];
  // A client that waits for 100 Continue may or may not send the rest.
  return headers.expect !== undefined || length === undefined || Number(length) > shortBody;
};

/** Makes an answer the last one of its connection if the request's body is not worth reading to its end. */
export const endIfUnread = (request: IncomingMessage, response: ServerResponse): void => {
  if (!isLeftUnread(request)) return;
  response.shouldKeepAlive = false;
  const { socket } = request;
  // Node ends a connection by this after the last answer, and would not wait until that has arrived.
  socket.destroySoon = () => hangUp(socket);
};
