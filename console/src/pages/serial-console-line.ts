import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { type ITheme, Terminal } from '@xterm/xterm';
import { corral } from '../api/client.ts';
import { takenAway, Tunnel, type TunnelState, endedByItself } from '../api/tunnel.ts';
import { hexOf, watchTheme } from '../ui/theme-at.ts';
import { noteConsole, whoHasConsole } from './serial-console-client.ts';
import { makeElementsWithinPolicy } from './serial-console-policy.ts';

/** What the page hears of a line. */
export interface LineListener {
  readonly state: (state: TunnelState) => void;
  /** More than one line was pasted, and nothing of it was typed yet. */
  readonly paste: (text: string) => void;
  readonly selection: (text: string) => void;
  readonly found: (index: number, count: number) => void;
  readonly search: () => void;
}

/** What one message to the service may hold; a paste can be longer. */
const messageBytes = 16 * 1024;
/** Colours, modes and the other screen end; what was there stays. */
const tidy = '\u001b[?1049l\u001b[!p\u001b[0m';

/** A terminal in the page, and its line to the console of a node. */
export class SerialLine {
  readonly #place: HTMLElement;
  readonly #tell: LineListener;
  readonly #terminal: Terminal;
  readonly #fit = new FitAddon();
  readonly #search = new SearchAddon();
  readonly #undo: (() => void)[] = [];
  readonly #tunnel: Tunnel;
  #wasOpen = false;

  constructor({ node, me }: { readonly node: string; readonly me: string }, place: HTMLElement, tell: LineListener) {
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
    this.#tunnel = new Tunnel({
      heldBy: (when) => whoHasConsole({ node, me, when }),
      address: () => corral.webSocket('showConsole', { node }),
      ask: (signal) => corral.showConsole({ node }, { signal }),
      unsaid: 'the service opened no WebSocket; does a proxy drop the Upgrade header?',
      state: (state) => {
        if (state.kind === 'open') noteConsole(node);
        else if (state.kind === 'taken' || state.kind === 'over') noteConsole(null);
        tell.state(state);
      },
      attach: (socket) => this.#attach(socket),
      ended,
    });
    this.#terminal.focus();
    this.#tunnel.begin();
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
    this.#undo.push(
      watchTheme(() => void (this.#terminal.options.theme = themeAt(place))),
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
    this.#tunnel.connect();
    this.#terminal.focus();
  }

  #attach(socket: WebSocket): void {
    socket.addEventListener('open', () => {
      if (this.#wasOpen)
        this.#terminal.write(`${tidy}\r\n[connected again: what the machine printed last is repeated from here]\r\n`);
      this.#wasOpen = true;
    });
    socket.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer>) =>
      this.#terminal.write(new Uint8Array(data)),
    );
  }

  #type(bytes: Uint8Array<ArrayBuffer>): void {
    for (let at = 0; at < bytes.length; at += messageBytes) this.#tunnel.send(bytes.subarray(at, at + messageBytes));
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
    this.#tunnel.close();
    noteConsole(null);
    for (const step of this.#undo.splice(0).reverse()) step();
  }
}

const ended = (code: number, reason: string): TunnelState | null => {
  if (code === takenAway && reason.includes('taken over')) return { kind: 'taken', why: reason };
  if (code === takenAway && reason.includes('disabled')) return { kind: 'over', why: reason };
  return code === endedByItself ? { kind: 'over', why: 'the console has ended' } : null;
};

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
