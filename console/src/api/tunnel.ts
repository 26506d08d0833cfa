/** How it is with the way to a machine. */
export type TunnelState =
  | { readonly kind: 'connecting' | 'open' }
  /** It was lost, and is tried again by itself. */
  | { readonly kind: 'lost'; readonly why: string }
  /** Somebody else has it, and keeps it unless the person takes it. */
  | { readonly kind: 'held'; readonly why: string }
  /** Somebody else has it now. */
  | { readonly kind: 'taken'; readonly why: string }
  /** It is over until the person says otherwise. */
  | { readonly kind: 'over'; readonly why: string };

/** Before it is opened for the first time, or when it was lost. */
type When = 'at first' | 'again';

/** What a tunnel leads to, and what hears of it. */
interface TunnelEnds {
  /** Who would lose it; null: nobody. Asked before it is opened, unless the person wants it in any case. */
  readonly heldBy?: (when: When) => Promise<TunnelState | null>;
  /** Where its WebSocket goes. */
  readonly address: () => Promise<{ readonly url: string }>;
  /** The same call without a WebSocket: a browser does not say why one was refused, this does. */
  readonly ask: (signal: AbortSignal) => Promise<unknown>;
  /** What is likely if the same call has nothing against it. */
  readonly unsaid: string;
  readonly state: (state: TunnelState) => void;
  /** A WebSocket that is about to open. */
  readonly attach: (socket: WebSocket) => void;
  /** What it means that the other side closed it; null: it is tried again. */
  readonly ended: (code: number, reason: string) => TunnelState | null;
}

/** How the service says that it took a tunnel away. */
export const takenAway = 4000;
export const endedByItself = 1000;
/** Pauses before it is tried again; the last one from then on. */
const pausesMs = [1_000, 2_000, 5_000, 10_000] as const;

/** A WebSocket to a machine that is opened again when it is lost. */
export class Tunnel {
  readonly #ends: TunnelEnds;
  #socket: WebSocket | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #tries = 0;
  #isClosed = false;

  constructor(ends: TunnelEnds) {
    this.#ends = ends;
  }

  /** Opens it, unless somebody would lose it. */
  begin(): void {
    this.#ends.state({ kind: 'connecting' });
    void this.#unlessHeld('at first');
  }

  async #unlessHeld(when: When): Promise<void> {
    try {
      const held = await this.#ends.heldBy?.(when);
      if (held) {
        if (!this.#isClosed) this.#ends.state(held);
        return;
      }
    } catch (error) {
      // Without an answer somebody may have it. Opening it says why the question was refused.
      if (!isRefusal(error)) {
        this.#again(whyLost(error), when);
        return;
      }
    }
    if (!this.#isClosed) this.connect();
  }

  /** Opens it; the client that has it now loses it. */
  connect(): void {
    clearTimeout(this.#timer);
    this.#ends.state({ kind: 'connecting' });
    void this.#ends.address().then(({ url }) => {
      if (!this.#isClosed) this.#open(new WebSocket(url));
    });
  }

  #open(socket: WebSocket): void {
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    let isOpen = false;
    socket.addEventListener('open', () => {
      isOpen = true;
      this.#tries = 0;
      this.#ends.state({ kind: 'open' });
    });
    socket.addEventListener('close', ({ code, reason }) => {
      if (this.#isClosed || this.#socket !== socket) return;
      this.#socket = null;
      if (!isOpen) {
        void this.#refused();
        return;
      }
      const end = this.#ends.ended(code, reason);
      if (end === null) this.#again(reason === '' ? 'the connection was lost' : reason);
      else this.#ends.state(end);
    });
    this.#ends.attach(socket);
  }

  async #refused(): Promise<void> {
    const stop = new AbortController();
    try {
      await this.#ends.ask(stop.signal);
      this.#again(this.#ends.unsaid);
    } catch (error) {
      if (this.#isClosed) return;
      const { message } = error as Error;
      if (isAboutUpgrade(message)) this.#again(this.#ends.unsaid);
      else if (isRefusal(error)) this.#ends.state({ kind: 'over', why: message });
      else this.#again(whyLost(error));
    } finally {
      stop.abort();
    }
  }

  #again(why: string, when: When = 'again'): void {
    if (this.#isClosed) return;
    this.#ends.state({ kind: 'lost', why });
    this.#timer = setTimeout(() => void this.#unlessHeld(when), pausesMs[Math.min(this.#tries, pausesMs.length - 1)]);
    this.#tries += 1;
  }

  /** Sends, if it is open. */
  send(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(bytes);
  }

  /** Ends the connection that there is, and says nothing of it. */
  hangUp(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(endedByItself);
  }

  close(): void {
    this.#isClosed = true;
    this.hangUp();
  }
}

/** Nothing but the WebSocket was missing from the call. */
const isAboutUpgrade = (message: string): boolean => message.includes('"Upgrade: websocket"');

const isRefusal = (error: unknown): boolean => {
  const { status } = error as { readonly status?: number };
  return status !== undefined && status >= 400 && status < 500;
};

const whyLost = (error: unknown): string => (error as Error).message.replace(/; try again$/, '');
