import { emptyPort, describePort, type PortReading, samePortState, stateIn } from '../core/port-state.ts';
import { doubtOf, doubtSentence, requireTrustedPorts } from '../core/port-trust.ts';
import { CorralError } from '../core/corral-error.ts';
import type { ReadOp, WriteOp } from '../core/request-context.ts';
import { requireLease } from '../core/leases.ts';
import { waitUntil } from '../core/wait-until.ts';
import { type Attempt, findCleaned, type Verdict } from './cleaning-attempt.ts';

/** How long one attempt waits for the switches. */
const longestWaitMs = 10_000;

/** The sweeps that answer the step, by the id of the switch: numbers, because every clock can be wrong. */
type Sweeps = Readonly<Record<string, number>>;

/** Has the switches of a node read after the step began, and passes if every port of the node is empty. */
export const readPorts = async (attempt: Attempt): Promise<Verdict> => {
  const { context, step } = attempt;
  const sweeps =
    step.progress === null
      ? await context.write((op) => requestSweeps(op, attempt))
      : (JSON.parse(step.progress) as Sweeps);
  attempt.moment('cleaning sweeps requested');
  const look = () => context.read((op) => portsNow(op, attempt, sweeps));
  await waitUntil(longestWaitMs, async () => attempt.signal.aborted || (await look()).kind !== 'unanswered');
  const found = await look();
  switch (found.kind) {
    case 'unanswered':
      return { kind: 'later', sentence: found.sentence, progress: JSON.stringify(sweeps) };
    case 'wrong':
      return { kind: 'later', sentence: found.sentence, progress: null };
    case 'empty':
      return {
        kind: 'passed',
        sentence: 'every port was read after the step began, and is empty',
        evidence: found.seen,
      };
  }
};

const requestSweeps = async (op: WriteOp, attempt: Attempt): Promise<Sweeps> => {
  await requireLease(op, attempt.held.lease);
  const node = await findCleaned(op, attempt);
  const switches = await op.tx
    .selectFrom('nics')
    .innerJoin('ports', 'ports.id', 'nics.port_id')
    .select('ports.switch_id')
    .distinct()
    .where('nics.node_id', '=', node.id)
    .execute();
  if (switches.length === 0) return {};
  // A sweep that is under way has an older number: what it reads may be from before.
  const asked = await op.tx
    .updateTable('switches')
    .set(({ eb }) => ({ sweep_wanted: eb('sweep_wanted', '+', 1) }))
    .where(
      'id',
      'in',
      switches.map(({ switch_id }) => switch_id),
    )
    .returning(['id', 'sweep_wanted'])
    .execute();
  const sweeps = Object.fromEntries(asked.map(({ id, sweep_wanted }) => [String(id), sweep_wanted]));
  await op.tx
    .updateTable('cleaning_steps')
    .set({ progress: JSON.stringify(sweeps) })
    .where('id', '=', attempt.step.id)
    .execute();
  op.notify('actions');
  return sweeps;
};

type PortsNow =
  | { readonly kind: 'unanswered' | 'wrong'; readonly sentence: string }
  | { readonly kind: 'empty'; readonly seen: string };

const portsNow = async (op: ReadOp, attempt: Attempt, sweeps: Sweeps): Promise<PortsNow> => {
  const node = await findCleaned(op, attempt);
  const ports = await op.tx
    .selectFrom('nics')
    .innerJoin('ports', 'ports.id', 'nics.port_id')
    .innerJoin('switches', 'switches.id', 'ports.switch_id')
    .leftJoin('attachments', 'attachments.nic_id', 'nics.id')
    .select(['nics.label as nic', 'ports.label as port', 'switches.label as switch', 'switches.id as switchId'])
    .select(['ports.read_in_sweep', 'switches.sweep_answered', 'switches.fault', 'attachments.id as attachmentId'])
    .select(['ports.suspect', 'ports.drift_since', 'ports.reading', 'ports.unread', 'ports.late_until'])
    .where('nics.node_id', '=', node.id)
    .orderBy('nics.label')
    .execute();
  let unanswered: PortsNow | null = null;
  for (const port of ports) {
    const name = `port ${port.port} on switch ${port.switch}`;
    const wanted = sweeps[String(port.switchId)];
    // The nic was connected to another switch meanwhile.
    if (wanted === undefined) return { kind: 'wrong', sentence: `${name} is new to the node, and is being read` };
    if (port.read_in_sweep === null || port.read_in_sweep < wanted) {
      if (port.sweep_answered >= wanted) {
        return {
          kind: 'wrong',
          sentence: `${name} could not be read: ${port.fault ?? 'a change of it is in progress'}`,
        };
      }
      unanswered ??= { kind: 'unanswered', sentence: `${name} has not been read since the step began` };
      continue;
    }
    const doubt = doubtOf(port);
    if (doubt !== null) return { kind: 'wrong', sentence: doubtSentence(doubt, port.port, port.switch) };
    const reading = JSON.parse(port.reading ?? 'null') as PortReading | null;
    if (reading === null || port.attachmentId !== null || !samePortState(stateIn(reading), emptyPort)) {
      const carries = reading === null ? 'something unknown' : describePort(stateIn(reading));
      return { kind: 'wrong', sentence: `${name} carries ${carries}` };
    }
  }
  if (unanswered !== null) return unanswered;
  const held = await requireTrustedPorts(op, node, '').then(() => null, sentenceIn);
  if (held !== null) return { kind: 'wrong', sentence: held };
  const seen = ports.map(({ nic, port, switch: on, read_in_sweep }) => {
    return `nic ${nic}: port ${port} on switch ${on} is empty (sweep ${read_in_sweep ?? 0})`;
  });
  return { kind: 'empty', seen: seen.length === 0 ? 'no nic is connected to a port' : seen.join('\n') };
};

const sentenceIn = (error: unknown): string => {
  if (error instanceof CorralError) return error.forAdmins.replace(/^: /, '');
  throw error;
};
