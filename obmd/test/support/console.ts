import type { Duplex } from 'node:stream';
import { vi } from 'vitest';

/** The test's end of a console. */
export interface Terminal {
  readonly stream: Duplex;
  /** All that it heard so far. */
  heard(): string;
  /** Waits until it has heard this. */
  hears(text: string): Promise<void>;
  type(text: string): void;
  readonly isClosed: boolean;
  /** Lets go of the console and waits until it has closed. */
  close(): Promise<void>;
}

export const terminalOn = (stream: Duplex): Terminal => {
  let heard = '';
  let isClosed = false;
  const closed = new Promise<void>((resolve) => {
    stream.once('close', () => {
      isClosed = true;
      resolve();
    });
  });
  stream.on('data', (bytes: Buffer) => (heard += bytes.toString('latin1')));
  // Whoever loses a console may be told so by an error; what counts is that it closes.
  stream.on('error', () => undefined);
  return {
    stream,
    heard: () => heard,
    hears: (text) =>
      vi.waitFor(
        () => {
          if (!heard.includes(text)) throw new Error(`the console said ${JSON.stringify(heard.slice(-2000))}`);
        },
        { timeout: 20_000, interval: 20 },
      ),
    type: (text) => void stream.write(text),
    get isClosed() {
      return isClosed;
    },
    close: async () => {
      stream.destroy();
      await closed;
    },
  };
};
