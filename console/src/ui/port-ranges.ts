/** More than this is a slip of the finger. */
const mostPorts = 1_000;

/** The ports that a text names, each once, or why it cannot be read. */
export type NamedPorts = { readonly ports: readonly string[] } | { readonly mistake: string };

/**
 * Names of ports, with commas or lines between them; `1/1-48` is the 48 ports 1/1 to 1/48, `p01-12` keeps its zeros. In
 * quotes a name is taken as it is.
 */
export const portsIn = (text: string): NamedPorts => {
  const ports = new Set<string>();
  for (const word of text.split(/[,\n]/).map((each) => each.trim())) {
    if (word === '') continue;
    const quoted = /^"(.*)"$/.exec(word)?.[1];
    const range = quoted === undefined ? /^(.*?)(\d+)-(\d+)$/.exec(word) : null;
    if (range === null) {
      ports.add(quoted ?? word);
      continue;
    }
    const [, before = '', first = '', last = ''] = range;
    const [from, to] = [Number(first), Number(last)];
    if (to < from) return { mistake: `${word} runs backwards: ${last} is less than ${first}` };
    if (to - from >= mostPorts) return { mistake: `${word} is more than ${mostPorts} ports` };
    const width = first.startsWith('0') ? first.length : 0;
    for (let number = from; number <= to; number += 1) ports.add(before + String(number).padStart(width, '0'));
  }
  return ports.size > mostPorts ? { mistake: `these are more than ${mostPorts} ports` } : { ports: [...ports] };
};
