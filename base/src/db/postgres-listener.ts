import type pg from 'pg';
import { Backoff } from '../backoff.ts';
import { connectionAs } from './postgres-connection-options.ts';

/** The pauses before a lost listening connection is made again. */
const growth = { firstMs: 100, longestMs: 5_000 };
/**
 * One that lasted this long was a good one: a server that accepts and closes connections immediately is treated like
 * one that is down.
 */
const goodMs = 10_000;

/** How a connection that only listens is called. */
export const listenerOf = (name: string): string => `${name} listener`;

/**
 * Hears NOTIFY on one channel over a connection of its own, and comes back when the connection is lost: then anything
 * may have been missed. What is lost without that is found by the slow polls of those who listen.
 */
export const listenTo = (
  driver: typeof pg,
  url: string,
  channel: string,
  heard: (notification: pg.Notification) => void,
  cameBack: () => void,
) => {
  let isFirst = true;
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | null = null;
  let closed = false;
  const losses = new Backoff(growth);

  const connect = async (): Promise<void> => {
    const begun = performance.now();
    const fresh = new driver.Client({ ...connectionAs(listenerOf(channel), url), keepAlive: true });
    client = fresh;
    const again = () => {
      if (closed || client !== fresh) return;
      client = null;
      void fresh.end().catch(() => undefined);
      if (performance.now() - begun >= goodMs) losses.succeeded();
      timer = setTimeout(() => void connect(), losses.failed());
    };
    fresh.on('error', again);
    fresh.on('end', again);
    fresh.on('notification', heard);
    try {
      await fresh.connect();
      await fresh.query(`listen ${channel}`);
      if (!isFirst) cameBack();
      isFirst = false;
    } catch {
      again();
    }
  };
  void connect();

  return {
    close: async () => {
      closed = true;
      if (timer) clearTimeout(timer);
      await client?.end().catch(() => undefined);
    },
  };
};
