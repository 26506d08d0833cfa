import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit, type YAMLMap } from 'yaml';
import { nearest } from '../usage-error.ts';
import { type Aliases, followAliases } from './yaml-aliases.ts';

/** Where something is in a document. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** Something wrong with a document, and where. */
export interface Mistake {
  readonly position: SourcePosition;
  readonly text: string;
}

/** A value of a document: where it is, and how it is reached from the top. */
export interface YamlValue {
  readonly node: unknown;
  readonly position: SourcePosition;
  readonly path: string;
}

const mergeKey = '<<';

/** Reads values out of a document, and collects everything that is wrong with them. */
export class YamlReader {
  readonly mistakes: Mistake[] = [];
  readonly top: YamlValue;
  /** Is it YAML at all? Where it is not, nothing in it can be relied on. */
  readonly isReadable: boolean;
  readonly #document: Document;
  readonly #targets: Aliases['targets'];
  readonly #lines = new LineCounter();

  constructor(text: string) {
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, uniqueKeys: false });
    for (const { pos, message } of this.#document.errors) {
      this.mistakes.push({ position: this.#placeAt(pos[0]), text: `invalid YAML: ${message}` });
    }
    // Not by the parser, which would compare each key with all before it.
    visit(this.#document, { Map: (_key, map) => this.#requireUnique(map) });
    const { targets, mistakes } = followAliases(this.#document);
    this.#targets = targets;
    for (const { node, text: why } of mistakes) {
      this.mistakes.push({ position: this.#placeOf(node) ?? { line: 1, column: 1 }, text: why });
    }
    this.isReadable = this.mistakes.length === 0;
    this.top = { node: this.#document.contents, position: { line: 1, column: 1 }, path: '' };
  }

  mistake({ position, path }: Pick<YamlValue, 'position' | 'path'>, sentence: string): null {
    this.mistakes.push({ position, text: path === '' ? sentence : `${path}: ${sentence}` });
    return null;
  }

  /** What is under each key of a mapping; what is merged into it (`<<: *usual`) comes after its own. */
  entries(found: YamlValue): ReadonlyMap<string, YamlValue> {
    const node = this.#resolved(found.node);
    const entries = new Map<string, YamlValue>();
    if (isEmpty(node)) return entries;
    if (!isMap(node)) {
      this.mistake(found, 'expected a mapping, such as "name: value"');
      return entries;
    }
    const merged: YamlValue[] = [];
    for (const { key, value } of node.items) {
      const name = this.#textOf(key);
      const position = this.#placeOf(key) ?? found.position;
      if (name === null) this.mistake({ position, path: found.path }, 'a name here is not a string');
      else if (name === mergeKey) merged.push({ node: value, position, path: found.path });
      else {
        const path = found.path === '' ? name : `${found.path}.${name}`;
        if (entries.has(name)) this.mistake({ position, path }, 'duplicate name');
        entries.set(name, { node: value, position, path });
      }
    }
    for (const other of merged) {
      const whole = this.#resolved(other.node);
      for (const one of isSeq(whole) ? whole.items : [other.node]) {
        for (const [name, value] of this.entries({ ...other, node: one })) {
          if (!entries.has(name)) entries.set(name, value);
        }
      }
    }
    return entries;
  }

  /** The entries of a mapping that has only these keys. */
  fields<Name extends string>(found: YamlValue, known: readonly Name[]): Partial<Readonly<Record<Name, YamlValue>>> {
    const entries = new Map(this.entries(found));
    for (const [name, value] of [...entries]) {
      if (known.some((one) => one === name)) continue;
      const meant = nearest(name, known);
      this.mistake(value, meant === null ? `expected one of ${known.join(', ')}` : `did you mean ${meant}?`);
      // Read as what was meant, so that one slip is one mistake.
      if (meant !== null && !entries.has(meant)) entries.set(meant, value);
    }
    return Object.fromEntries(entries) as Partial<Readonly<Record<Name, YamlValue>>>;
  }

  /** The items of a list. */
  items(found: YamlValue): readonly YamlValue[] {
    const node = this.#resolved(found.node);
    if (isEmpty(node)) return [];
    if (!isSeq(node)) {
      this.mistake(found, 'expected a list, such as [a, b]');
      return [];
    }
    return node.items.map((item, index) => ({
      node: item,
      position: this.#placeOf(item) ?? found.position,
      path: `${found.path}[${index}]`,
    }));
  }

  /** A text; numbers are read as they are written, because 007 may be a label. */
  text(found: YamlValue): string | null {
    const text = this.#textOf(found.node);
    return text ?? this.mistake(found, 'expected a string');
  }

  flag(found: YamlValue): boolean | null {
    const node = this.#resolved(found.node);
    const value = isScalar(node) ? node.value : undefined;
    return typeof value === 'boolean' ? value : this.mistake(found, 'expected true or false');
  }

  /** Everything that exists. */
  plain(found: YamlValue): unknown {
    const node = this.#resolved(found.node);
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
    return node.toJS(this.#document, { maxAliasCount: -1 }) as unknown;
  }

  #requireUnique({ items }: YAMLMap): void {
    const seen = new Set<unknown>();
    for (const { key } of items) {
      const name = isScalar(key) ? key.value : key;
      if (seen.has(name) && name !== mergeKey) {
        this.mistakes.push({
          position: this.#placeOf(key) ?? { line: 1, column: 1 },
          text: `duplicate ${String(name)}`,
        });
      }
      seen.add(name);
    }
  }

  #resolved(node: unknown): unknown {
    return isAlias(node) ? this.#targets.get(node) : node;
  }

  #textOf(found: unknown): string | null {
    const node = this.#resolved(found);
    if (!isScalar(node)) return null;
    if (typeof node.value === 'string') return node.value;
    return node.value === null ? null : (node.source ?? null);
  }

  #placeOf(node: unknown): SourcePosition | null {
    const range = (node as { readonly range?: readonly [number, number, number] | null } | null)?.range;
    return range ? this.#placeAt(range[0]) : null;
  }

  #placeAt(offset: number): SourcePosition {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col };
  }
}

const isEmpty = (node: unknown): boolean =>
  node === null || node === undefined || (isScalar(node) && node.value === null);
