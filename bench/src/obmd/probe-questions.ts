import { setImmediate } from 'node:timers/promises';
import { type Sink, startLines } from './console-lines.ts';

/** What a process under measurement can be asked by its parent. */
export type Question =
  | { readonly ask: 'look' }
  /** Says lines on these consoles until it is stopped. */
  | { readonly ask: 'stream'; readonly consoles: readonly string[] }
  | { readonly ask: 'quiet' };

/** What it sees when it looks at itself, right after a garbage collection. */
export interface Look {
  readonly heapMb: number;
  /** What keeps its event loop busy: sockets, timers, processes. */
  readonly handles: number;
}

const look = async (): Promise<Look> => {
  if (globalThis.gc === undefined) throw new Error('start this with --expose-gc');
  globalThis.gc();
  // What was only waiting for the first to be let go of is collected by the second.
  await setImmediate();
  globalThis.gc();
  return {
    heapMb: process.memoryUsage().heapUsed / 1024 / 1024,
    handles: process.getActiveResourcesInfo().length,
  };
};

/** Answers every question with one message. A process whose parent is gone ends. */
export const answerQuestions = (sinksOf: (consoles: readonly string[]) => readonly Sink[]): void => {
  let quiet = (): number => 0;
  const answerTo = async (question: Question): Promise<Look | number> => {
    if (question.ask === 'look') return look();
    if (question.ask === 'quiet') return quiet();
    quiet = startLines(sinksOf(question.consoles));
    return 0;
  };
  process.on('message', (question: Question) => {
    void answerTo(question).then((answer) => process.send?.(answer));
  });
  process.once('disconnect', () => process.exit(1));
};
