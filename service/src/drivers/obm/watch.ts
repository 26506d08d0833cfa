import { beginningOf } from './answers.ts';
import type { CallPermit } from './contract.ts';
import { OwnConnection, type Way } from './own-connection.ts';
import type { Conversation } from './web-socket.ts';

/** Asks a daemon for a console that can only be read. `open` has its connection for as long as it lasts. */
export const watch = async (
  url: URL,
  way: Way,
  signal: AbortSignal,
  permit: CallPermit,
  open: Set<OwnConnection>,
): Promise<Conversation> => {
  const connection = await OwnConnection.to(url, way, permit);
  const end = (): void => {
    open.delete(connection);
    void connection.end();
  };
  open.add(connection);
  try {
    const { statusCode, body } = await connection.ask(url, { method: 'GET' }, signal);
    if (statusCode >= 200 && statusCode < 300) {
      body.once('close', end);
      return { kind: 'line', line: { bytes: body, type: null, why: () => null } };
    }
    const text = await beginningOf(body);
    end();
    return { kind: 'refused', status: statusCode, text };
  } catch (error) {
    end();
    throw error;
  }
};
