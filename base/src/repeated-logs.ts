import type { LogFn, Logger } from 'pino';

/** So many alike are written within a minute; the rest are counted. */
const mostAlike = 10;
const windowMs = 60_000;
/** Beyond so many kinds, further ones share a count by their message. */
const mostKinds = 1_000;
const warn = 40;
/** Fields that say which thing an entry is about. Others, such as attempts, times and request ids, differ each time. */
const subjects = ['switch', 'port', 'node', 'headnode', 'user', 'type', 'reason', 'details'] as const;

interface Kind {
  written: number;
  /** The last one that was counted, not written. */
  last: { readonly write: (more: string) => void; count: number } | null;
}

type LogMethod = (this: Logger, args: Parameters<LogFn>, method: LogFn, level: number) => void;

/**
 * A hook for pino that limits warnings and errors which repeat: after ten of a kind within a minute the others are
 * counted, and one entry at the end of the minute tells how many there were.
 */
export const limitRepeats = (): LogMethod => {
  const kinds = new Map<string, Kind>();

  const kindOf = (key: string, message: string): Kind => {
    const name = kinds.has(key) || kinds.size < mostKinds ? key : message;
    const known = kinds.get(name);
    if (known) return known;
    const made: Kind = { written: 0, last: null };
    kinds.set(name, made);
    setTimeout(() => {
      kinds.delete(name);
      made.last?.write(`(${made.last.count} more in the last minute)`);
    }, windowMs).unref();
    return made;
  };

  return function (args, method, level) {
    if (level < warn) return method.apply(this, args);
    const [first, second] = args as readonly unknown[];
    const fields = typeof first === 'object' && first !== null ? (first as Readonly<Record<string, unknown>>) : {};
    const message = typeof first === 'string' ? first : typeof second === 'string' ? second : '';
    const kind = kindOf(keyOf(level, message, fields), message);
    if (kind.written < mostAlike) {
      kind.written += 1;
      return method.apply(this, args);
    }
    const count = (kind.last?.count ?? 0) + 1;
    const write = (more: string): void => method.apply(this, [{ ...fields, more: count }, `${message} ${more}`]);
    kind.last = { write, count };
  };
};

const keyOf = (level: number, message: string, fields: Readonly<Record<string, unknown>>): string => {
  const error = fields['err'];
  const about = subjects.map((name) => fields[name]).filter((value) => typeof value === 'string');
  return JSON.stringify([level, message, ...about, error instanceof Error ? error.message : '']).slice(0, 500);
};
