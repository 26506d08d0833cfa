/** What a suite has to take down, in the order in which it was built. */
export type Undo = (() => Promise<unknown>)[];

/** Takes everything down, the last first; what fails does not spare the rest. */
export const undoAll = async (undo: Undo): Promise<void> => {
  const failures: unknown[] = [];
  for (const step of undo.splice(0).reverse()) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, 'not everything could be taken down');
};
