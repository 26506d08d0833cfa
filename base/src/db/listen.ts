import pg from 'pg';
import { connectionAs } from './connection.ts';

/** The first pause before a lost listening connection is made again; it doubles up to the longest. */
const firstPauseMs = 100;
const longestPauseMs = 5_000;

/** How a connection that only listens is called. */
export const listenerOf = (name: string): string => `${name} listener`;

/**
 * Hears NOTIFY on one channel over a connection of its own, and comes back when the connection is lost.
 * What is missed in between is found by the slow polls of those who listen.
 */
export const listenTo = (url: string, channel: string, heard: (payload: string) => void) => {
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | null = null;
  let closed = false;

  const connect = async (pauseMs: number): Promise<void> => {
    const fresh = new pg.Client({ ...connectionAs(listenerOf(channel), url), keepAlive: true });
    client = fresh;
    const again = () => {
      if (closed || client !== fresh) return;
      client = null;
      void fresh.end().catch(() => undefined);
      timer = setTimeout(() => void connect(Math.min(longestPauseMs, pauseMs * 2)), pauseMs);
    };
    fresh.on('error', again);
    fresh.on('end', again);
    fresh.on('notification', ({ payload }) => heard(payload ?? ''));
    try {
      await fresh.connect();
      await fresh.query(`listen ${channel}`);
      pauseMs = firstPauseMs;
    } catch {
      again();
    }
  };
  void connect(firstPauseMs);

  return {
    close: async () => {
      closed = true;
      if (timer) clearTimeout(timer);
      await client?.end().catch(() => undefined);
    },
  };
};
