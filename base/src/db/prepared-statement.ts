import type { Compilable } from 'kysely';
import { type SqlDialect, rawOf } from './bound-kysely.ts';
import type { Tx } from './transaction.ts';

/*
 * Kysely builds and compiles a query again at every call, which costs more than most of our queries (60 to
 * 100 µs against 5 to 15 µs, measured on SQLite). The statements that every reservation, connection and pass
 * needs have a fixed text, so they are compiled once for each engine and run with other values from then on.
 */

/** Stands for a value while a statement is compiled. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** The text of a statement in one engine's grammar, and the values to send for a call. */
export interface Compiled<Values> {
  readonly sql: string;
  readonly parametersFor: (values: Values) => unknown[];
}

/** A statement of fixed text. Its rows come in no particular order unless it says so. */
export class Statement<Schema, Values extends object, Row> {
  readonly #build: (tx: Tx<Schema>, values: Values) => Compilable<Row>;
  readonly #compiled = new WeakMap<SqlDialect, Compiled<Values>>();
  /** An aggregate: always exactly one row. */
  readonly isOneRow: boolean;

  constructor(build: (tx: Tx<Schema>, values: Values) => Compilable<Row>, isOneRow: boolean) {
    this.#build = build;
    this.isOneRow = isOneRow;
  }

  async all(tx: Tx<Schema>, values: Values): Promise<Row[]> {
    const { sql, parametersFor } = this.compiledFor(tx);
    const { rows } = await rawOf(tx).run(sql, parametersFor(values), 'all');
    return rows as Row[];
  }

  async first(tx: Tx<Schema>, values: Values): Promise<Row | undefined> {
    const { sql, parametersFor } = this.compiledFor(tx);
    const { rows } = await rawOf(tx).run(sql, parametersFor(values), 'first');
    return rows[0] as Row | undefined;
  }

  /** For a statement that changes something: how many rows it changed. */
  async run(tx: Tx<Schema>, values: Values): Promise<number> {
    const { sql, parametersFor } = this.compiledFor(tx);
    const { numAffectedRows } = await rawOf(tx).run(sql, parametersFor(values), 'all');
    return Number(numAffectedRows ?? 0);
  }

  /** For a statement that changes something, when nobody needs to know how much: its answer is not waited for. */
  async send(tx: Tx<Schema>, values: Values): Promise<void> {
    const { sql, parametersFor } = this.compiledFor(tx);
    await rawOf(tx).send(sql, parametersFor(values), 'all');
  }

  /** Compiled at the first use in each engine's grammar. */
  compiledFor(tx: Tx<Schema>): Compiled<Values> {
    const { dialect } = rawOf(tx);
    const known = this.#compiled.get(dialect);
    if (known) return known;
    const slots = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) }) as Values;
    const { sql, parameters } = this.#build(tx, slots).compile();
    const made: Compiled<Values> = {
      sql,
      parametersFor: (values) =>
        parameters.map((parameter) =>
          parameter instanceof Placeholder ? (values as Record<string, unknown>)[parameter.name] : parameter,
        ),
    };
    this.#compiled.set(dialect, made);
    return made;
  }
}

/** Longer lists are seldom, and their texts would fill the memories of the engines. */
const longestKept = 64;

/** A statement with a list of values. Its text depends on how many there are, and nothing else. */
export class ListStatement<Schema, Item, Values extends object, Row> {
  readonly #build: (tx: Tx<Schema>, list: readonly Item[], values: Values) => Compilable<Row>;
  readonly #byLength = new Map<number, Statement<Schema, ListValues<Item, Values>, Row>>();

  constructor(build: (tx: Tx<Schema>, list: readonly Item[], values: Values) => Compilable<Row>) {
    this.#build = build;
  }

  /** The list must have something in it. */
  async all(tx: Tx<Schema>, list: readonly Item[], values: Values): Promise<Row[]> {
    if (list.length <= longestKept) return this.#kept(list.length).all(tx, Object.assign({ ...values }, list));
    const { sql, parameters } = this.#build(tx, list, values).compile();
    return (await rawOf(tx).run(sql, parameters, 'once')).rows as Row[];
  }

  /** The same, when nobody needs to know the answer. */
  async send(tx: Tx<Schema>, list: readonly Item[], values: Values): Promise<void> {
    if (list.length <= longestKept) return this.#kept(list.length).send(tx, Object.assign({ ...values }, list));
    const { sql, parameters } = this.#build(tx, list, values).compile();
    await rawOf(tx).send(sql, parameters, 'once');
  }

  #kept(length: number): Statement<Schema, ListValues<Item, Values>, Row> {
    const known = this.#byLength.get(length);
    if (known) return known;
    const made = new Statement<Schema, ListValues<Item, Values>, Row>((tx, slots) => {
      const list = Array.from({ length }, (_, index) => slots[index] as Item);
      return this.#build(tx, list, slots);
    }, false);
    this.#byLength.set(length, made);
    return made;
  }
}

/** The items of a list by their places, beside the other values. */
type ListValues<Item, Values> = Values & Readonly<Record<number, Item>>;
