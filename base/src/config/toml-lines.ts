import { parse } from 'smol-toml';

/** The lines on which keys of a valid TOML document begin, tables included, by their dotted names, as far as found. */
export const linesOfKeys = (document: string): ReadonlyMap<string, number> => {
  const found = new Map<string, number>();
  let header = '';
  for (const { text, line } of statementsOf(document)) {
    if (text.trimStart().startsWith('[')) header = text;
    const within = text === header ? text : `${header}\n${text}`;
    for (const path of pathsIn(parse(within))) if (!found.has(path)) found.set(path, line);
  }
  return found;
};

interface TomlStatement {
  readonly text: string;
  readonly line: number;
}

/** After a value of more lines nothing is found any more: each line of it is another attempt at all those before. */
const mostLines = 50;

/** The parser tells no positions, but a statement is what it accepts by itself: a value of several lines is open until its last. */
const statementsOf = (document: string): TomlStatement[] => {
  const statements: TomlStatement[] = [];
  let open: string[] = [];
  for (const [index, text] of document.split(/\r?\n/).entries()) {
    open.push(text);
    const whole = open.join('\n');
    if (!isWhole(whole)) {
      if (open.length < mostLines) continue;
      break;
    }
    statements.push({ text: whole, line: index + 2 - open.length });
    open = [];
  }
  return statements;
};

const isWhole = (text: string): boolean => {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
};

const pathsIn = (value: unknown, above = ''): string[] => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = above === '' ? key : `${above}.${key}`;
    return [path, ...pathsIn(inner, path)];
  });
};
