/*
 * Reads the examples of a guide: what stands in its `sh` blocks, and the JSON that the next block shows. Only
 * assignments and curl commands count; how to start things is told in other tests.
 */

/** One line to type: it sets a variable, or makes a call. */
export type Step =
  | { readonly kind: 'set'; readonly name: string; readonly value: string }
  | { readonly kind: 'call'; readonly line: string; readonly shown: Shown };

/** What the guide shows as the answer. */
export type Shown = { readonly kind: 'nothing' } | { readonly kind: 'json'; readonly value: unknown };

/** A curl command, taken apart. */
export interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** It never ends by itself. */
  readonly isStream: boolean;
}

const block = /^```(\w+)\n(.*?)^```$/gms;
const assignment = /^([A-Z0-9]+)=([^\s$]\S*)$/;
/** A variable that is set to the first value of an answer. */
const taken = /^([A-Z0-9]+)=\$\((curl .*) \| cut -d '"' -f 4\)$/;

export const stepsOf = (markdown: string): Step[] => {
  const steps: Step[] = [];
  for (const [, language, text = ''] of markdown.matchAll(block)) {
    if (language === 'sh') steps.push(...text.replaceAll('\\\n', ' ').split('\n').flatMap(stepOf));
    else if (language === 'json') showAfter(steps, JSON.parse(text));
  }
  return steps;
};

const stepOf = (line: string): Step[] => {
  const [, name, value] = assignment.exec(line) ?? [];
  if (name !== undefined && value !== undefined) return [{ kind: 'set', name, value }];
  const [, variable, call] = taken.exec(line) ?? [];
  if (variable !== undefined && call !== undefined)
    return [...stepOf(call), { kind: 'set', name: variable, value: '' }];
  return line.startsWith('curl ') ? [{ kind: 'call', line, shown: { kind: 'nothing' } }] : [];
};

const showAfter = (steps: Step[], value: unknown): void => {
  const last = steps.pop();
  if (last?.kind !== 'call') throw new Error('an answer is shown without a call before it');
  steps.push({ ...last, shown: { kind: 'json', value } });
};

/** Understands the few options of curl that the guides use. */
export const callOf = (line: string, variables: ReadonlyMap<string, string>): Call => {
  const words = wordsOf(line, variables);
  let method: string | null = null;
  let body: string | null = null;
  let url = '';
  let isStream = false;
  const headers: Record<string, string> = {};
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const value = (): string => words[(at += 1)] ?? '';
    if (word === '-X') method = value();
    else if (word === '-d') body = value();
    else if (word === '-N') isStream = true;
    else if (word === '-s') continue;
    else if (word === '-u') headers['authorization'] = `Basic ${Buffer.from(value()).toString('base64')}`;
    else if (word === '-H') {
      const [name = '', ...rest] = value().split(': ');
      headers[name] = rest.join(': ');
    } else if (word.startsWith('-')) throw new Error(`${line}: the tests do not know the option ${word}`);
    else url = word;
  }
  return { method: method ?? (body === null ? 'GET' : 'POST'), url, headers, body, isStream };
};

/** Words as a shell makes them: quotes of both kinds, variables except in single quotes. */
const wordsOf = (line: string, variables: ReadonlyMap<string, string>): string[] => {
  const filled = (text: string): string =>
    text.replaceAll(/\$(\w+)/g, (_, name: string) => {
      const value = variables.get(name);
      if (value === undefined) throw new Error(`${line}: $${name} is not set`);
      return value;
    });
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)].map(
    ([, single, double, bare]) => single ?? filled(double ?? bare ?? ''),
  );
};

/** The answer without what is different every time: ids, times, tokens. */
export const timeless = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uuid')
      .replaceAll(/corral_[\w-]{43}/g, 'token')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
      .replaceAll(/"request_id":"[^"]*"/g, '"request_id":"id"')
      .replaceAll(/"(id|next)":\d+/g, '"$1":0'),
  );
