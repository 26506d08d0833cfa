import fc from 'fast-check';

/*
 * Values made from the schemas of the routes, and beyond them: what fits, what nearly fits, and what never could.
 */

/** The part of JSON Schema that the routes use. */
interface Schema {
  readonly [keyword: string]: unknown;
  readonly type?: string;
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
}

/** Labels that are there (see `stock`), by the name of the argument that takes them. */
const labels: Readonly<Record<string, readonly string[]>> = {
  node: ['n-red', 'n-managed', 'n-free', 'n-dead'],
  nic: ['eth0', 'eth1'],
  project: ['red', 'blue'],
  owner: ['red', 'blue', 'admin'],
  access: ['red', 'blue', ''],
  net_id: ['', '200', '100', '0', '4095', '1e3', ' 7'],
  network: ['net', 'public', 'spare'],
  channel: ['vlan/native', 'vlan/100', 'vlan/*', 'vlan/-1'],
  switch: ['sw', 'sw-spare'],
  port: ['n-red/eth0', 'spare', 'gi1/0/11', 'a b/c'],
  headnode: ['h-red'],
  hnic: ['eth0', 'eth1'],
  base_img: ['base', 'none'],
  username: ['member', 'passer-by'],
  user: ['member', 'passer-by'],
  is_free: ['all', 'free', 'busy'],
  bootdev: ['pxe', 'disk', 'none', 'floppy'],
  type: ['mock', 'http://schema.massopencloud.org/haas/v0/switches/mock', 'nexus', '__proto__'],
  uri: ['http://127.0.0.1:9/node/x', 'ftp://x', 'http://', 'http://a:b@127.0.0.1:9/', '//x'],
  limit: ['1', '1000', '9999', '0'],
  since: ['2026-01-31T12:00:00Z', '1', 'yesterday', '9'.repeat(40)],
  before: ['1', '999999999999999'],
  after: ['0', '999999999999999'],
};

/** Strings that have broken programs before. */
export const odd: readonly string[] = [
  '',
  ' ',
  ' a',
  'a ',
  '.',
  '..',
  '../..',
  '/',
  '//',
  'a/b',
  '\\',
  '%',
  '%2F',
  '%00',
  '?',
  '#',
  '&',
  '+',
  ';',
  ':',
  '*',
  '\0',
  'a\0b',
  '\n',
  '\r\n',
  '\t',
  '\u001b[31m',
  '\u007f',
  '\u0085',
  '\u2028',
  '\u200f',
  '\ufeff',
  '\ufffd',
  '\ufffe',
  '\ud800',
  '\udc00\ud800',
  '🐎',
  'ﷺ',
  'e\u0301',
  'İ',
  'ß'.repeat(255),
  'x'.repeat(256),
  '🐎'.repeat(255),
  'x'.repeat(5000),
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'true',
  'NaN',
  '-0',
  '1e999',
  "'",
  '"',
  '`',
  "'; drop table nodes; --",
  '${7*7}',
  '{{7*7}}',
  '$(id)',
  '<script>',
  'admin',
  'anonymous',
];

const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...odd) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 300 }) },
);

/** A text for the argument of this name: mostly one that is there. */
export const textFor = (name: string): fc.Arbitrary<string> => {
  const known = labels[name];
  return known === undefined
    ? fc.oneof(anyText, fc.constantFrom('a', 'secret', '52:54:00:00:00:01'))
    : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: anyText });
};

/** A value that fits the schema, but for its texts. */
const fitting = (schema: Schema, name = ''): fc.Arbitrary<unknown> => {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => fitting(one, name)));
  switch (schema.type) {
    case 'string':
      return textFor(name);
    case 'boolean':
      return fc.boolean();
    case 'object': {
      const { properties = {}, required = [], patternProperties = {} } = schema;
      const [inner] = Object.values(patternProperties);
      if (inner) return fc.dictionary(anyText, fitting(inner), { maxKeys: 4 });
      const fields = Object.entries(properties).map(([key, field]) => [key, fitting(field, key)] as const);
      return fc.record(Object.fromEntries(fields), {
        requiredKeys: Object.keys(properties).filter((key) => required.includes(key)),
      });
    }
    default:
      return anything;
  }
};

const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  anyText,
  fc.constantFrom<unknown>(null, true, -1, 1e308, 2 ** 53, 0.1, [], {}, [[]], [null], { a: { b: [] } }),
);

const deep = (open: string, close: string, depth: number): string => open.repeat(depth) + '1' + close.repeat(depth);

/** Bodies that are no JSON object at all, or one that is hard to digest. */
const strange: fc.Arbitrary<Buffer> = fc.oneof(
  fc
    .constantFrom(
      '{',
      '[]',
      '"text"',
      '5',
      'null',
      'true',
      '{"a":1,}',
      "{'a':1}",
      '{"a":1}{"b":2}',
      '\ufeff{}',
      'a=b&c=d',
      '\0',
      '{"a":NaN}',
    )
    .map((text) => Buffer.from(text)),
  fc
    .constantFrom(
      `{"value":${deep('[', ']', 100_000)}}`,
      `{"value":${deep('{"a":', '}', 50_000)}}`,
      `{"metadata":${deep('{"a":', '}', 20_000)},"obmd":{"uri":"http://127.0.0.1:9/","admin_token":"x"}}`,
      `{"value":${deep('[', ']', 300)}}`,
      `{"value":"${'x'.repeat(1_000_000)}"}`,
      `{"value":"${'x'.repeat(1_100_000)}"}`,
      `{"value":1,"value":2,"__proto__":{"value":3}}`,
      `{"value":"\\ud800"}`,
      `{"enabled":true,"constructor":{"prototype":{}}}`,
    )
    .map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
);

/** A body for the schema: one that fits, one with something wrong in it, or something else altogether. */
export const bodyFor = (schema: Schema): fc.Arbitrary<Buffer> => {
  const fit = fitting(schema);
  const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : { value });
  const names = Object.keys(schema.properties ?? {});
  const wrong = fc
    .tuple(fit, names.length === 0 ? anyText : fc.oneof(fc.constantFrom(...names), anyText), anything, fc.boolean())
    .map(([value, name, other, isDropped]) => ({
      ...asObject(value),
      ...(isDropped ? { [name]: undefined } : { [name]: other }),
    }));
  const json = (value: unknown): Buffer => Buffer.from((JSON.stringify(value) as string | undefined) ?? '');
  return fc.oneof(
    { weight: 5, arbitrary: fit.map(json) },
    { weight: 3, arbitrary: wrong.map(json) },
    { weight: 1, arbitrary: strange },
    { weight: 1, arbitrary: fc.constant(Buffer.alloc(0)) },
  );
};
