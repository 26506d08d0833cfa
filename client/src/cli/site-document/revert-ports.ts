import type { Corral } from '../../index.ts';
import type { CommandContext, ParsedArguments } from '../cli-command.ts';
import { counted } from '../counted.ts';
import { failureOf } from '../exit-codes.ts';
import { confirm } from '../prompts.ts';
import { reportDone } from '../report-done.ts';
import type { RevertiblePort } from './check-reservable.ts';
import { runParallel } from './run-parallel.ts';

/** What became of a port that was to be reverted. */
export interface Reverted extends RevertiblePort {
  /** null: it carries nothing any more. */
  readonly error: string | null;
}

/**
 * Shows what each port would lose, asks, and takes it away. A port that fails is no reason to leave the others: each
 * has its own outcome. null: nobody agreed.
 */
export const revertPorts = async (
  context: CommandContext,
  parsed: ParsedArguments,
  corral: Corral,
  ports: readonly RevertiblePort[],
): Promise<readonly Reverted[] | null> => {
  const { output, signal } = context;
  if (!output.isJson) {
    output.say('');
    output.table(
      ['switch', 'port', 'nic', 'loses'],
      ports.map((port) => [port.switch, port.port, `${port.node} ${port.nic}`, port.carries]),
      null,
      '',
    );
  }
  const question = `take this away from ${counted(ports.length)} ports of ${corral.endpoint}?`;
  if (!parsed.flag('yes') && !(await confirm(context.terminal, question, '--yes'))) return null;
  const bar = output.bar(ports.length);
  let over = 0;
  try {
    return await runParallel(ports, signal, async (port) => {
      const error = await revert(corral, port, signal);
      over += 1;
      bar.update(over, `port ${port.port} of switch ${port.switch}`);
      return { ...port, error };
    });
  } finally {
    bar.stop();
  }
};

const revert = async (corral: Corral, { switch: label, port }: RevertiblePort, signal: AbortSignal) => {
  try {
    const { status_id } = await corral.portRevert({ switch: label, port });
    await corral.waitForAction(status_id, { signal });
    return null;
  } catch (error) {
    signal.throwIfAborted();
    return failureOf(error).message;
  }
};

/** Says what became of each port. */
export const tellReverted = ({ output }: CommandContext, reverted: readonly Reverted[]): void => {
  if (output.isJson) return;
  const failed = reverted.filter(({ error }) => error !== null);
  if (failed.length < reverted.length)
    reportDone(output, `${counted(reverted.length - failed.length)} ports carry nothing any more`);
  for (const { switch: label, port, error } of failed)
    output.say(output.style.red(`port ${port} of switch ${label}: ${error ?? ''}`));
};
