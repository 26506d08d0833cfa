import { parse } from 'smol-toml';

interface TomlPlace {
  readonly line: number;
  readonly column: number;
}

/** Where a key is written, and what it is set to; of a table both are its name. */
interface KeyPlaces {
  readonly key: TomlPlace;
  readonly value: TomlPlace;
}

/** Where the keys of a valid TOML document are, tables included, by their dotted names. */
export const placesOfKeys = (document: string): ReadonlyMap<string, KeyPlaces> => new PlaceScanner(document).scan();

/** What ends a value that is neither a string nor has parts: a number, a date, a word. */
const scalarEnd = /[,\]}#\r\n]|$/g;
const afterKey = /[=\]]/y;
const blank = /[ \t\r\n]*(?:#[^\n]*[ \t\r\n]*)*/y;
/** A string, by its quotes; the longer ones first. */
const quoted = /"""(?:[^\\]|\\[^])*?"{3,5}(?!")|'''[^]*?'{3,5}(?!')|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y;

/**
 * The parser tells no positions, so this goes over the text once more, once. It relies on the parser having accepted the
 * document: it looks for where things end and judges nothing.
 */
class PlaceScanner {
  readonly #text: string;
  readonly #found = new Map<string, KeyPlaces>();
  /** Where each line begins. */
  readonly #lines: number[] = [0];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) this.#lines.push(end + 1);
  }

  scan(): ReadonlyMap<string, KeyPlaces> {
    let table = '';
    for (;;) {
      this.#skip(blank);
      if (this.#at >= this.#text.length) break;
      if (this.#text[this.#at] === '[') table = this.#table();
      else this.#pair(table);
    }
    return this.#found;
  }

  /** `[name]` or `[[name]]`; tells the name. */
  #table(): string {
    while (this.#text[this.#at] === '[') this.#at += 1;
    this.#skip(blank);
    const start = this.#at;
    const path = this.#key('', start);
    while (this.#text[this.#at] === ']') this.#at += 1;
    return path;
  }

  /** `key = value`, within a table or between braces. */
  #pair(table: string): void {
    const start = this.#at;
    const end = this.#endOfKey();
    const name = this.#text.slice(start, end);
    this.#at = end + 1;
    this.#skip(blank);
    const path = this.#note(table, name, start, this.#at);
    this.#value(path);
  }

  #key(table: string, start: number): string {
    const end = this.#endOfKey();
    this.#at = end;
    return this.#note(table, this.#text.slice(start, end), start, start);
  }

  #endOfKey(): number {
    let at = this.#at;
    for (; at < this.#text.length && !matches(afterKey, this.#text, at); at += 1) {
      if (matches(quoted, this.#text, at)) at = quoted.lastIndex - 1;
    }
    return at;
  }

  #value(path: string): void {
    const first = this.#text[this.#at];
    if (first === '[') this.#parts(']', () => this.#value(path));
    else if (first === '{') this.#parts('}', () => this.#pair(path));
    else if (matches(quoted, this.#text, this.#at)) this.#at = quoted.lastIndex;
    else {
      scalarEnd.lastIndex = this.#at;
      this.#at = scalarEnd.exec(this.#text)?.index ?? this.#text.length;
    }
  }

  /** What is between brackets or braces, with commas. */
  #parts(close: string, part: () => void): void {
    this.#at += 1;
    for (;;) {
      this.#skip(blank);
      const next = this.#text[this.#at];
      if (next === undefined || next === close) break;
      if (next === ',') this.#at += 1;
      else part();
    }
    this.#at += 1;
  }

  /** Notes a key and the tables that it names on the way, where nothing was noted before; tells its dotted name. */
  #note(table: string, name: string, key: number, value: number): string {
    let path = table;
    let inner: unknown = parse(`${name.trim()}=0`);
    while (typeof inner === 'object' && inner !== null) {
      const [next] = Object.entries(inner);
      if (next === undefined) break;
      path = path === '' ? next[0] : `${path}.${next[0]}`;
      inner = next[1] as unknown;
      if (!this.#found.has(path)) this.#found.set(path, { key: this.#place(key), value: this.#place(value) });
    }
    return path;
  }

  #skip(what: RegExp): void {
    if (matches(what, this.#text, this.#at)) this.#at = what.lastIndex;
  }

  /** The line by halving: there may be many of both. */
  #place(at: number): TomlPlace {
    let low = 0;
    let high = this.#lines.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#lines[middle] ?? 0) <= at) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: at - (this.#lines[low] ?? 0) + 1 };
  }
}

const matches = (pattern: RegExp, text: string, at: number): boolean => {
  pattern.lastIndex = at;
  return pattern.test(text);
};
