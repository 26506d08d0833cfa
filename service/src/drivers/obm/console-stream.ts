import type { HttpClient, HttpRequest } from '@corral/base/http/http-client';
import { beginningOf } from './obm-responses.ts';
import type { ConsoleUpgrade } from './console-web-socket.ts';

/** Asks a daemon for a console that can only be read. */
export const openConsoleStream = async (
  http: HttpClient,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<ConsoleUpgrade> => {
  const { status, body } = await http.stream(request, signal);
  if (status >= 200 && status < 300)
    return { kind: 'line', line: { bytes: body, write: null, closeReason: () => null } };
  const text = await beginningOf(body);
  body.destroy();
  return { kind: 'refused', status, text };
};
