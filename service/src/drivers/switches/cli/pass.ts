import type { PortConfig, PortOutcome } from '../contract.ts';
import { carriedBy, isSame } from '../vlans.ts';
import { type CliDevice, objectionIn, readPorts, runAll, runOrFail } from './device.ts';
import type { Line } from './dialect.ts';

/**
 * One pass over the ports of a switch: look, make the VLANs, change what differs. A port that carries the right
 * thing already is left alone, so that nobody's link goes down because a pass is done again.
 */
export const applyPorts = async (
  device: CliDevice,
  ports: readonly PortConfig[],
  signal: AbortSignal,
): Promise<readonly PortOutcome[]> => {
  const { dialect, deadVlan } = device;
  const names = ports.map(({ port }) => port);
  const present = new Map((await readPorts(device, names, signal)).map((state) => [state.port, state]));

  await runOrFail(device, dialect.enter, signal);
  const refused = await makeVlans(
    device,
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
        : (reasonAgainst(wanted, refused, deadVlan) ??
          (isSame(was, wanted) ? null : await changePort(device, dialect.port({ wanted, was, deadVlan }), signal)));
    outcomes.push(
      reason === null ? { port: wanted.port, applied: true } : { port: wanted.port, applied: false, reason },
    );
  }
  await runOrFail(device, dialect.leave, signal);
  return outcomes;
};

const vlansOf = (ports: readonly PortConfig[], deadVlan: number | null): readonly number[] =>
  [...new Set([...ports.flatMap(carriedBy), ...(deadVlan === null ? [] : [deadVlan])])].sort((a, b) => a - b);

/** All VLANs at once; only where the device says no, one by one, to learn which it does not want. */
const makeVlans = async (
  device: CliDevice,
  vlans: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, string>> => {
  const refused = new Map<number, string>();
  if (vlans.length === 0) return refused;
  if ((await runAll(device, device.dialect.vlans(vlans), signal)) === null) return refused;
  for (const vlan of vlans) {
    await startOver(device, signal);
    const objection = await runAll(device, device.dialect.vlans([vlan]), signal);
    if (objection) refused.set(vlan, objection.words);
  }
  await startOver(device, signal);
  return refused;
};

/** After a refusal nobody knows in which mode the device is: out, and in again. */
const startOver = async (device: CliDevice, signal: AbortSignal): Promise<void> => {
  await runOrFail(device, device.dialect.leave, signal);
  await runOrFail(device, device.dialect.enter, signal);
};

const reasonAgainst = (
  wanted: PortConfig,
  refused: ReadonlyMap<number, string>,
  deadVlan: number | null,
): string | null => {
  const carried = carriedBy(wanted);
  if (deadVlan !== null && carried.includes(deadVlan)) return `VLAN ${deadVlan} is the dummy_vlan of the switch`;
  // A port without networks is shut even if the dead VLAN cannot be made: the port's own lines will tell.
  const vlan = carried.find((id) => refused.has(id));
  return vlan === undefined ? null : (refused.get(vlan) ?? null);
};

/** Sends the lines of one port. After a refusal the rest is not sent: the port stays shut, which is safe. */
const changePort = async (device: CliDevice, lines: readonly Line[], signal: AbortSignal): Promise<string | null> => {
  const { dialect, line } = device;
  for (const [index, entry] of lines.entries()) {
    const [command, isAttempt] = typeof entry === 'string' ? [entry, false] : [entry.attempt, true];
    const { text, prompt } = await line.run(command, signal);
    const words = objectionIn(text, dialect.console);
    if (words !== null && !isAttempt) {
      await startOver(device, signal);
      return `the switch says to "${command}": ${words}`;
    }
    if (index === 0 && dialect.portPrompt && !dialect.portPrompt.test(prompt)) {
      throw new Error(`after "${command}" the switch waits with "${prompt.slice(0, 60)}"`);
    }
  }
  return null;
};
