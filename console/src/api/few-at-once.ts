/** So many at once: the service takes no more of one caller at a time. */
const atOnce = 4;

/** Does something for each, a few at a time, in the order of the list; one that fails does not stop the others. */
export const fewAtOnce = async <T, R>(
  list: readonly T[],
  run: (each: T) => Promise<R>,
): Promise<readonly PromiseSettledResult<R>[]> => {
  const settled: PromiseSettledResult<R>[] = [];
  const rest = [...list.entries()];
  const next = async (): Promise<void> => {
    for (let entry = rest.shift(); entry !== undefined; entry = rest.shift()) {
      const [index, each] = entry;
      const [result] = await Promise.allSettled([run(each)]);
      settled[index] = result;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, next));
  return settled;
};
