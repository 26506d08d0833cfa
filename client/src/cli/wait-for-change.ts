import { type Action, type Corral, TimedOutError } from '../index.ts';
import type { ParsedArguments, Option, CommandContext } from './cli-command.ts';
import { exitCodes } from './exit-codes.ts';
import { StoppedError } from './usage-error.ts';
import { counted } from './counted.ts';
import { reportDone } from './report-done.ts';

/** Options of commands that queue a change. */
export const waitOptions: Readonly<Record<string, Option>> = {
  wait: { about: 'wait until the switch has applied the change (default on a terminal)' },
  'no-wait': { about: 'return as soon as the change is queued' },
};

/** Sees a queued change through, or tells how to ask for it later. */
export const queued = async (
  { output, signal }: CommandContext,
  parsed: ParsedArguments,
  corral: Corral,
  statusId: string,
  sentence: string,
): Promise<void> => {
  const waits = parsed.flag('wait') || (output.isTerminal && !parsed.flag('no-wait'));
  if (!waits) {
    if (output.isJson) output.json({ status_id: statusId });
    else output.say(`queued: corral networking-action show ${statusId}`);
    return;
  }
  const progress = output.progress('queued');
  try {
    const seconds = parsed.option('timeout');
    const action = await corral.waitForAction(statusId, {
      signal,
      ...(seconds === undefined ? {} : { timeoutMs: Number(seconds) * 1000 }),
      onPending: (pending) => progress.update(whatItWaitsFor(pending)),
    });
    progress.stop();
    reportDone(output, sentence, { status_id: statusId, ...action });
  } catch (error) {
    progress.stop();
    if (signal.aborted) output.note(`still queued: corral networking-action show ${statusId}`);
    if (!(error instanceof TimedOutError)) throw error;
    const hint = `it continues: corral networking-action show ${statusId}`;
    throw new StoppedError(error.message, { code: exitCodes.timedOut, hint });
  }
};

/** What a pending change waits for: its switch, or those before it. Only administrators see which switch it is. */
export const whatItWaitsFor = ({ node, nic, queue }: Action): string => {
  const where = queue?.switch === undefined ? `the switch of ${node} ${nic}` : `switch ${queue.switch}`;
  const port = queue?.port === undefined ? '' : `, port ${queue.port},`;
  if (queue === undefined) return `queued for ${where}`;
  if (!queue.switch_answers) return `${where} does not answer; trying again${after(queue.attempts)}`;
  if (queue.attempts > 0) return `${where}${port} is being retried${after(queue.attempts)}`;
  if (queue.ahead > 0) return `queued for ${where}, behind ${numberOf(queue.ahead, 'change')}`;
  return `${where}${port} is being set`;
};

const after = (attempts: number): string => (attempts === 0 ? '' : `, after ${numberOf(attempts, 'attempt')}`);
const numberOf = (count: number, what: string): string => `${counted(count)} ${what}${count === 1 ? '' : 's'}`;
