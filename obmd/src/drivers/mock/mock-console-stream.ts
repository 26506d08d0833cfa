const everyMs = 50;
const chunk = Buffer.alloc(64 * 1024, 'the quick brown fox jumps over the lazy dog 0123456789 ABCDEF\r\n');

interface Stream {
  readonly bytesPerSecond: number;
  readonly say: (bytes: Buffer) => void;
  owed: number;
}

const streams = new Set<Stream>();
let clock: NodeJS.Timeout | undefined;
let last = 0;

/*
 * One clock and one piece of text for all of them: hundreds of streaming consoles are to load what
 * carries them, not this.
 */
const turn = (): void => {
  const now = performance.now();
  const seconds = (now - last) / 1_000;
  last = now;
  for (const one of streams) {
    one.owed += one.bytesPerSecond * seconds;
    const due = Math.floor(one.owed);
    one.owed -= due;
    for (let left = due; left > 0; left -= chunk.length) one.say(chunk.subarray(0, left));
  }
};

/** Says so many bytes a second, until the function that it gives is called. */
export const stream = (bytesPerSecond: number, say: (bytes: Buffer) => void): (() => void) => {
  if (bytesPerSecond === 0) return () => undefined;
  const one: Stream = { bytesPerSecond, say, owed: 0 };
  if (streams.size === 0) {
    last = performance.now();
    clock = setInterval(turn, everyMs).unref();
  }
  streams.add(one);
  return () => {
    streams.delete(one);
    if (streams.size === 0) clearInterval(clock);
  };
};
