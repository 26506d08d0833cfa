import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { type ITheme, Terminal } from '@xterm/xterm';
import { corral } from '../api/client.ts';
import { makeElementsWithinPolicy } from './serial-console-policy.ts';

/** How it is with the line to the machine. */
export type LineState =
  | { readonly kind: 'connecting' | 'open' }
  /** It was lost, and is tried again by itself. */
  | { readonly kind: 'lost'; readonly why: string }
  /** Somebody else has it now. */
  | { readonly kind: 'taken'; readonly why: string }
  /** It is over until the person says otherwise. */
  | { readonly kind: 'over'; readonly why: string };

/** What the page hears of a line. */
export interface LineListener {
  readonly state: (state: LineState) => void;
  /** More than one line was pasted, and nothing of it was typed yet. */
  readonly paste: (text: string) => void;
  readonly selection: (text: string) => void;
  readonly found: (index: number, count: number) => void;
  readonly search: () => void;
}

/** How the service says that it took the console away. */
const takenAway = 4000;
const endedByItself = 1000;
/** What one message to the service may hold; a paste can be longer. */
const messageBytes = 16 * 1024;
/** Pauses before it is tried again; the last one from then on. */
const pausesMs = [1_000, 2_000, 5_000, 10_000] as const;
/** Colours, modes and the other screen end; what was there stays. */
const tidy = '\u001b[?1049l\u001b[!p\u001b[0m';

/** A terminal in the page, and its line to the console of a node. */
export class SerialLine {
  readonly #node: string;
  readonly #place: HTMLElement;
  readonly #tell: LineListener;
  readonly #terminal: Terminal;
  readonly #fit = new FitAddon();
  readonly #search = new SearchAddon();
  readonly #undo: (() => void)[] = [];
  #socket: WebSocket | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #tries = 0;
  #wasOpen = false;
  #isClosed = false;

  constructor(node: string, place: HTMLElement, tell: LineListener) {
    this.#node = node;
    this.#place = place;
    this.#tell = tell;
    this.#terminal = new Terminal({
      // Marks of what was found; the version is pinned.
      allowProposedApi: true,
      screenReaderMode: true,
      scrollback: 10_000,
      fontSize: 13,
      fontFamily: getComputedStyle(place).fontFamily,
      // Every colour that the machine asks for can be read on this background.
      minimumContrastRatio: 4.5,
      theme: themeAt(place),
    });
    this.#undo.push(makeElementsWithinPolicy(), () => this.#terminal.dispose());
    this.#terminal.loadAddon(this.#fit);
    this.#terminal.loadAddon(this.#search);
    this.#terminal.open(place);
    this.#terminal.onData((text) => this.#type(new TextEncoder().encode(text)));
    this.#terminal.onBinary((text) => this.#type(Uint8Array.from(text, (letter) => letter.charCodeAt(0))));
    this.#terminal.onSelectionChange(() => tell.selection(this.#terminal.getSelection()));
    this.#search.onDidChangeResults(({ resultIndex, resultCount }) => tell.found(resultIndex, resultCount));
    this.#terminal.attachCustomKeyEventHandler((event) => this.#isForMachine(event));
    this.#watch(place);
    this.#terminal.focus();
    this.connect();
  }

  #watch(place: HTMLElement): void {
    const resized = new ResizeObserver(() => this.#fit.fit());
    resized.observe(place);
    const pasted = (event: ClipboardEvent): void => {
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (linesIn(text) < 2) return;
      event.preventDefault();
      event.stopPropagation();
      this.#tell.paste(text);
    };
    place.addEventListener('paste', pasted, true);
    const recolour = (): void => void (this.#terminal.options.theme = themeAt(place));
    const chosen = new MutationObserver(recolour);
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const ofSystem = matchMedia('(prefers-color-scheme: dark)');
    ofSystem.addEventListener('change', recolour);
    this.#undo.push(
      () => chosen.disconnect(),
      () => ofSystem.removeEventListener('change', recolour),
      () => resized.disconnect(),
      () => place.removeEventListener('paste', pasted, true),
    );
  }

  /** Ctrl with Shift is the page's; everything else is typed. */
  #isForMachine({ type, ctrlKey, shiftKey, code }: KeyboardEvent): boolean {
    if (!ctrlKey || !shiftKey) return true;
    if (code === 'KeyF' && type === 'keydown') this.#tell.search();
    return code !== 'KeyF' && code !== 'KeyC' && code !== 'KeyV';
  }

  /** Opens the console; the client that has it now loses it. */
  connect(): void {
    clearTimeout(this.#timer);
    this.#tell.state({ kind: 'connecting' });
    void corral.webSocket('showConsole', { node: this.#node }).then(({ url }) => {
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
      if (this.#wasOpen)
        this.#terminal.write(`${tidy}\r\n[connected again: what the machine printed last is repeated from here]\r\n`);
      this.#wasOpen = true;
      this.#tell.state({ kind: 'open' });
    });
    socket.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer>) =>
      this.#terminal.write(new Uint8Array(data)),
    );
    socket.addEventListener('close', ({ code, reason }) => {
      if (this.#isClosed || this.#socket !== socket) return;
      this.#socket = null;
      if (isOpen) this.#ended(code, reason);
      else void this.#refused();
    });
  }

  #ended(code: number, reason: string): void {
    if (code === takenAway && reason.includes('taken over')) this.#tell.state({ kind: 'taken', why: reason });
    else if (code === takenAway && reason.includes('disabled')) this.#tell.state({ kind: 'over', why: reason });
    else if (code === endedByItself) this.#tell.state({ kind: 'over', why: 'the console has ended' });
    else this.#again(reason === '' ? 'the connection was lost' : reason);
  }

  /** A browser does not say why a WebSocket was refused: the same call without one does. */
  async #refused(): Promise<void> {
    const stop = new AbortController();
    try {
      await corral.showConsole({ node: this.#node }, { signal: stop.signal });
      this.#again('the service opened no WebSocket; does a proxy drop the Upgrade header?');
    } catch (error) {
      const { message, status } = error as Error & { readonly status?: number };
      if (this.#isClosed) return;
      if (status !== undefined && status >= 400 && status < 500) this.#tell.state({ kind: 'over', why: message });
      else this.#again(message);
    } finally {
      stop.abort();
    }
  }

  #again(why: string): void {
    if (this.#isClosed) return;
    this.#tell.state({ kind: 'lost', why });
    this.#timer = setTimeout(() => this.connect(), pausesMs[Math.min(this.#tries, pausesMs.length - 1)]);
    this.#tries += 1;
  }

  #type(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    for (let at = 0; at < bytes.length; at += messageBytes) this.#socket.send(bytes.subarray(at, at + messageBytes));
  }

  paste(text: string): void {
    this.#terminal.paste(text);
    this.#terminal.focus();
  }

  focus(): void {
    this.#terminal.focus();
  }

  find(text: string, way: 'next' | 'previous'): void {
    const options = { decorations: marksAt(this.#place) };
    if (text === '') this.#search.clearDecorations();
    else if (way === 'next') this.#search.findNext(text, options);
    else this.#search.findPrevious(text, options);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#socket?.close(endedByItself);
    for (const step of this.#undo.splice(0).reverse()) step();
  }
}

/** How many lines a text has; the end of the last does not begin another. */
export const linesIn = (text: string): number => text.replace(/(?:\r\n|\r|\n)$/, '').split(/\r\n|\r|\n/).length;

const themeAt = (place: HTMLElement): ITheme => ({
  background: hexOf(place, '--bg'),
  foreground: hexOf(place, '--text'),
  cursor: hexOf(place, '--accent'),
  cursorAccent: hexOf(place, '--bg'),
  selectionBackground: hexOf(place, '--accent-soft'),
});

/** How everything that was found is marked, and the one that is shown. */
const marksAt = (place: HTMLElement) => ({
  matchBackground: hexOf(place, '--warn-soft'),
  matchOverviewRuler: hexOf(place, '--warn'),
  activeMatchBackground: hexOf(place, '--accent-soft'),
  activeMatchBorder: hexOf(place, '--accent'),
  activeMatchColorOverviewRuler: hexOf(place, '--accent'),
});

/** A colour of the theme as it is at this place, as the terminal wants it. */
const hexOf = (place: HTMLElement, name: string): string => {
  const probe = place.appendChild(document.createElement('i'));
  probe.style.color = `var(${name})`;
  const numbers = getComputedStyle(probe).color.match(/\d+/g) ?? [];
  probe.remove();
  return `#${numbers
    .slice(0, 3)
    .map((number) => Number(number).toString(16).padStart(2, '0'))
    .join('')}`;
};
