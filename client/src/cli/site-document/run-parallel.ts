/** How many calls are under way at once. */
const concurrency = 8;

/**
 * Works through a list, several at a time. After a failure, or when the signal says so, nothing more is begun; what was
 * begun is seen through, and then the first failure is thrown.
 */
export const runParallel = async <T, R>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<R>,
): Promise<R[]> => {
  const results: R[] = [];
  const failures: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length && failures.length === 0 && !signal.aborted) {
      const index = next;
      next += 1;
      try {
        results[index] = await work(items[index] as T);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
  signal.throwIfAborted();
  return results;
};
