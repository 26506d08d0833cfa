import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerChannel } from 'ssh2';

/** Output in pieces of this many bytes, this far apart. */
export interface Drip {
  readonly bytes: number;
  readonly everyMs: number;
}

/** The far end of a terminal: keys come in one by one, what is written goes out as slowly as configured. */
export class Terminal {
  readonly #channel: ServerChannel;
  readonly #drip: () => Drip | null;
  #keys: string[] = [];
  #isClosed = false;
  #wake: () => void = () => undefined;

  constructor(channel: ServerChannel, drip: () => Drip | null) {
    this.#channel = channel;
    this.#drip = drip;
    channel.setEncoding('utf8');
    channel.on('error', () => undefined);
    channel.on('data', (text: string) => {
      this.#keys.push(...Array.from(text));
      this.#wake();
    });
    channel.on('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  /** The next key; null when nobody is there any more. */
  async key(): Promise<string | null> {
    for (;;) {
      const key = this.#keys.shift();
      if (key !== undefined) return key;
      if (this.#isClosed) return null;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** A line, echoed as it is typed; of a hidden one only its end is seen on the screen. */
  async line(isHidden: boolean): Promise<string | null> {
    let line = '';
    let echo = '';
    for (;;) {
      const key = await this.key();
      if (key === null) return null;
      if (key === '\r' || key === '\n') {
        if (key === '\r' && this.#keys[0] === '\n') this.#keys.shift();
        await this.write(`${echo}\n`);
        return line;
      }
      line += key;
      if (!isHidden) echo += key;
      if (this.#keys.length > 0) continue;
      await this.write(echo);
      echo = '';
    }
  }

  async write(text: string): Promise<void> {
    const bytes = text.replaceAll('\n', '\r\n');
    const drip = this.#drip();
    if (drip === null) {
      if (!this.#isClosed) this.#channel.write(bytes);
      return;
    }
    for (let at = 0; at < bytes.length && !this.#isClosed; at += drip.bytes) {
      await sleep(drip.everyMs);
      this.#channel.write(bytes.slice(at, at + drip.bytes));
    }
  }
}
