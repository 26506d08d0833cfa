/** Works on all items, on at most so many of them at once. The first failure ends it: nothing new is begun. */
export const eachOf = async <T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> => {
  const waiting = items[Symbol.iterator]();
  let hasFailed = false;
  const lane = async (): Promise<void> => {
    for (let next = waiting.next(); next.done !== true && !hasFailed; next = waiting.next()) await work(next.value);
  };
  const lanes = Array.from({ length: atOnce }, () =>
    lane().catch((error: unknown) => {
      hasFailed = true;
      throw error;
    }),
  );
  await Promise.all(lanes);
};
