import fc from 'fast-check';

/** A text that has got into command lines, queries, logs or documents before. */
export interface Hostile {
  readonly what: string;
  readonly text: string;
  /** No name has such characters; `new`: those that exist may, new ones may not. */
  readonly isRefused?: 'always' | 'new';
}

const always = (what: string, text: string): Hostile => ({ what, text, isRefused: 'always' });
const inNew = (what: string, text: string): Hostile => ({ what, text, isRefused: 'new' });

/** One of each kind. */
export const hostile: readonly Hostile[] = [
  always('a line feed', 'eth0\nreload'),
  always('a carriage return', 'eth0\rreload'),
  always('the end of a header', 'eth0\r\nx-evil: 1'),
  always('a NUL', 'eth0\0'),
  always('an escape sequence', 'eth0\u001b[2J'),
  always('a backspace', 'eth0\u0008'),
  always('a next line', 'eth0\u0085reload'),
  always('a line separator', 'eth0\u2028reload'),
  always('a paragraph separator', 'eth0\u2029reload'),
  always('10 kB', 'x'.repeat(10_240)),
  always('a space at the end', 'eth0 '),
  inNew('a direction override', 'eth\u202e0'),
  inNew('a direction isolate', '\u2066eth0\u2069'),
  inNew('a direction mark', 'eth0\u200f'),
  inNew('a zero-width space', 'eth\u200b0'),
  inNew('a joiner between letters', 'eth\u200d0'),
  inNew('a byte order mark', '\ufeffeth0'),
  inNew('a soft hyphen', 'eth\u00ad0'),
  inNew('a filler', 'eth\u31640'),
  inNew('a tag character', 'eth\u{e0041}0'),
  { what: 'a command after a semicolon', text: 'eth0; reload' },
  { what: 'a pipe', text: 'eth0 | sh' },
  { what: 'a substitution', text: '$(reboot)' },
  { what: 'backticks', text: '`reboot`' },
  { what: 'double quotes', text: 'eth0" or "1"="1' },
  { what: 'single quotes', text: "eth0'; drop table nodes; --" },
  { what: 'an option', text: '--option=evil' },
  { what: 'a way up', text: '..' },
  { what: 'an encoded line feed', text: 'eth0%0areload' },
  { what: 'markup', text: '<name>&lt;!ENTITY x>' },
  { what: 'a backslash', text: 'eth0\\' },
  { what: 'a question mark, which completes', text: 'eth0?' },
  { what: 'an exclamation mark', text: '!' },
  { what: 'a look-alike of a letter', text: 'еth0' },
  { what: 'look-alikes of digits', text: 'eth１／０／１' },
  { what: 'a word of JavaScript', text: '__proto__' },
];

const attacks = hostile.map(({ text }) => text).filter((text) => text.length < 1000);

/** Names that are nearly those of ports: a good one with something put in, in front, behind, or in another's place. */
export const nearlyPorts = (ports: readonly string[]): fc.Arbitrary<string> => {
  const bit = fc.oneof(
    fc.constantFrom(...attacks),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }),
    fc.constantFrom(' ', '\n', '\r', '\t', '\0', ';', '|', '&', '!', '?', '-', '/', '.', ':', '０', '٣', '\u212a', 'ſ'),
    fc.nat(99_999).map(String),
  );
  return fc
    .tuple(fc.constantFrom(...ports), bit, fc.nat(40), fc.constantFrom('in', 'over', 'alone', 'case'))
    .map(([port, text, at, how]) => {
      const place = at % (port.length + 1);
      if (how === 'alone') return text;
      if (how === 'case') return at % 2 === 0 ? port.toUpperCase() : `${port}${text.slice(0, 1)}`;
      return port.slice(0, place) + text + port.slice(how === 'in' ? place : place + 1);
    });
};
