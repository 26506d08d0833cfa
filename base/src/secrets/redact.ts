/** What stands in the place of a secret. */
const placeholder = '[secret]';
/** Shorter ones are in many words by chance. */
const shortest = 4;

/** A text of somebody else, without the secrets that were sent: devices repeat their input, also encoded. */
export const redact = (text: string, secrets: readonly string[]): string => {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length < shortest) continue;
    for (const form of formsOf(secret)) clean = clean.replaceAll(form, placeholder);
  }
  return clean;
};

/** The same for all texts of an error and of its causes. It stays the error that it is. */
export const redactError = (error: unknown, secrets: readonly string[]): unknown =>
  redactValue(error, secrets, new Set());

const redactValue = (value: unknown, secrets: readonly string[], seen: Set<unknown>): unknown => {
  if (typeof value === 'string') return redact(value, secrets);
  if (seen.has(value)) return value;
  seen.add(value);
  // Of an AggregateError.
  if (Array.isArray(value)) return value.map((item) => redactValue(item, secrets, seen));
  if (!(value instanceof Error)) return value;
  for (const name of Object.getOwnPropertyNames(value)) {
    const clean = redactValue(Reflect.get(value, name), secrets, seen);
    Object.defineProperty(value, name, { value: clean, configurable: true, writable: true });
  }
  return value;
};

const formsOf = (secret: string): string[] => {
  const bytes = Buffer.from(secret);
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    encodeURIComponent(secret).replaceAll('%20', '+'),
    asXml(secret),
    asXml(secret).replaceAll("'", '&apos;'),
    bytes.toString('hex'),
    ...[0, 1, 2].flatMap((offset) => inBase64(bytes, offset)),
  ];
  return [...new Set(forms)].filter((form) => form.length >= shortest).sort((a, b) => b.length - a.length);
};

const asXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The part that is the same whatever stands before and after it, so many bytes off a whole group. */
const inBase64 = (bytes: Buffer, offset: number): string[] => {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
  const [from, to] = [Math.ceil((offset * 8) / 6), Math.floor((padded.length * 8) / 6)];
  return (['base64', 'base64url'] as const).map((alphabet) => padded.toString(alphabet).slice(from, to));
};
