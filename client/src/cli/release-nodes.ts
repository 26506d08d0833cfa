import { ActionFailedError, type Calls, type Corral, CorralError, TimedOutError } from '../index.ts';
import { pause } from '../pause.ts';
import type { Command, CommandContext } from './cli-command.ts';
import { exitCodes, failureOf } from './exit-codes.ts';
import { runParallel } from './site-document/run-parallel.ts';
import { StoppedError } from './usage-error.ts';

type NodeOverview = Calls['nodeOverview']['reply'];

/** What became of a node that was to be released. */
interface Released {
  readonly node: string;
  /** The project that it was in at the beginning; null: none. */
  readonly project: string | null;
  /** What was done, in order. */
  readonly done: readonly string[];
  /** Everything that keeps it in its project; empty: it has left. */
  readonly refusals: readonly string[];
}

/** `corral release`: what a tenant does by hand to give nodes back, until nothing is left to do. */
export const releaseCommand: Command = {
  words: ['release'],
  about: 'give nodes back: detach their networks, disable OBM and release them; run it again to continue',
  args: [{ name: 'node', kind: 'node', isRest: true }],
  example: 'release node-12',
  run: async (context, parsed) => {
    const { output, signal } = context;
    const corral = await context.corral();
    const nodes = [...new Set(parsed.rest('node'))];
    const seconds = parsed.option('timeout');
    const progress = output.progress('releasing');
    const released = await runParallel(nodes, signal, (node) =>
      new Release(corral, node, {
        signal,
        timeoutMs: seconds === undefined ? usualTimeoutMs : Number(seconds) * 1000,
        onStep: (text) => progress.update(`${node}: ${text}`),
      }).run(),
    ).finally(() => progress.stop());
    show(context, released);
    const left = released.filter(({ refusals }) => refusals.length > 0);
    if (left.length === 0) return;
    throw new StoppedError(`${left.length} of ${nodes.length} nodes could not be released`, {
      code: exitCodes.refused,
      hint: `run it again to continue: corral release ${left.map(({ node }) => node).join(' ')}`,
    });
  },
};

/** How long a change of a switch is waited for. */
const usualTimeoutMs = 120_000;
const lookEveryMs = 500;
/** A change that was pending may have attached another network meanwhile. */
const mostRounds = 3;

interface Patience {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onStep: (text: string) => void;
}

/**
 * Releases one node. Every step begins with a look at the node as it is now, so what an earlier run or somebody else
 * has done is not done again. A step that is refused does not keep the next from being tried, but for the last one:
 * all refusals are shown together.
 */
class Release {
  readonly #corral: Corral;
  readonly #node: string;
  readonly #patience: Patience;
  readonly #done: string[] = [];
  readonly #refusals: string[] = [];

  constructor(corral: Corral, node: string, patience: Patience) {
    this.#corral = corral;
    this.#node = node;
    this.#patience = patience;
  }

  async run(): Promise<Released> {
    const node = this.#node;
    const project = await this.#projectOfNode();
    if (project !== null) {
      for (let round = 0; round < mostRounds && this.#refusals.length === 0; round += 1)
        if (!(await this.#detachNetworks())) break;
      await this.#disableObm();
      if (this.#refusals.length === 0) await this.#leave(project);
    }
    return { node, project, done: this.#done, refusals: [...new Set(this.#refusals)] };
  }

  async #projectOfNode(): Promise<string | null> {
    const found: NodeOverview[] = [];
    await this.#step(null, async () => found.push(await this.#look()));
    return found[0]?.project ?? null;
  }

  #look(): Promise<NodeOverview> {
    return this.#corral.nodeOverview({ node: this.#node });
  }

  /** `what`: what is so afterwards; null: nothing worth a word. */
  async #step(what: string | null, work: () => Promise<unknown>): Promise<void> {
    const { onStep, signal } = this.#patience;
    if (what !== null) onStep(what);
    try {
      await work();
      if (what !== null) this.#done.push(what);
    } catch (error) {
      signal.throwIfAborted();
      if (!isRefusal(error)) throw error;
      this.#refusals.push(failureOf(error).message);
    }
  }

  /** Answers whether there was something to detach. A nic takes one change at a time; nics go side by side. */
  async #detachNetworks(): Promise<boolean> {
    let isBusy = false;
    await this.#step(null, async () => {
      const { nics } = await this.#settled();
      isBusy = nics.some(({ networks }) => Object.keys(networks).length > 0);
      await Promise.all(
        nics.map(async ({ label, networks }) => {
          for (const network of Object.values(networks)) await this.#detach(label, network);
        }),
      );
    });
    return isBusy;
  }

  #detach(nic: string, network: string): Promise<void> {
    const { signal, timeoutMs } = this.#patience;
    return this.#step(`nic ${nic} is detached from network ${network}`, async () => {
      const { status_id } = await this.#corral.nodeDetachNetwork({ node: this.#node, nic, network });
      await this.#corral.waitForAction(status_id, { signal, timeoutMs });
    });
  }

  /** The node when no change of it is pending any more. */
  async #settled(): Promise<NodeOverview> {
    const { signal, timeoutMs, onStep } = this.#patience;
    const began = performance.now();
    for (;;) {
      const found = await this.#look();
      const pending = found.blocked?.find(({ kind }) => kind === 'action');
      if (pending === undefined) return found;
      if (performance.now() - began > timeoutMs) throw new TimedOutError(pending.message);
      onStep(`waiting for a pending change of nic ${pending.nic ?? ''}`);
      await pause(lookEveryMs, signal);
    }
  }

  #disableObm(): Promise<void> {
    return this.#step(null, async () => {
      if ((await this.#look()).obm_enabled !== true) return;
      await this.#step('OBM is disabled', () => this.#corral.nodeSetObm({ node: this.#node, enabled: false }));
    });
  }

  /** The call names the first reason why not; all of them are shown. */
  async #leave(project: string): Promise<void> {
    const node = this.#node;
    await this.#step(`it has left project ${project}`, () => this.#corral.projectDetachNode({ project, node }));
    if (this.#refusals.length === 0) return;
    await this.#step(null, async () => {
      const { blocked } = await this.#look();
      const all = (blocked ?? []).map(({ message }) => message);
      if (all.length > 0) this.#refusals.splice(0, this.#refusals.length, ...all);
    });
  }
}

/** What a person can do something about; anything else ends the command. */
const isRefusal = (error: unknown): boolean =>
  error instanceof CorralError || error instanceof ActionFailedError || error instanceof TimedOutError;

const show = ({ output }: CommandContext, released: readonly Released[]): void => {
  if (output.isJson) return output.json(released);
  for (const { node, project, done, refusals } of released) {
    for (const step of done) output.say(output.style.dim(`  ${node}: ${step}`));
    if (refusals.length > 0) {
      output.say(`${output.style.red('✗')} node ${node} is not released:`);
      for (const refusal of refusals) output.say(`  ${refusal}`);
    } else {
      output.say(
        `${output.style.green('✓')} node ${node} ${project === null ? 'is in no project' : `is released from project ${project}`}`,
      );
    }
  }
};
