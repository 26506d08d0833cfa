import type { Calls, Corral } from '../../index.ts';
import { carried } from '../carried-vlans.ts';
import type { CommandContext } from '../cli-command.ts';
import { counted } from '../counted.ts';
import { allNodes } from '../lists/all-pages.ts';
import { sweepAll } from '../sweep-all.ts';
import { runParallel } from './run-parallel.ts';
import type { DesiredState } from './desired-state.ts';
import type { Step } from './site-plan.ts';

type Drift = Calls['showSwitchDrift']['reply'];

/** One reason why a free node of the document cannot be reserved. */
export interface Obstacle {
  readonly node: string;
  readonly nic: string | null;
  readonly message: string;
}

/** A port of such a node that carries what nobody recorded: `revert` takes it away. */
export interface RevertiblePort {
  readonly switch: string;
  readonly port: string;
  readonly node: string;
  readonly nic: string;
  /** In words. */
  readonly carries: string;
}

/** Has the switches read that nics were plugged into: what those ports carry is known only then. */
export const readWired = async (
  context: CommandContext,
  corral: Corral,
  wanted: DesiredState,
  steps: readonly Step[],
): Promise<void> => {
  const isPlugged = steps.some(({ kind }) => kind === 'cable');
  if (isPlugged) await sweepAll(context, corral, switchesOf(wanted));
};

const switchesOf = ({ nodes }: DesiredState): readonly string[] => {
  const named = [...(nodes?.values() ?? [])].flatMap(({ nics }) => [...nics.values()].map(({ on }) => on?.switch));
  return [...new Set(named.filter((label) => label !== undefined))];
};

/** Why free nodes of the document cannot be reserved, as far as is known now. */
export const obstaclesIn = async (corral: Corral, { nodes: wanted }: DesiredState): Promise<readonly Obstacle[]> => {
  if (wanted === null || wanted.size === 0) return [];
  const { nodes } = await allNodes(corral, { which: 'free' });
  return nodes
    .filter(({ name }) => wanted.has(name))
    .flatMap(({ name, blocked }) => (blocked ?? []).map(({ nic, message }) => ({ node: name, nic, message })));
};

/** What is behind the obstacles, as the switches have it. */
export interface Causes {
  /** The ports that can be reverted, with what each would lose. */
  readonly ports: readonly RevertiblePort[];
  /** Switches that cannot be read, and why. */
  readonly faults: readonly string[];
}

export const causesOf = async (
  { signal }: CommandContext,
  corral: Corral,
  wanted: DesiredState,
  obstacles: readonly Obstacle[],
): Promise<Causes> => {
  const isBlocked = new Set(obstacles.map(({ node, nic }) => `${node}\n${nic ?? ''}`));
  if (isBlocked.size === 0) return { ports: [], faults: [] };
  const drifts = await runParallel(switchesOf(wanted), signal, (label) => corral.showSwitchDrift({ switch: label }));
  const ports = drifts
    .flatMap(portsOf)
    .filter(({ node, nic }) => isBlocked.has(`${node}\n${nic}`))
    .sort((a, b) => (`${a.switch}\n${a.port}` < `${b.switch}\n${b.port}` ? -1 : 1));
  const faults = drifts.flatMap(({ switch: label, fault }) =>
    fault === null ? [] : [`switch ${label} cannot be read: ${fault}`],
  );
  return { ports, faults };
};

/** One that the switch does not have carries nothing that could be taken away. */
const portsOf = ({ switch: label, ports }: Drift): readonly RevertiblePort[] =>
  ports.flatMap(({ port, node, nic, seen }) =>
    node === null || nic === null || seen === null ? [] : [{ switch: label, port, node, nic, carries: carried(seen) }],
  );

/** Says which nodes cannot be reserved, and what can be done. */
export const tellObstacles = (
  { output }: CommandContext,
  file: string,
  obstacles: readonly Obstacle[],
  { ports, faults }: Causes,
): void => {
  if (output.isJson || obstacles.length === 0) return;
  const nodes = new Set(obstacles.map(({ node }) => node)).size;
  output.say('');
  output.say(output.style.yellow(`${counted(nodes)} of the free nodes in ${file} cannot be reserved yet:`));
  output.table(
    ['node', 'nic', 'why'],
    obstacles.map(({ node, nic, message }) => [node, nic ?? '', message]),
    null,
    '',
  );
  for (const fault of faults) output.note(fault);
  if (ports.length > 0)
    output.note(
      `corral apply ${file} --revert takes away what ${counted(ports.length)} of these ports carry; it shows what, and asks first`,
    );
};
