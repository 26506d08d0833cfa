import type { Corral } from '../../index.ts';
import type { CommandContext } from '../cli-command.ts';
import { age } from '../age.ts';
import { exitCodes } from '../exit-codes.ts';
import { printable } from '../printable.ts';
import { StoppedError, UsageError } from '../usage-error.ts';
import { type ConsoleConnection, type ConsoleEnd, openConsole } from './console-connection.ts';
import { ConsoleLog } from './console-log.ts';
import { EscapeKeys, type Escape } from './escape-keys.ts';

/** How a console is used. */
export interface Attachment {
  readonly node: string;
  readonly isReadOnly: boolean;
  /** A file that gets what the machine prints, after what is in it already. */
  readonly log: string | undefined;
}

const defaultTimeoutMs = 60_000;

/** Connects this terminal with the console of a node until `~.`, or until the console ends. */
export const attachConsole = async (context: CommandContext, attachment: Attachment): Promise<void> => {
  const { terminal, output } = context;
  if (!terminal.input.isTTY || !output.isTerminal)
    throw new UsageError('node console needs a terminal; in scripts, use: corral node console show NODE');
  // First, so that nobody loses the console to a client that fails then.
  const log = attachment.log === undefined ? null : await ConsoleLog.open(attachment.log);
  try {
    const { node, isReadOnly } = attachment;
    const corral = await context.corral();
    const connecting = output.progress(`connecting to the console of ${node}`);
    const before = await clientBefore(corral, node);
    const listener = {
      opened: () => {
        connecting.stop();
        // Before it says so: keys that are pressed then are the machine's.
        terminal.input.setRawMode(true);
        output.note(`Connected to the console of ${node}${isReadOnly ? ', read only' : ''}${before}. ${keysInShort}`);
      },
      take: async (bytes: Buffer) => {
        await output.raw(bytes);
        // A full disk does not end a console: somebody may be in the middle of something.
        const failure = (await log?.write(bytes)) ?? null;
        if (failure !== null) terminal.output.write(`\r\n[corral: ${printable(failure)}; the log ends here]\r\n`);
      },
    };
    const limits = { timeoutMs: context.timeoutMs ?? defaultTimeoutMs, signal: context.signal };
    const connection = await openConsole(corral, node, listener, limits).finally(() => connecting.stop());
    const end = await untilOver(context, connection, attachment);
    if (end !== null) throw endError(end, node, corral.endpoint);
    output.note(`The console of ${node} is closed.`);
  } finally {
    await log?.close();
  }
  const missing = log?.failure ?? null;
  if (missing !== null) throw new StoppedError(missing, { code: exitCodes.refused, hint: null });
};

/** Whose console this takes, as the rest of a sentence; a service that does not say so is no reason to stop. */
const clientBefore = async (corral: Corral, node: string): Promise<string> => {
  const { client } = await corral.showConsoleClient({ node }).catch(() => ({ client: null }));
  if (client === null) return '';
  const since = client.since === null ? '' : ` (opened ${age(client.since)})`;
  return `, taken over from ${printable(client.caller ?? 'another client')}${since}`;
};

const endError = (end: ConsoleEnd, node: string, endpoint: string): Error => {
  const again = 'the same command opens it again';
  if (end.kind === 'over')
    return new StoppedError(`the console of node ${node} has ended`, { code: exitCodes.refused, hint: again });
  if (end.kind === 'lost') {
    const message = `the connection to ${endpoint} was lost${end.why === null ? '' : `: ${end.why}`}`;
    return new StoppedError(message, { code: exitCodes.unreachable, hint: again });
  }
  const hint = end.reason.includes('taken over') ? 'the same command takes it back' : null;
  return new StoppedError(`node ${node}: ${end.reason}`, { code: exitCodes.refused, hint });
};

const keysInShort = 'Enter ~. closes it, ~? shows the keys.';
const keys = [
  '~.  close the console',
  '~w  tell the machine the size of this window (types a stty command)',
  '~~  type a tilde',
  '~?  show this',
  'Each at the beginning of a line.',
];

/** Colours and a hidden cursor would stay in the terminal. */
const afterConsole = '\u001b[0m\u001b[?25h\r\n';

/** Types what is typed. Resolves with how the console ended; null: as was asked for. */
const untilOver = async (
  { terminal: { input, output: screen }, signal }: CommandContext,
  connection: ConsoleConnection,
  { isReadOnly }: Attachment,
): Promise<ConsoleEnd | null> => {
  const escapes = new EscapeKeys();
  const now = { isLeaving: false, isOver: false };
  const leave = (): void => {
    now.isLeaving = true;
    connection.close();
  };
  const passOn = async (bytes: Buffer): Promise<void> => {
    if (isReadOnly || bytes.length === 0) return;
    // Not read faster than it can be sent.
    input.pause();
    await connection.type(bytes);
    if (!now.isOver) input.resume();
  };
  const asked = (escape: Escape): void => {
    if (escape === 'leave') leave();
    else if (escape === 'help') screen.write(`\r\n${keys.join('\r\n')}\r\n`);
    else void passOn(Buffer.from(`stty rows ${screen.rows} columns ${screen.columns}\r`));
  };
  const typed = (chunk: Buffer): void => {
    const { bytes, asked: wishes } = escapes.typed(chunk);
    void passOn(bytes);
    for (const wish of wishes) asked(wish);
  };
  input.on('data', typed).on('end', leave).on('error', leave).resume();
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  try {
    const end = await connection.ended;
    return now.isLeaving ? null : end;
  } finally {
    now.isOver = true;
    signal.removeEventListener('abort', leave);
    // A terminal that is gone cannot be set, which is an error of its own.
    input.off('data', typed).pause().setRawMode(false);
    input.off('end', leave).off('error', leave);
    screen.write(afterConsole);
  }
};
