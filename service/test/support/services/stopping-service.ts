import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { pino } from 'pino';
import { loadConfig } from '../../../src/config/load-service-config.ts';
import { start } from '../../../src/start.ts';

/*
 * The service as a process that stops itself with SIGSTOP at a moment that its standard input names: "5" is the fifth
 * moment from then on, "5 before commit" the fifth of this name. It says on its standard output where it stops.
 * Moments: the steps of a worker, every statement of a transaction that writes, and every call to a switch or a daemon.
 */

let left = 0;
let wanted: string | null = null;
const passing = (moment: string): void => {
  if (left === 0 || (wanted !== null && wanted !== moment)) return;
  left -= 1;
  if (left > 0) return;
  writeSync(1, `stops ${moment}\n`);
  process.kill(process.pid, 'SIGSTOP');
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const [, count = '0', name = ''] = /^(\d+) ?(.*)$/.exec(line) ?? [];
  wanted = name === '' ? null : name;
  left = Number(count);
  writeSync(1, 'armed\n');
});

const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : ((query as { readonly text?: string }).text ?? '');

type Anything = (this: unknown, ...args: unknown[]) => unknown;
/** What was last said in the transaction of a connection. */
const lastSaid = new WeakMap<object, string>();
const writing = new WeakSet<object>();
const query = Reflect.get(pg.Client.prototype, 'query') as Anything;
Reflect.set(pg.Client.prototype, 'query', function (this: object, ...args: unknown[]) {
  const text = textOf(args[0]);
  const isLock = text.startsWith('select pg_advisory_lock');
  if (text.includes('isolation level serializable')) writing.add(this);
  const isWriting = writing.has(this);
  if (isWriting) passing(text === 'commit' ? 'before commit' : `before ${text.slice(0, 40)}`);
  const isNodeRead = text === 'commit' && !isWriting && (lastSaid.get(this) ?? '').includes(' from "nodes" ');
  // Here, because nobody waits for the end of a transaction that only reads: its reader goes on right after this.
  if (isNodeRead) passing('node read');
  const answer = query.apply(this, args) as Promise<unknown>;
  lastSaid.set(this, text);
  if (text === 'commit' || text === 'rollback') writing.delete(this);
  const reached = isLock ? 'lock taken' : isWriting && text === 'commit' ? 'after commit' : null;
  // Before whoever waits for the answer goes on.
  if (reached !== null)
    void answer.then(
      () => passing(reached),
      () => undefined,
    );
  return answer;
});

const write = Reflect.get(Socket.prototype, 'write') as Anything;
Reflect.set(Socket.prototype, 'write', function (this: unknown, ...args: unknown[]) {
  const [chunk] = args;
  const text = typeof chunk === 'string' ? chunk : '';
  if (text.includes('"method":"transact"'))
    passing(text.includes('"op":"update"') ? 'before a write' : 'before a question');
  if (/^(?:GET|POST|PUT|DELETE) \S+ HTTP/.test(text)) passing('before a call');
  return write.apply(this, args);
});

const started = start(loadConfig(process.env), pino({ level: 'warn' }, pino.destination(2)), passing);
void started.then(({ url }) => process.stdout.write(`ready at ${url}/v0\n`));
