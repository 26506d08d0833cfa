import { age } from '../age.ts';
import type { Command } from '../cli-command.ts';
import { allActions } from './all-pages.ts';
import { changeOf } from './change-words.ts';

/** `corral networking-action list`: what waits for switches. */
export const actionList: Command = {
  words: ['networking-action', 'list'],
  about: 'list the queued changes of your projects, the oldest first; administrators see all',
  example: 'networking-action list',
  run: async ({ corral, output }) => {
    const { event, actions } = await allActions(await corral());
    const hasPorts = actions.some(({ port }) => port !== undefined);
    const rows = actions.map((action) => [
      `${action.node} ${action.nic}`,
      action.project ?? '',
      `${changeOf(action)}${action.switch_answers ? '' : '; the switch does not answer'}`,
      age(action.since),
      ...(hasPorts ? [`${action.switch ?? ''} ${action.port ?? ''}`.trim()] : []),
      action.status_id,
    ]);
    output.table(
      ['nic', 'project', 'change', 'queued', ...(hasPorts ? ['port'] : []), 'status_id'],
      rows,
      { event, actions },
      'no changes are queued',
    );
  },
};
