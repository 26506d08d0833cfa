import { spawn } from 'node:child_process';
import { onAbort } from '@corral/base/abort';
import type { CleaningConfig } from '../config/cleaning-config.ts';
import type { Attempt, Verdict } from './cleaning-attempt.ts';

/** The end of what a program wrote is kept: that is where it says what went wrong. */
const keptBytes = 3_000;
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

type Command = Extract<CleaningConfig['steps'][number], { kind: 'command' }>;

/** Runs a program of the site about a node. It ends, with all that it started, at the deadline. */
export const runCommand = (attempt: Attempt, { program, args }: Command): Promise<Verdict> =>
  new Promise((resolve) => {
    const { cleaning, step, signal, leftMs } = attempt;
    let output = Buffer.alloc(0);
    let isLate = false;
    const child = spawn(program, args, {
      // A group of its own, so that all of it can be ended; nothing of this process's environment.
      detached: true,
      cwd: '/',
      env: { PATH: path, CORRAL_NODE: cleaning.node, CORRAL_CLEANING: cleaning.label, CORRAL_STEP: step.name },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const keep = (chunk: Buffer): void => {
      output = Buffer.concat([output, chunk]).subarray(-keptBytes);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const end = (): void => killGroup(child.pid);
    const timer = setTimeout(
      () => {
        isLate = true;
        end();
      },
      Math.max(0, leftMs),
    );
    const release = onAbort(signal, end);
    const settle = (verdict: Verdict): void => {
      clearTimeout(timer);
      release();
      resolve(verdict);
    };
    const evidence = (): string => output.toString('utf8');
    child.once('error', (error) =>
      settle({ kind: 'failed', sentence: `${program} could not be run: ${error.message}` }),
    );
    child.once('exit', (code, killedBy) => {
      // What it left running in its group would hold its output open, and go on with the node.
      end();
      if (isLate) settle({ kind: 'failed', sentence: `${program} was not done at the deadline`, evidence: evidence() });
      else if (signal.aborted) settle({ kind: 'later', sentence: `${program} was ended with the service` });
      else if (code === 0) settle({ kind: 'passed', sentence: `${program} says it is clean`, evidence: evidence() });
      else {
        const how = code === null ? `was ended by ${killedBy ?? 'a signal'}` : `ended with exit status ${code}`;
        settle({ kind: 'failed', sentence: `${program} ${how}`, evidence: evidence() });
      }
    });
  });

const killGroup = (pid: number | undefined): void => {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
};
