import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
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
/** Of the processor time that this machine asked its host for, in the time between two looks. */
const unfairShare = 1 / 3;
/** A machine that was slow fails a few files. */
const mostAgain = 12;

interface Running {
  readonly since: number;
  lastTest: string;
  /** Whether the host withheld processor time meanwhile. */
  wasUnfair: boolean;
}

/**
 * Decides which files may be run again, and lists them in the file that CORRAL_RUN_AGAIN names:
 *
 * - those that hang where no time limit of a test reaches (while they are imported, in a call that blocks their process),
 *   or whose worker does not end. They are killed, after a report of what they wait for;
 * - those that failed while the host of this virtual machine withheld processor time: for seconds nothing ran, so leases
 *   and time limits ran out.
 *
 * A file that failed on a machine that had its processors is not run again, and then none is.
 */
export default class RunAgainReporter implements Reporter {
  readonly #running = new Map<string, Running>();
  readonly #unfair = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #killed: readonly string[] = [];
  #last = { file: '', at: performance.now() };
  #processors = processorTime();

  onTestRunStart(): void {
    this.#timer = setInterval(() => void this.#look(), lookMs);
    this.#timer.unref();
  }

  onTestModuleQueued(module: TestModule): void {
    this.#running.set(module.moduleId, { since: performance.now(), lastTest: 'none yet', wasUnfair: false });
    this.#last = { file: module.moduleId, at: performance.now() };
  }

  onTestCaseReady(test: TestCase): void {
    const running = this.#running.get(test.module.moduleId);
    if (running !== undefined) running.lastTest = test.fullName;
  }

  onTestModuleEnd(module: TestModule): void {
    this.#watchProcessors();
    if (this.#running.get(module.moduleId)?.wasUnfair) this.#unfair.add(module.moduleId);
    this.#running.delete(module.moduleId);
    this.#last = { file: module.moduleId, at: performance.now() };
  }

  async onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    const list = process.env['CORRAL_RUN_AGAIN'];
    if (list === undefined || list === '' || errors.length > this.#killed.length) return;
    const failed = modules.filter((module) => !module.ok()).map(({ moduleId }) => moduleId);
    if (failed.some((file) => !this.#killed.includes(file) && !this.#unfair.has(file))) return;
    const again = [...new Set([...this.#killed, ...failed])];
    if (again.length > mostAgain) return;
    await writeFile(list, again.map((file) => `${relative(process.cwd(), file)}\n`).join(''));
  }

  /** Marks the running files if the host withheld processor time since the last look. */
  #watchProcessors(): void {
    const { asked, withheld } = processorTime();
    const since = { asked: asked - this.#processors.asked, withheld: withheld - this.#processors.withheld };
    // Less than a second says little.
    if (since.asked < ticksASecond) return;
    this.#processors = { asked, withheld };
    if (since.withheld < unfairShare * since.asked) return;
    for (const running of this.#running.values()) running.wasUnfair = true;
  }

  async #look(): Promise<void> {
    this.#watchProcessors();
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

const ticksASecond = 100;

/**
 * In ticks, of all processors: what was asked for, and what the host of this machine gave to others meanwhile. Only Linux
 * tells.
 */
const processorTime = (): { asked: number; withheld: number } => {
  if (process.platform !== 'linux') return { asked: 0, withheld: 0 };
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, withheld = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return { asked: user + nice + system + irq + softirq + withheld, withheld };
};

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
