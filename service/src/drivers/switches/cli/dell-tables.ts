import { allVlans, vlansIn } from '../vlan-lists.ts';
import { UnusableAnswer } from './config-sections.ts';
import { isLogLine } from './switch-log-lines.ts';

/*
 * `show interfaces switchport` and `show interfaces configuration`, as both families of Dell's older switches
 * print them.
 */

/** The output for one port: values by their keys, in lower case. */
export interface PortTable {
  readonly name: string;
  value(key: string): string;
  /** Is nothing told under this key? */
  isEmpty(key: string): boolean;
}

/** Keys whose values go on in indented lines. */
const listed = /vlan|rules|mapping|bindings|association/;

/**
 * The tables in a text, each begun by a line with this key. Long values go on in indented lines. Anything else in the
 * middle may have cut a list off: such an answer is not read.
 */
export const tablesIn = (text: string, nameKey: string): readonly PortTable[] => {
  const tables: { readonly name: string; readonly values: Map<string, string[]> }[] = [];
  let key = '';
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [, label, value = ''] = /^([A-Za-z][^:]*):(.*)$/.exec(line)?.map((part) => part.trim()) ?? [];
    if (label === nameKey) tables.push({ name: value.trim(), values: new Map() });
    const values = tables.at(-1)?.values;
    if (isLogLine(line) || !values) throw new UnusableAnswer(line);
    if (label !== undefined) {
      const isUnfinished = values.get(key)?.at(-1)?.endsWith(',') === true;
      key = label.toLowerCase();
      if (isUnfinished || values.has(key)) throw new UnusableAnswer(line);
      values.set(key, [value.trim()]);
    } else if (/^\s/.test(line) && listed.test(key)) values.get(key)?.push(line.trim());
    // Rules that put frames into VLANs by their addresses or protocols, in a table of their own.
    else if (key === 'classification rules') values.set(key, [line.trim()]);
    else throw new UnusableAnswer(line);
  }
  return tables.map(({ name, values }) => ({
    name,
    value: (wanted) => {
      const value = values.get(wanted);
      if (value === undefined) throw new Error(`the switch does not show the "${wanted}" of port ${name.slice(0, 40)}`);
      return joined(value);
    },
    isEmpty: (wanted) => /^(?:none|-*)$/i.test(joined(values.get(wanted) ?? [])),
  }));
};

/** The lines of one value; some end with the comma that stands between them. */
const joined = (lines: readonly string[]): string =>
  lines.map((line, at) => (at < lines.length - 1 ? line.replace(/,$/, '') : line)).join(',');

/** The VLANs in a value: `All`, `none`, or a list in which some are `(Inactive)`. */
export const vlansOf = (value: string): readonly number[] => {
  const list = value.replace(/\s*\((?:inactive|default)\)/gi, '').trim();
  if (/^all$/i.test(list)) return allVlans;
  return list === '' || /^none$/i.test(list) ? [] : vlansIn(list);
};

/** The one VLAN in a value: `100`, `1 (default)`, or `none`. */
export const vlanOf = (value: string): number | null => {
  if (/^none$/i.test(value)) return null;
  const [, vlan] = /^(\d{1,4})(?: \(.*\))?$/.exec(value) ?? [];
  if (vlan === undefined) throw new Error(`a VLAN reads "${value.slice(0, 60)}"`);
  return Number(vlan);
};

/** Which ports are open and which are shut by their owner. The rows of slots that are empty say neither. */
export const adminStatesIn = (text: string, portOf: (name: string) => string | null): ReadonlyMap<string, string> => {
  const states = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    const port = portOf(name);
    if (isLogLine(line) || (port !== null && states.has(port))) throw new UnusableAnswer(line);
    // The last such word: a description before it may have it too.
    if (port !== null) states.set(port, rest.match(/\b(?:Up|Down)\b/g)?.at(-1) ?? 'absent');
  }
  return states;
};
