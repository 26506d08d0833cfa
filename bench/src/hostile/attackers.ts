import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Processes that attack, ended by their ids. */
export interface Attackers {
  /** What all of them reported last, added up by name. */
  readonly counts: Readonly<Record<string, number>>;
  /** All have ended by themselves. */
  readonly over: Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts so many processes of one kind, each told what is its share. */
export const startAttackers = (kind: 'dripper' | 'glutton', shares: readonly (readonly string[])[]): Attackers => {
  const program = fileURLToPath(new URL(`./${kind}.js`, import.meta.url));
  const reports = new Map<ChildProcess, Record<string, number>>();
  const children = shares.map((share) => {
    const child = fork(program, [...share], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    child.on('message', (report) => reports.set(child, report as Record<string, number>));
    return child;
  });
  const over = Promise.all(children.map((child) => once(child, 'exit')));
  return {
    get counts() {
      const sums: Record<string, number> = {};
      for (const report of reports.values())
        for (const [name, count] of Object.entries(report)) sums[name] = (sums[name] ?? 0) + count;
      return sums;
    },
    over,
    stop: async () => {
      for (const child of children) child.kill('SIGTERM');
      await over;
    },
  };
};
