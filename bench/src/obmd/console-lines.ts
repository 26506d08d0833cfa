/*
 * Lines that tell of themselves: which one it is, and when it was said. A reader knows what was lost on
 * the way, and how long the way was.
 */

export type Sink = (line: Buffer) => void;

/** Every line has this many bytes. */
export const lineBytes = 1_000;
/** How often each console says one: 20 kB a second. */
const everyMs = 50;
/** Not all at the same moment. */
const groups = 10;
const headBytes = 32;
const filler = '.'.repeat(lineBytes - headBytes - 2);

/** The same for every process of this machine, in ms. */
const now = (): number => Number(process.hrtime.bigint()) / 1e6;

const lineOf = (index: number): Buffer =>
  Buffer.from(`${`${index} ${now().toFixed(3)} `.padEnd(headBytes)}${filler}\r\n`, 'latin1');

/** Says lines into all of them. The function that it gives stops it, and tells how many lines each one got. */
export const startLines = (sinks: readonly Sink[]): (() => number) => {
  const started = performance.now();
  let turns = 0;
  const turn = (): void => {
    const index = Math.floor(turns / groups);
    for (let at = turns % groups; at < sinks.length; at += groups) sinks[at]?.(lineOf(index));
    turns += 1;
  };
  // A clock that is late catches up, so that it is the same load for all who are measured.
  const clock = setInterval(
    () => {
      const due = Math.floor(((performance.now() - started) / everyMs) * groups);
      while (turns < due) turn();
    },
    everyMs / groups / 2,
  );
  return () => {
    clearInterval(clock);
    while (turns % groups !== 0) turn();
    return turns / groups;
  };
};

/** Reads what `startLines` said: counts it, and notes how long each line was under way. */
export class LineReader {
  readonly ways: number[] = [];
  /** Lines that were not the next one. */
  misplaced = 0;
  #bytes = 0;
  #head = '';

  get lines(): number {
    return Math.floor(this.#bytes / lineBytes);
  }

  read(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      const inLine = this.#bytes % lineBytes;
      const take = Math.min(chunk.length - at, lineBytes - inLine);
      if (inLine < headBytes) this.#head += chunk.toString('latin1', at, at + Math.min(take, headBytes - inLine));
      this.#bytes += take;
      at += take;
      if (inLine + take === lineBytes) this.#lineDone();
    }
  }

  #lineDone(): void {
    const [index, said] = this.#head.split(' ');
    this.#head = '';
    if (Number(index) !== this.lines - 1) this.misplaced += 1;
    this.ways.push(now() - Number(said));
  }
}
