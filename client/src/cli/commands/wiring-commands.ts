import { type Calls, type Corral, NotFoundError } from '../../index.ts';
import type { Command, CommandContext } from '../cli-command.ts';
import { counted } from '../counted.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { runParallel } from '../site-document/run-parallel.ts';
import { StoppedError, UsageError } from '../usage-error.ts';
import { mergedWiring } from '../merged-wiring.ts';

type Wiring = Calls['showSwitchWiring']['reply'];

/** Where nics are plugged in, as switches see it. */
export const wiringCommands: readonly Command[] = [
  {
    words: ['wiring', 'check'],
    about: 'ask the switches where they see the nics of a node, or of all, and compare that with what is recorded',
    args: [{ name: 'node', kind: 'node', isOptional: true }],
    options: {
      switch: { value: 'SWITCH', about: 'ask this switch only, for all nics at its ports' },
      all: { about: 'show the nics that are where they are recorded, too, when all are checked' },
      strict: { about: 'fail unless every nic was seen where it is recorded' },
    },
    example: 'wiring check node-12',
    run: async (context, parsed) => {
      const { corral, output } = context;
      const client = await corral();
      const node = parsed.optional('node');
      const label = parsed.option('switch');
      if (node !== undefined && label !== undefined) throw new UsageError('a node or --switch, not both');
      const wiring = await askedFor(context, client, node, label);
      const isShort = node === undefined && label === undefined && !parsed.flag('all');
      show(output, wiring, isShort);
      requireRight(wiring, parsed.flag('strict'));
    },
  },
];

const askedFor = async (
  context: CommandContext,
  client: Corral,
  node: string | undefined,
  label: string | undefined,
): Promise<Wiring> => {
  if (node === undefined) return askAll(context, client, label === undefined ? await client.listSwitches() : [label]);
  const progress = context.output.progress(`asking the switches of node ${node}`);
  return client.showNodeWiring({ node }).finally(() => progress.stop());
};

/** Several switches side by side. One that was deleted meanwhile has nothing to tell. */
const askAll = async (
  { output, signal }: CommandContext,
  client: Corral,
  labels: readonly string[],
): Promise<Wiring> => {
  let done = 0;
  const text = (): string => `asking switches, ${counted(done)} of ${counted(labels.length)}`;
  const progress = output.progress(text());
  const views = await runParallel(labels, signal, async (label) => {
    try {
      return await client.showSwitchWiring({ switch: label });
    } catch (error) {
      if (labels.length === 1 || !(error instanceof NotFoundError)) throw error;
      return { nics: [], switches: [] };
    } finally {
      done += 1;
      progress.update(text());
    }
  }).finally(() => progress.stop());
  return mergedWiring(views);
};

const show = (output: Output, wiring: Wiring, isShort: boolean): void => {
  const { nics, switches } = wiring;
  const shown = isShort ? nics.filter(({ verdict }) => verdict !== 'right') : nics;
  const rows = shown.map(({ node, nic, switch: label, port, seen, verdict }) => [
    `${node} ${nic}`,
    verdict,
    label === null ? 'nowhere' : `${label} ${port ?? ''}`,
    seen.map(placeOf).join(', '),
  ]);
  const isEmpty = nics.length === 0 ? 'there are no nics' : 'every nic is where it is recorded';
  output.table(['nic', 'verdict', 'recorded', 'seen'], rows, wiring, isEmpty);
  for (const { switch: label, fault } of switches) {
    if (fault !== null) output.say(output.style.yellow(`switch ${label} cannot tell: ${fault}`));
  }
  for (const { node, nic, reason, switch: label } of shown) {
    // What keeps a switch from telling was said above.
    if (reason !== null && !switches.some((one) => one.switch === label && one.fault !== null))
      output.say(output.style.yellow(`nic ${nic} of node ${node}: ${reason}`));
  }
  if (nics.length > 1) output.say(summaryOf(nics));
};

const placeOf = ({ switch: label, port, node, nic }: Wiring['nics'][number]['seen'][number]): string =>
  `${label} ${port}${nic === null ? '' : ` (${node ?? ''} ${nic})`}`;

const count = (nics: Wiring['nics'], verdict: string): number => nics.filter((nic) => nic.verdict === verdict).length;

const summaryOf = (nics: Wiring['nics']): string =>
  ['right', 'elsewhere', 'unseen', 'unknown']
    .map((verdict) => `${counted(count(nics, verdict))} ${verdict}`)
    .join(', ');

const requireRight = ({ nics }: Wiring, isStrict: boolean): void => {
  const wrong = isStrict ? nics.length - count(nics, 'right') : count(nics, 'elsewhere');
  if (wrong === 0) return;
  const subject = wrong === 1 ? '1 nic was' : `${counted(wrong)} nics were`;
  throw new StoppedError(`${subject} not seen where recorded`, {
    code: exitCodes.refused,
    hint: 'check the cables, or correct the record with corral port nic remove and corral port nic add',
  });
};
