import type { ChildProcess } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { end, startDaemon } from './child-processes.ts';

const patienceMs = 10_000;

/** A vde_switch of our own, in a directory: its process, and a line to its management socket. */
export class VdeSwitch {
  readonly #directory: string;
  #process: ChildProcess | null = null;
  #line: Socket | null = null;
  #heard = '';

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Where hosts plug in. */
  get data(): string {
    return join(this.#directory, 'data');
  }

  /** Where it is managed. */
  get management(): string {
    return join(this.#directory, 'management');
  }

  async start(ports: number): Promise<void> {
    // It reads commands from its input too, and ends with it: it does not outlive this process.
    const args = ['-s', this.data, '-M', this.management, '-n', String(ports + 1), '-f', '/dev/null'];
    this.#process = await startDaemon('vde_switch', args, () => this.#call(), { stdio: ['pipe', 'ignore', 'ignore'] });
    await this.#answer();
    for (let port = 1; port <= ports; port++) await this.command(`port/create ${port}`);
  }

  /** Gives a command by hand; throws with the answer if it fails. */
  async command(line: string): Promise<string> {
    this.#line?.write(`${line}\n`);
    const answer = await this.#answer();
    if (!answer.includes('1000 Success')) throw new Error(`vde_switch says to "${line}": ${answer.trim()}`);
    return answer;
  }

  async stop(): Promise<void> {
    this.#line?.destroy();
    if (this.#process) await end(this.#process);
  }

  #call(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.management);
      socket.setEncoding('utf8').on('data', (text: string) => (this.#heard += text));
      socket.once('connect', () => {
        this.#line = socket;
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
  }

  async #answer(): Promise<string> {
    const last = Date.now() + patienceMs;
    while (!this.#heard.endsWith('vde$ ')) {
      if (Date.now() > last) throw new Error('vde_switch does not answer');
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1_000);
        this.#line?.once('data', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    const answer = this.#heard;
    this.#heard = '';
    return answer;
  }
}
