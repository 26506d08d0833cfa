import type { ChildProcess } from 'node:child_process';

const living = new Set<ChildProcess>();

const endAll = () => {
  for (const child of living) child.kill('SIGKILL');
};

/** Sees to it that a process which was started for the lab does not outlive this one. */
export const keep = <Child extends ChildProcess>(child: Child): Child => {
  if (living.size === 0) process.once('exit', endAll);
  living.add(child);
  child.once('close', () => {
    living.delete(child);
    if (living.size === 0) process.removeListener('exit', endAll);
  });
  return child;
};
