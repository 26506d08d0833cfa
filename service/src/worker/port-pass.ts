import { describePort, emptyPort, type PortState, samePortState } from '../core/port-state.ts';
import type { GuardedSession } from './guarded-session.ts';
import type { PortTask } from './port-task.ts';
import type { Step } from './worker-steps.ts';

/** What became of one port: verified by reading it back, or why not. */
export type PortResult =
  | { readonly task: PortTask; readonly kind: 'verified' }
  /** The switch said no; asking again will not help. */
  | { readonly task: PortTask; readonly kind: 'refused'; readonly reason: string }
  /** The switch said yes, and then showed something else. */
  | { readonly task: PortTask; readonly kind: 'mismatch'; readonly reason: string };

/**
 * An attempt that broke off may have done some of its ports. Those are not written again: a line that drops
 * at every hundredth port would otherwise never get to the end of a large pass. Answers with their ids.
 */
export const alreadyDone = async (
  session: GuardedSession,
  tasks: readonly PortTask[],
): Promise<ReadonlySet<number>> => {
  // A port that is to carry nothing is always written: what a reading did not show would stay on it.
  const again = tasks.filter(({ action, wanted }) => action?.touched === true && !samePortState(wanted, emptyPort));
  if (again.length === 0) return new Set();
  const states = await readPorts(session, again);
  const done = again.filter(({ port, wanted }) => isAs(states.get(port), wanted));
  // The attempt that wrote them may have died a moment ago, before what it took away had stopped to pass.
  await drain(session, done.length);
  return new Set(done.map(({ portId }) => portId));
};

/** All waiting ports of one switch in one go: apply, read back, compare. */
export const runPass = async (
  session: GuardedSession,
  tasks: readonly PortTask[],
  step: (step: Step) => void,
): Promise<PortResult[]> => {
  const outcomes = await session.apply(tasks.map(({ port, wanted }) => ({ port, ...wanted })));
  step('ports changed');
  const refusals = new Map(outcomes.flatMap((outcome) => (outcome.applied ? [] : [[outcome.port, outcome.reason]])));
  const answered = new Set(outcomes.map(({ port }) => port));
  const states = await readPorts(session, tasks);
  step('ports read back');
  return tasks.map((task): PortResult => {
    const refusal = refusals.get(task.port);
    if (refusal !== undefined) return { task, kind: 'refused', reason: refusal };
    const state = states.get(task.port);
    if (answered.has(task.port) && state && samePortState(state, task.wanted)) return { task, kind: 'verified' };
    const reason = `it was set to ${describePort(task.wanted)} and reads back ${state ? describePort(state) : 'nothing'}`;
    return { task, kind: 'mismatch', reason };
  });
};

/**
 * After a failed change: is each port what is recorded? Those that are not are put back and read again.
 * Answers with the ports whose state is known to be the recorded one.
 */
export const restore = async (
  session: GuardedSession,
  tasks: readonly PortTask[],
  step: (step: Step) => void,
): Promise<ReadonlySet<PortTask>> => {
  const states = await readPorts(session, tasks);
  const intact = tasks.filter((task) => isAs(states.get(task.port), task.recorded));
  const changed = tasks.filter((task) => !intact.includes(task));
  // Somebody else may have put them back a moment ago, and what the change had let through passes still.
  await drain(session, intact.length);
  if (changed.length === 0) return new Set(intact);
  const results = await runPass(
    session,
    changed.map((task) => ({ ...task, wanted: task.recorded })),
    step,
  );
  const restored = results.filter(({ kind }) => kind === 'verified').map(({ task }) => task.portId);
  return new Set([...intact, ...changed.filter(({ portId }) => restored.includes(portId))]);
};

/** Waits until nothing passes any more that ports do not carry now. */
export const drain = async (session: GuardedSession, ports: number): Promise<void> => {
  if (ports > 0) await session.drained?.(ports);
};

const isAs = (state: PortState | undefined, wanted: PortState): boolean =>
  state !== undefined && samePortState(state, wanted);

const readPorts = async (session: GuardedSession, tasks: readonly PortTask[]) => {
  const read = await session.read(tasks.map(({ port }) => port));
  return new Map<string, PortState>(read.map(({ port, ...state }) => [port, state]));
};
