import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

const run = promisify(execFile);

/** The soak takes as long as it is told to; every other file is done in a fraction of the rest. */
const longestMs = 8 * 60_000 + 1000 * Number(process.env['CORRAL_SOAK_SECONDS'] ?? 0);
const lookMs = 5_000;
/** What fails by chance fails in a few files; a change that broke something fails in those again. */
const mostAgain = 8;

interface Running {
  readonly since: number;
  lastTest: string;
}

/**
 * Lists the files that failed, if they are few, in the file that CORRAL_RUN_AGAIN names, to be run again by themselves.
 * One that passes then is at fault all the same: `.ci/run` names it, and its fault has to be found.
 *
 * Files that hang where no time limit of a test reaches (while they are imported, in a call that blocks their process),
 * or whose worker does not end, are killed after a report of what they wait for, and count as failed.
 */
export default class RunAgainReporter implements Reporter {
  readonly #running = new Map<string, Running>();
  #timer: NodeJS.Timeout | null = null;
  #killed: readonly string[] = [];
  #last = { file: '', at: performance.now() };

  onTestRunStart(): void {
    this.#timer = setInterval(() => void this.#look(), lookMs);
    this.#timer.unref();
  }

  onTestModuleQueued(module: TestModule): void {
    this.#running.set(module.moduleId, { since: performance.now(), lastTest: 'none yet' });
    this.#last = { file: module.moduleId, at: performance.now() };
  }

  onTestCaseReady(test: TestCase): void {
    const running = this.#running.get(test.module.moduleId);
    if (running !== undefined) running.lastTest = test.fullName;
  }

  onTestModuleEnd(module: TestModule): void {
    this.#running.delete(module.moduleId);
    this.#last = { file: module.moduleId, at: performance.now() };
  }

  async onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    const list = process.env['CORRAL_RUN_AGAIN'];
    if (list === undefined || list === '') return;
    const failed = modules.filter((module) => !module.ok()).map(({ moduleId }) => moduleId);
    // A promise that nobody waited for any more, in a file that failed, is part of its failure.
    const others = errors.filter((error) => !failed.some((file) => file === error['VITEST_TEST_PATH']));
    if (others.length > this.#killed.length) return;
    const again = [...new Set([...this.#killed, ...failed])];
    if (again.length > mostAgain) return;
    await writeFile(list, again.map((file) => `${relative(process.cwd(), file)}\n`).join(''));
  }

  async #look(): Promise<void> {
    const now = performance.now();
    const hung = [...this.#running].filter(([, { since }]) => now - since > longestMs);
    const isWorkerLeft = this.#running.size === 0 && now - this.#last.at > longestMs;
    if (hung.length === 0 && !isWorkerLeft) return;
    const files = isWorkerLeft ? [this.#last.file] : [...this.#running.keys()];
    this.#killed = [...new Set([...this.#killed, ...files])];
    this.#running.clear();
    this.#last.at = now;
    if (isWorkerLeft) process.stderr.write('\nevery test file has ended, and a worker has not\n');
    for (const [file, { since, lastTest }] of hung) {
      const seconds = Math.round((now - since) / 1000);
      process.stderr.write(`\n${file} has been running for ${seconds} s; its last test: ${lastTest}\n`);
    }
    const { stdout } = await run('ps', ['-e', '-o', 'pid,ppid,stat,etimes,times,wchan:24,args', '--cols', '200']);
    process.stderr.write(`\n${stdout}\n`);
    for (const worker of await children(process.pid)) await end(worker);
  }
}

const children = async (parent: number): Promise<readonly number[]> => {
  const { stdout } = await run('pgrep', ['-P', String(parent)]);
  return stdout.trim().split('\n').map(Number);
};

/** Asks a worker for a report (see `execArgv` in the configuration), shows what it was at, and kills it. */
const end = async (worker: number): Promise<void> => {
  try {
    process.kill(worker, 'SIGUSR2');
    await setTimeout(5000);
    const file = (await readdir(tmpdir())).find((name) => name.startsWith('report.') && name.includes(`.${worker}.`));
    if (file !== undefined) process.stderr.write(`${await shown(join(tmpdir(), file))}\n`);
  } finally {
    process.kill(worker, 'SIGKILL');
  }
};

const shown = async (file: string): Promise<string> => {
  const { javascriptStack, libuv } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
  await rm(file);
  return JSON.stringify({ javascriptStack, libuv }, null, 1);
};
