import type { Calls } from '../../index.ts';
import { age } from '../age.ts';
import type { Command } from '../cli-command.ts';
import { counted } from '../counted.ts';
import { allSwitches } from './all-pages.ts';
import { naturalOrder } from '../../natural-order.ts';

type SwitchOverview = Calls['switchesOverview']['reply']['switches'][number];

/** `corral switch list`: all switches, as they were last read. */
export const switchList: Command = {
  words: ['switch', 'list'],
  about: 'list switches with their type, state, last reading and drift',
  example: 'switch list',
  run: async ({ corral, output }) => {
    const { event, switches } = await allSwitches(await corral());
    const sorted = switches.toSorted((one, other) => naturalOrder(one.name, other.name));
    const rows = sorted.map((one) => [
      one.name,
      one.type,
      switchState(one),
      one.swept_at === null ? 'never' : age(one.swept_at),
      counted(one.ports),
      driftOf(one),
    ]);
    const headings = ['switch', 'type', 'state', 'last read', 'ports', 'drift'];
    output.table(headings, rows, { event, switches: sorted }, 'no switches');
  },
};

/** How a switch is, in words. */
export const switchState = ({
  state,
  fault,
  duplicate_of,
  save_fault,
}: Pick<SwitchOverview, 'state' | 'fault' | 'duplicate_of' | 'save_fault'>): string => {
  if (state === 'duplicate') return `the same device as ${duplicate_of ?? 'another switch'}`;
  if (state === 'unreachable') return `does not answer: ${fault ?? 'unknown'}`;
  if (save_fault !== null) return `not saved: ${save_fault}`;
  return state === 'unread' ? 'not read yet' : 'ok';
};

const driftOf = ({ drifting, suspect, unread, in_doubt }: SwitchOverview): string =>
  [
    [drifting, 'drifting'] as const,
    [suspect, 'in an unknown state'] as const,
    [unread, 'not read yet'] as const,
    [in_doubt, 'in doubt'] as const,
  ]
    .flatMap(([count, what]) => (count === 0 ? [] : [`${counted(count)} ${what}`]))
    .join(', ');
