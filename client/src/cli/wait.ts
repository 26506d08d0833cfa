import type { Corral } from '../index.ts';
import type { Given, Option, Scene } from './command.ts';
import { done } from './say.ts';

/** Options of commands that queue a change. */
export const waitOptions: Readonly<Record<string, Option>> = {
  wait: { about: 'wait until the switch carries it (what happens on a terminal anyway)' },
  'no-wait': { about: 'return as soon as the change is queued' },
};

/** Sees a queued change through, or tells how to ask for it later. */
export const queued = async (
  { output, signal }: Scene,
  given: Given,
  corral: Corral,
  statusId: string,
  sentence: string,
): Promise<void> => {
  const waits = given.flag('wait') || (output.isTerminal && !given.flag('no-wait'));
  if (!waits) {
    if (output.isJson) output.json({ status_id: statusId });
    else output.say(`queued: corral networking-action show ${statusId}`);
    return;
  }
  const progress = output.progress('queued');
  try {
    const seconds = given.option('timeout');
    const action = await corral.waitForAction(statusId, {
      signal,
      ...(seconds === undefined ? {} : { timeoutMs: Number(seconds) * 1000 }),
      onPending: ({ node, nic }) => progress.update(`queued; the switch of ${node} ${nic} is being set`),
    });
    progress.stop();
    done(output, sentence, { status_id: statusId, ...action });
  } finally {
    progress.stop();
  }
};
