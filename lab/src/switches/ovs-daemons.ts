import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { end, startDaemon } from './child-processes.ts';
import { isListening } from '../listen-loopback.ts';
import { run } from './namespaces.ts';

/** The two processes of an Open vSwitch: the one that knows, and the one that forwards. */
export type OvsDaemon = 'ovsdb-server' | 'ovs-vswitchd';

const schema = '/usr/share/openvswitch/vswitch.ovsschema';

/** An Open vSwitch of our own: database, sockets and logs are in one directory, its interfaces in one namespace. */
export class OvsDaemons {
  readonly #directory: string;
  readonly #namespace: string;
  readonly #remotes: readonly string[];
  readonly #running = new Map<OvsDaemon, ChildProcess>();

  /** `remotes` are options of ovsdb-server that say where it listens beside its socket. */
  constructor(directory: string, namespace: string, remotes: readonly string[]) {
    this.#directory = directory;
    this.#namespace = namespace;
    this.#remotes = remotes;
  }

  get socket(): string {
    return join(this.#directory, 'db.sock');
  }

  /** Where ovs-vswitchd takes commands. */
  get control(): string {
    return join(this.#directory, 'ovs-vswitchd.ctl');
  }

  /** A new switch, without bridges. */
  async create(): Promise<void> {
    await run('ovsdb-tool', ['create', join(this.#directory, 'conf.db'), schema]);
    await this.start('ovsdb-server');
    await this.vsctl('--no-wait', 'init');
    await this.start('ovs-vswitchd');
  }

  async start(daemon: OvsDaemon): Promise<void> {
    const address = this.#directory;
    const own = [`--unixctl=${join(address, `${daemon}.ctl`)}`, `--log-file=${join(address, `${daemon}.log`)}`];
    const quiet = ['-vconsole:off', '-vsyslog:off'];
    const [program, ...args] =
      daemon === 'ovsdb-server'
        ? [daemon, join(address, 'conf.db'), `--remote=punix:${this.socket}`, ...this.#remotes]
        : // The dummies are ports without an interface, so that hundreds of them cost nothing.
          ['ip', 'netns', 'exec', this.#namespace, daemon, `unix:${this.socket}`, '--enable-dummy'];
    const env = { PATH: process.env['PATH'], OVS_RUNDIR: address, OVS_DBDIR: address, OVS_LOGDIR: address };
    const isReady = () => daemon !== 'ovsdb-server' || isListening({ path: this.socket });
    const child = await startDaemon(program, [...args, ...own, ...quiet], isReady, { name: daemon, env });
    this.#running.set(daemon, child);
  }

  /** Ends a process at once, as a crash would. */
  async kill(daemon: OvsDaemon): Promise<void> {
    const child = this.#running.get(daemon);
    this.#running.delete(daemon);
    if (child) await end(child, 'SIGKILL');
  }

  /** Runs ovs-vsctl on this switch; without `--no-wait` it returns when the switch has applied the change. */
  vsctl(...args: readonly string[]): Promise<string> {
    return run('ovs-vsctl', [`--db=unix:${this.socket}`, `--timeout=10`, ...args]);
  }

  /** Runs ovs-appctl on one of the processes. */
  appctl(daemon: OvsDaemon, ...args: readonly string[]): Promise<string> {
    return run('ovs-appctl', ['-t', join(this.#directory, `${daemon}.ctl`), ...args]);
  }
}
