import type { Calls } from '../index.ts';
import { carried } from './carried-vlans.ts';
import { counted } from './counted.ts';
import { exitCodes } from './exit-codes.ts';
import type { Output } from './output.ts';
import { StoppedError } from './usage-error.ts';

type SwitchTest = Calls['switchTest']['reply'];

/** What a session with a switch found out, for a person; the ports as a number or one by one. */
export const showSwitchTest = (output: Output, view: SwitchTest, ports: 'counted' | 'listed'): void => {
  const { fault, about, identity, lacks, ports: read } = view;
  // What was not tried is not told.
  const isWhole = fault === null;
  output.facts(
    [
      ...(about === null ? [] : [['device', about] as const]),
      ...(identity === null ? [] : [['identity', identity] as const]),
      ...(isWhole || lacks !== null ? [['privileges', privileges(lacks)] as const] : []),
      ...(isWhole ? [['ports', `${counted(read.length)} read`] as const] : []),
    ],
    view,
  );
  if (ports === 'listed' && read.length > 0) {
    const rows = read.map((port) => [
      port.port,
      port.registered ? (port.node === null ? '' : `${port.node} ${port.nic ?? ''}`) : 'not registered',
      carried(port.carries),
    ]);
    output.table(['port', 'nic', 'carries now'], rows, view, '');
  }
  if (view.dry_run !== null) showDryRun(output, view.dry_run);
};

const privileges = (lacks: readonly string[] | null): string => {
  if (lacks === null) return 'cannot be asked for: see the page of its driver';
  return lacks.length === 0 ? 'none is missing' : lacks.join('\n');
};

const showDryRun = (output: Output, { port, refused, sends, ...state }: NonNullable<SwitchTest['dry_run']>): void => {
  output.say('');
  output.say(`To make port ${port} carry ${carried(state)}, this would be sent (nothing was):`);
  for (const message of sends) for (const line of message.split('\n')) output.say(`  ${line}`);
  if (refused !== null) output.say(output.style.yellow(`  and it would be refused: ${refused}`));
};

/** Fails if the switch cannot be used as it is. */
export const requireUsable = ({ switch: label, fault, lacks }: SwitchTest, hint: string): void => {
  const reason = fault ?? (lacks !== null && lacks.length > 0 ? lacks.join('; ') : null);
  if (reason === null) return;
  throw new StoppedError(`switch ${label} cannot be used as it is: ${reason}`, { code: exitCodes.refused, hint });
};
