/*
 * Does the time that something takes grow with what it is given, or with the square of it? Told by processor time, so
 * that it does not matter what else the machine does, and only where there is enough of it to compare.
 */

/** Less than this at full length says enough: the square of the length would be many times as much. */
const negligibleMs = 40;
/** Four times as much input: four times as long if it is linear, sixteen times if it is quadratic. */
const factor = 4;
const mostGrowth = 10;
const repeats = 3;

const processorMs = (work: () => void): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

const leastMs = (work: () => void): number => Math.min(...Array.from({ length: repeats }, () => processorMs(work)));

/** How many times as long four times as much takes; 1 if it takes no time at all. */
export const growthOf = (run: (length: number) => void, length: number): number => {
  if (processorMs(() => run(length)) < negligibleMs) return 1;
  // A cold cache or a collection of garbage in the long run alone looks like growth, but not every time.
  let least = Infinity;
  for (let times = 0; times < repeats && !isLinear(least); times += 1)
    least = Math.min(least, measuredGrowth(run, length));
  return least;
};

const measuredGrowth = (run: (length: number) => void, length: number): number => {
  const long = leastMs(() => run(length));
  if (long < negligibleMs) return 1;
  const short = leastMs(() => run(length / factor));
  return long / Math.max(short, 1);
};

/** Does it take a time that is linear in the length, as far as can be told? */
export const isLinear = (growth: number): boolean => growth < mostGrowth;
