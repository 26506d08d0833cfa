import { printable, printableLines } from './printable.ts';
import { counted } from './counted.ts';
import { styleFor, type Style } from './style.ts';
import { layOut, shortened, wrap } from './table.ts';
import { wrapLines } from './wrap-lines.ts';

/** What a command says, to a person or to a program. */
export interface Output {
  readonly isJson: boolean;
  /** Is somebody looking who can see a spinner and answer a question? */
  readonly isTerminal: boolean;
  readonly style: Style;
  /** How wide what is read there is; Infinity where nobody reads, or nothing is to be wrapped. */
  readonly columns: number;
  /** One line for a person; nothing for a program. */
  say(text: string): void;
  /** A word beside the result, which does not get into what is piped on. */
  note(text: string): void;
  /** Why it was not done, and what to try next; for everybody. */
  fail(message: string, hint: string | null): void;
  /** A value for a program. */
  json(value: unknown): void;
  /** A value for a program on one line, one of many. */
  line(value: unknown): void;
  /** A table for a person, `value` for a program. */
  table(headings: readonly string[], rows: readonly (readonly string[])[], value: unknown, whenEmpty: string): void;
  /** Names with values below each other for a person, `value` for a program. */
  facts(facts: readonly (readonly [string, string])[], value: unknown): void;
  /** Bytes as they are. */
  raw(bytes: Uint8Array): Promise<void>;
  /** Something that takes a while; shown on a terminal only. */
  progress(text: string): Progress;
  /** The same for an answer that may take a while: shown after half a second, unless something else is shown already. */
  readonly waiting: (text: (seconds: number) => string) => { stop(): void };
  /** So many things that are done one after the other: a bar on a terminal, a line now and then elsewhere. */
  bar(total: number): Bar;
}

interface Bar {
  update(reportDone: number, what: string): void;
  stop(): void;
}

interface Progress {
  update(text: string): void;
  stop(): void;
}

/** A stream to write to, as far as we use it. */
export interface Sink {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(chunk: string | Uint8Array): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

/** A terminal that does not know its width says 0. */
const columnsOf = ({ columns = 0 }: Sink): number => (columns > 0 ? columns : 80);

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 80;
/** Answers that come sooner are not announced. */
const waitingMs = 500;

/** Writes results to `out`, and what only matters while it happens to `err`. */
export const outputTo = (
  out: Sink,
  err: Sink,
  { isJson, isWide, noColour }: { readonly isJson: boolean; readonly isWide: boolean; readonly noColour: boolean },
): Output => {
  const isTerminal = out.isTTY === true && err.isTTY === true;
  const style = styleFor(out.isTTY === true && !noColour);
  const width = out.isTTY && !isWide ? columnsOf(out) : null;
  const write = (sink: Sink, text: string): void => void sink.write(`${style.shown(text)}\n`);
  const print = (text: string): void => write(out, text);
  const json = (value: unknown): void => print(JSON.stringify(value, null, 2));
  const say = (text: string): void => {
    if (!isJson) print(wrapLines(text, width ?? Infinity));
  };
  const isShown = isTerminal && !isJson;
  /** How many of those draw on the last line of the terminal that must not be drawn over. */
  let drawing = 0;
  const exclusive = <T extends { stop(): void }>(drawn: T): T => {
    drawing += 1;
    let isOver = false;
    return {
      ...drawn,
      stop: () => {
        if (isOver) return;
        isOver = true;
        drawing -= 1;
        drawn.stop();
      },
    };
  };
  return {
    isJson,
    isTerminal,
    style,
    columns: width ?? Infinity,
    say,
    fail: (message, hint) => {
      const own = styleFor(err.isTTY === true && !noColour);
      const room = err.isTTY === true ? columnsOf(err) : Infinity;
      const [, rest = ''] = wrapLines(printableLines(`${prefix} ${message}`), room).split(/^corral:/);
      err.write(`${own.red(prefix)}${rest}\n`);
      if (hint !== null) err.write(`${own.dim(wrapLines(printableLines(hint), room))}\n`);
    },
    note: (text) => {
      if (!isJson) write(err, wrapLines(text, err.isTTY === true && !isWide ? columnsOf(err) : Infinity));
    },
    json,
    line: (value) => print(JSON.stringify(value)),
    table: (headings, rows, value, whenEmpty) => {
      if (isJson) return json(value);
      if (rows.length === 0) return print(style.dim(whenEmpty));
      const { heading, lines } = layOut(
        headings,
        rows.map((row) => row.map(printable)),
        width,
      );
      for (const line of heading) print(style.bold(line));
      for (const line of lines) print(line);
    },
    facts: (facts, value) => {
      if (isJson) return json(value);
      const longest = Math.max(0, ...facts.map(([name]) => name.length));
      for (const [name, text] of facts) {
        const room = width === null ? Infinity : width - longest - 2;
        const [first = '', ...more] = text.split('\n').flatMap((line) => wrap(printable(line), room));
        print(`${style.bold(name.padEnd(longest))}  ${first}`);
        for (const line of more) print(`${' '.repeat(longest)}  ${line}`);
      }
    },
    raw: (bytes) =>
      new Promise((resolve) => {
        if (out.write(bytes)) resolve();
        else out.once('drain', resolve);
      }),
    progress: (text) =>
      isShown ? exclusive(spin(err, style, text)) : { update: () => undefined, stop: () => undefined },
    waiting: (text) => {
      if (!isShown) return { stop: () => undefined };
      const begun = performance.now();
      let shown: Progress | null = null;
      const timer = setInterval(() => {
        const now = text(Math.floor((performance.now() - begun) / 1000));
        if (shown === null && drawing === 0) shown = exclusive(spin(err, style, now));
        shown?.update(now);
      }, waitingMs);
      return {
        stop: () => {
          clearInterval(timer);
          shown?.stop();
        },
      };
    },
    bar: (total) => (isShown ? exclusive(drawBar(err, style, total)) : lineByLine(err, total)),
  };
};

const prefix = 'corral:';

const barWidth = 24;
const lineEveryMs = 5_000;

const drawBar = (err: Sink, style: Style, total: number): Bar => {
  const began = performance.now();
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    update: (reportDone, what) => {
      const now = performance.now();
      if (now - drawnAt < frameMs && reportDone < total) return;
      drawnAt = now;
      const filled = Math.floor((barWidth * reportDone) / total);
      const seconds = Math.ceil(((now - began) / reportDone) * ((total - reportDone) / 1000));
      const left = `${counted(reportDone)}/${counted(total)}  ${seconds} s left  `;
      const room = columnsOf(err) - barWidth - left.length - 4;
      const bar = style.green('█'.repeat(filled)) + style.dim('░'.repeat(barWidth - filled));
      err.write(`\r\u001b[2K${bar}  ${left}${style.dim(room > 1 ? shortened(printable(what), room) : '')}`);
    },
    stop: () => void err.write('\r\u001b[2K'),
  };
};

const lineByLine = (err: Sink, total: number): Bar => {
  let at = performance.now();
  return {
    update: (reportDone) => {
      if (performance.now() - at < lineEveryMs) return;
      at = performance.now();
      err.write(`${counted(reportDone)} of ${counted(total)}\n`);
    },
    stop: () => undefined,
  };
};

const spin = (err: Sink, style: Style, text: string): Progress => {
  let shown = printable(text);
  let frame = 0;
  const draw = (): void => {
    frame += 1;
    err.write(`\r\u001b[2K${style.dim(frames[frame % frames.length] ?? '')} ${shortened(shown, columnsOf(err) - 3)}`);
  };
  const timer = setInterval(draw, frameMs);
  draw();
  return {
    update: (next) => {
      shown = printable(next);
    },
    stop: () => {
      clearInterval(timer);
      err.write('\r\u001b[2K');
    },
  };
};
