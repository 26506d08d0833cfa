/** On every answer: nobody frames it, guesses its type, keeps it, or learns where it was asked for. */
const always = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;
/** Half a year; not for the other hosts of the domain, about which this service must not decide. */
const overTls = { ...always, 'strict-transport-security': 'max-age=15552000' } as const;

/** How a request came. */
type Scheme = 'http' | 'https';

/** The headers of an answer to a request that came this way. A page that needs more than nothing says so itself. */
export const securityHeaders = (scheme: string): Readonly<Record<string, string>> =>
  scheme === 'https' ? overTls : always;

const linesOf = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
const lines = { http: linesOf(always), https: linesOf(overTls) } as const;

/** The same as lines, for answers that are written by hand. */
export const securityHeaderLines = (scheme: Scheme): string => lines[scheme];
