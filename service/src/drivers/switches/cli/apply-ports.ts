import { outcomeOf, type PortConfig, type PortOutcome } from '../switch-contract.ts';
import { ascending, carriedBy, isSame } from '../vlan-lists.ts';
import { type CliDevice, enterConfig, leaveConfig, objectionTo, readPorts, runAll, strayed } from './cli-device.ts';
import type { Line, ShownPort } from './dialect.ts';

/**
 * One pass over the ports of a switch: look, make the VLANs, change what differs. A port that carries the right
 * thing already is left alone, so that nobody's link goes down because a pass is done again; but one that shall carry
 * nothing is always told so, whatever it seemed to carry. The device that is changed is the one that is read, or one
 * that is sent nothing.
 */
export const applyPorts = async (
  { reads, changes }: { readonly reads: CliDevice; readonly changes: CliDevice },
  ports: readonly PortConfig[],
  signal: AbortSignal,
): Promise<readonly PortOutcome[]> => {
  const { dialect, deadVlan } = changes;
  const names = ports.map(({ port }) => port);
  const present = new Map((await readPorts(reads, names, signal)).map((state) => [state.port, state]));

  await enterConfig(changes, signal);
  const refused = await makeVlans(
    changes,
    vlansOf(
      ports.filter(({ port }) => present.has(port)),
      dialect.leavesDeadVlan ? null : deadVlan,
    ),
    signal,
  );
  const outcomes: PortOutcome[] = [];
  for (const wanted of ports) {
    const was = present.get(wanted.port);
    const reason =
      was === undefined
        ? `the switch has no port ${wanted.port}`
        : (reasonAgainst(wanted, was, refused, deadVlan) ??
          (isDone(wanted, was) ? null : await changePort(changes, linesFor(changes, wanted, was), signal)));
    outcomes.push(outcomeOf(wanted.port, reason));
  }
  await leaveConfig(changes, signal);
  return outcomes;
};

const isDone = (wanted: PortConfig, was: ShownPort): boolean => carriedBy(wanted).length > 0 && isSame(was, wanted);

/** A port with something on it that a device may not want to be changed is shut all the same: that is what counts. */
const linesFor = ({ dialect, deadVlan }: CliDevice, wanted: PortConfig, was: ShownPort): readonly Line[] => {
  const lines = dialect.port({ wanted, was, deadVlan });
  if (was.foreign === undefined) return lines;
  const [select, ...rest] = lines;
  const attempts = rest.map((line) => (typeof line === 'string' && line !== 'shutdown' ? { attempt: line } : line));
  return select === undefined ? [] : [select, ...attempts];
};

const vlansOf = (ports: readonly PortConfig[], deadVlan: number | null): readonly number[] =>
  ascending([...ports.flatMap(carriedBy), ...(deadVlan === null ? [] : [deadVlan])]);

/** All VLANs at once; only where the device says no, one by one, to learn which it does not want. */
const makeVlans = async (
  device: CliDevice,
  vlans: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, string>> => {
  const { dialect } = device;
  const refused = new Map<number, string>();
  const make = (ids: readonly number[]) => runAll(device, dialect.vlans(ids), dialect.modes?.vlan, signal);
  if (vlans.length === 0 || (await make(vlans)) === null) return refused;
  for (const vlan of vlans) {
    await startOver(device, signal);
    const objection = await make([vlan]);
    if (objection) refused.set(vlan, objection.words);
  }
  await startOver(device, signal);
  return refused;
};

/** After a refusal nobody knows in which mode the device is: out, and in again. */
const startOver = async (device: CliDevice, signal: AbortSignal): Promise<void> => {
  await leaveConfig(device, signal);
  await enterConfig(device, signal);
};

const reasonAgainst = (
  wanted: PortConfig,
  { foreign }: ShownPort,
  refused: ReadonlyMap<number, string>,
  deadVlan: number | null,
): string | null => {
  const carried = carriedBy(wanted);
  if (carried.length > 0 && foreign !== undefined)
    return `port ${wanted.port} has "${foreign}", which is not understood: remove that from the port first`;
  if (deadVlan !== null && carried.includes(deadVlan)) return `VLAN ${deadVlan} is the dummy_vlan of the switch`;
  // A port without networks is shut even if the dead VLAN cannot be made: the port's own lines will tell.
  const vlan = carried.find((id) => refused.has(id));
  return vlan === undefined ? null : (refused.get(vlan) ?? null);
};

/** Sends the lines of one port. After a refusal the rest is not sent: the port stays shut, which is safe. */
const changePort = async (device: CliDevice, lines: readonly Line[], signal: AbortSignal): Promise<string | null> => {
  const { dialect, session: line } = device;
  for (const entry of lines) {
    const [command, isAttempt] = typeof entry === 'string' ? [entry, false] : [entry.attempt, true];
    const { text, prompt } = await line.run(command, signal);
    const words = objectionTo(text, dialect.syntax);
    if (words !== null && !isAttempt) {
      await startOver(device, signal);
      return `the switch answers "${command}" with: ${words}`;
    }
    // In another mode the next line would be about something else.
    if (dialect.modes && !dialect.modes.port.test(prompt)) throw new Error(strayed(command, prompt));
  }
  return null;
};
