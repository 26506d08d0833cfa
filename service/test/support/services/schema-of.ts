import type { TableAccess } from '@corral/base/db/table-access';

/**
 * What the database itself says of a table: required columns, defaults, keys, checks and indexes, a sentence each, the same for both
 * engines. Names are those of the migrations; what they leave to the engine to name has none.
 */
export const schemaOf = async (access: TableAccess, table: string): Promise<string[]> => {
  const sentences = await (access.engine === 'sqlite' ? fromSqlite(access, table) : fromPostgres(access, table));
  return sentences.map((sentence) => sentence.trim().replaceAll(/\s+/g, ' ')).sort();
};

type Row = Readonly<Record<string, unknown>>;
const textOf = (row: Row, column: string): string => {
  const value = row[column];
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : '';
};

interface Column {
  readonly name: string;
  readonly isRequired: boolean;
  /** Empty: none. */
  readonly fallback: string;
}

/** The columns that may not be null, and those that the database fills in. */
const aboutColumns = (columns: readonly Column[]): string[] => {
  const required = columns.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const filled = columns.filter(({ fallback }) => fallback !== '').map(({ name, fallback }) => `${name} ${fallback}`);
  return [
    `not null: ${required.sort().join(', ')}`,
    ...(filled.length === 0 ? [] : [`defaults: ${filled.sort().join(', ')}`]),
  ];
};

const named = (name: string, sentence: string): string => (name === '' ? sentence : `${name}: ${sentence}`);

const reference = (columns: string, table: string, to: string, onDelete: string): string =>
  `foreign key (${columns}) references ${table} (${to})${onDelete === 'NO ACTION' ? '' : ` on delete ${onDelete}`}`;

const index = (isUnique: boolean, columns: string, predicate: string): string =>
  `${isUnique ? 'unique index' : 'index'} (${columns})${predicate === '' ? '' : ` where ${predicate}`}`;

const fromSqlite = async ({ all }: TableAccess, table: string): Promise<string[]> => {
  const [made] = await all('select sql from sqlite_master where type = ? and name = ?', ['table', table]);
  const text = textOf(made ?? {}, 'sql');
  const constraints = constraintsIn(text);
  const nameOf = (sentence: string): string =>
    constraints.find(({ kind, inside }) => `${kind} (${inside})` === sentence || kind === sentence)?.name ?? '';
  const columns = await all('select * from pragma_table_info(?)', [table]);
  const key = columns
    .filter(({ pk }) => Number(pk) > 0)
    .sort((one, other) => Number(one['pk']) - Number(other['pk']))
    .map((row) => textOf(row, 'name'))
    .join(', ');
  const references = await all('select * from pragma_foreign_key_list(?)', [table]);
  const indexes = await all('select * from pragma_index_list(?)', [table]);
  const found: string[] = [];
  for (const row of indexes) {
    const name = textOf(row, 'name');
    const parts = await all('select name from pragma_index_info(?) order by seqno', [name]);
    const inside = parts.map((part) => textOf(part, 'name')).join(', ');
    const [source] = await all('select sql from sqlite_master where type = ? and name = ?', ['index', name]);
    const predicate = / where (.*)$/is.exec(textOf(source ?? {}, 'sql'))?.[1] ?? '';
    if (row['origin'] === 'u') found.push(named(nameOf(`unique (${inside})`), `unique (${inside})`));
    if (row['origin'] === 'c') found.push(named(name, index(Number(row['unique']) === 1, inside, predicate)));
  }
  const isCounted = /primary key autoincrement/i.test(text);
  return [
    ...aboutColumns(
      columns.map((row) => ({
        name: textOf(row, 'name'),
        // PostgreSQL lets no column of a key be null, and SQLite says so of some only.
        isRequired: Number(row['notnull']) === 1 || Number(row['pk']) > 0,
        fallback: textOf(row, 'dflt_value'),
      })),
    ),
    named(
      nameOf(`primary key (${key})`) || nameOf('primary key'),
      `primary key (${key})${isCounted ? ' counted up' : ''}`,
    ),
    ...references.map((row) =>
      reference(textOf(row, 'from'), textOf(row, 'table'), textOf(row, 'to'), textOf(row, 'on_delete')),
    ),
    ...constraints.filter(({ kind }) => kind === 'check').map(({ name, inside }) => `${name}: check ${inside}`),
    ...found,
  ];
};

interface NamedConstraint {
  readonly name: string;
  readonly kind: string;
  /** What is in its parentheses; empty: it has none. */
  readonly inside: string;
}

/** SQLite keeps names of constraints, and what they check, only in the text that made the table. */
const constraintsIn = (text: string): NamedConstraint[] =>
  [...text.matchAll(/constraint\s+(\w+)\s+(unique|primary\s+key|check)\s*(?=(\()?)/gi)].map((match) => ({
    name: match[1] ?? '',
    kind: (match[2] ?? '').toLowerCase().replaceAll(/\s+/g, ' '),
    inside: match[3] === undefined ? '' : insideParentheses(text.slice(match.index + match[0].length)),
  }));

const insideParentheses = (text: string): string => {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0) return text.slice(1, at).trim().replaceAll(/\s+/g, ' ');
  }
  throw new Error(`a parenthesis is not closed: ${text}`);
};

const columnNames = `(select string_agg(attribute.attname, ', ' order by place)
  from unnest(KEYS) with ordinality as keys (number, place)
  join pg_attribute attribute on attribute.attrelid = RELATION and attribute.attnum = keys.number)`;
const namesOf = (relation: string, keys: string): string =>
  columnNames.replace('RELATION', relation).replace('KEYS', keys);

const fromPostgres = async ({ all }: TableAccess, table: string): Promise<string[]> => {
  const columns = await all(
    `select attname as name, attnotnull as required, attidentity as identity,
        coalesce(pg_get_expr(adbin, adrelid), '') as fallback
      from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where attrelid = to_regclass(?) and attnum > 0 and not attisdropped`,
    [table],
  );
  const constraints = await all(
    `select conname as name, contype as kind, ${namesOf('conrelid', 'conkey')} as columns,
        coalesce(confrelid::regclass::text, '') as target, coalesce(${namesOf('confrelid', 'confkey')}, '') as "to",
        confdeltype as deletion, pg_get_expr(conbin, conrelid) as condition
      from pg_constraint where conrelid = to_regclass(?) and contype in ('p', 'u', 'f', 'c')`,
    [table],
  );
  const indexes = await all(
    `select indexrelid::regclass::text as name, indisunique as is_unique, ${namesOf('indrelid', 'indkey')} as columns,
        coalesce(pg_get_expr(indpred, indrelid), '') as predicate
      from pg_index where indrelid = to_regclass(?)
        and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))`,
    [table],
  );
  const isCounted = columns.some(({ name, identity }) => name === 'id' && identity === 'a');
  return [
    ...aboutColumns(
      columns.map((row) => ({
        name: textOf(row, 'name'),
        isRequired: row['required'] === true,
        fallback: textOf(row, 'fallback').replace('::text', ''),
      })),
    ),
    ...constraints.map((row) => {
      const inside = textOf(row, 'columns');
      const name = textOf(row, 'name').replace(/^.*_(pkey|fkey)$/, '');
      if (row['kind'] === 'p') return named(name, `primary key (${inside})${isCounted ? ' counted up' : ''}`);
      if (row['kind'] === 'u') return named(name, `unique (${inside})`);
      if (row['kind'] === 'c') return named(name, `check ${textOf(row, 'condition')}`);
      const onDelete = row['deletion'] === 'a' ? 'NO ACTION' : textOf(row, 'deletion');
      return reference(inside, textOf(row, 'target'), textOf(row, 'to'), onDelete);
    }),
    ...indexes.map((row) =>
      named(textOf(row, 'name'), index(row['is_unique'] === true, textOf(row, 'columns'), textOf(row, 'predicate'))),
    ),
  ];
};

/** A sentence that ends with a condition, up to there. */
const untilCondition = /^\w+: (?:check |(?:unique )?index \([^)]*\) where )/;

/**
 * PostgreSQL shows a condition as it has understood it. So what is expected is shown to it as well, on a table of the
 * same columns, and compared in its own words.
 */
export const inWordsOf = async (
  access: TableAccess,
  table: string,
  sentences: readonly string[],
): Promise<string[]> => {
  const { engine, all } = access;
  if (engine === 'sqlite') return sentences.toSorted();
  const understood = async (sentence: string): Promise<string> => {
    const [beginning] = untilCondition.exec(sentence) ?? [];
    if (beginning === undefined) return sentence;
    await all(`create temporary table expected (like "${table}")`);
    await all(`alter table expected add constraint condition check (${sentence.slice(beginning.length)})`);
    const [shown] = await all(
      `select pg_get_expr(conbin, conrelid) as condition from pg_constraint where conrelid = to_regclass('expected')`,
    );
    await all('drop table expected');
    return `${beginning}${textOf(shown ?? {}, 'condition')}`;
  };
  const result: string[] = [];
  for (const sentence of sentences) result.push(await understood(sentence));
  return result.sort();
};
