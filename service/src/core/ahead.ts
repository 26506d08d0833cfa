/**
 * Begun before its answer is needed, so that the database is asked several things at once. An error is
 * thrown where the answer is awaited, so errors come in the order of the checks; if an earlier one refuses, none does.
 */
export const ahead = <T>(work: Promise<T>): Promise<T> => {
  work.catch(() => undefined);
  return work;
};
