import { onAbort } from '@corral/base/abort';
import type { Permit, SessionLimits } from '../switch-contract.ts';
import { type SshShell, openShell } from './ssh-shell.ts';
import type { CliSyntax } from './dialect.ts';
import { OutputBuffer } from './output-buffer.ts';
import type { Login } from './cli-login.ts';

/** What a device said to one command. */
export interface Answer {
  /** The lines between the echo and the next prompt. */
  readonly text: string;
  /** The prompt it waits with now: it tells the mode. */
  readonly prompt: string;
}

/** One SSH command-line session. It answers one command at a time; after any failure a new one has to be opened. */
export class CliSession {
  readonly #console: CliSyntax;
  readonly #permit: Permit | undefined;
  #connection: SshShell | null = null;
  readonly #output = new OutputBuffer();
  #failure: Error | null = null;
  #name: string | null = null;
  /** Was something sent that the device has not answered yet? */
  #isWaiting = false;
  #wake: () => void = () => undefined;
  #lastPrompt = '';

  private constructor(console: CliSyntax, permit: Permit | undefined) {
    this.#console = console;
    this.#permit = permit;
  }

  /** Logs in, enters the privileged mode where there is one, and sets the terminal up. */
  static async open(
    login: Login,
    console: CliSyntax,
    signal: AbortSignal,
    { permit, outbound }: SessionLimits = {},
  ): Promise<CliSession> {
    const session = new CliSession(console, permit);
    const connection = await openShell(login, signal, outbound ?? null, (error) => session.#fail(error));
    session.#connection = connection;
    connection.channel.setEncoding('utf8');
    connection.channel.on('data', (text: string) => session.#hear(text));
    try {
      const first = await session.#logIn(login, signal);
      await session.#enable(first.prompt, login, signal);
      for (const line of console.setup) session.#name = session.#nameIn((await session.run(line, signal)).prompt);
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  }

  /** The prompt that it waits with. */
  get prompt(): string {
    return this.#lastPrompt;
  }

  /** Sends one command and waits for the prompt that follows its echo, so that late output is never taken for it. */
  async run(line: string, signal: AbortSignal): Promise<Answer> {
    if (/[^\x20-\x7e]/.test(line)) throw new Error('a command with control characters was not sent');
    this.#say(`${line}\n`);
    const purpose = `"${line.slice(0, 60)}"`;
    // The echo has ended with its line.
    await this.#until(purpose, signal, () => this.#output.dropThrough(line) || null);
    const answer = await this.#prompt(purpose, signal);
    this.#lastPrompt = answer.prompt;
    return answer;
  }

  /** Ends the session at once; never waits for the device. A command that is not answered yet is not sent any more. */
  close(): void {
    const isClean = !this.#isWaiting && !this.#failure;
    if (isClean) this.#connection?.end();
    this.#fail(new Error('the session is closed'));
  }

  /** Waits for the first prompt; where the device asks who it is, says so, once. */
  async #logIn(login: Login, signal: AbortSignal): Promise<Answer> {
    const asks = this.#console.login;
    const purpose = 'to log in';
    const first = await this.#prompt(purpose, signal, asks?.user);
    if (!asks?.user.test(first.prompt)) return first;
    this.#say(`${login.username}\n`);
    await this.#prompt(purpose, signal, asks.password);
    this.#say(`${login.password ?? ''}\n`);
    const next = await this.#prompt(purpose, signal, asks.user);
    if (asks.user.test(next.prompt)) throw new Error(`the switch rejects the login of user ${login.username}`);
    return next;
  }

  async #enable(prompt: string, login: Login, signal: AbortSignal): Promise<void> {
    const { enable } = this.#console;
    if (!enable?.from.test(prompt)) return;
    this.#say(`${enable.command}\n`);
    let isEchoed = false;
    const isAsked = await this.#until('to enter the privileged mode', signal, () => {
      const line = this.#output.last;
      isEchoed ||= this.#output.dropThrough(enable.command);
      if (enable.password.test(line)) return true;
      return this.#nameIn(line) !== null && isEchoed ? false : null;
    });
    if (isAsked) this.#say(`${login.enablePassword ?? login.password ?? ''}\n`);
    const { prompt: next } = await this.#prompt('to enter the privileged mode', signal, enable.password);
    if (enable.from.test(next) || enable.password.test(next))
      throw new Error('the switch denies the privileged mode; check "enable_password"');
  }

  /** Waits for the next prompt and answers the questions that come before it. */
  #prompt(purpose: string, signal: AbortSignal, orElse?: RegExp): Promise<Answer> {
    const echoes = new Set<string>();
    return this.#until(purpose, signal, () => {
      const line = this.#output.last;
      const name = this.#nameIn(line);
      if ((name !== null && this.#isMe(name)) || orElse?.test(line)) {
        this.#isWaiting = false;
        return { text: withoutEchoes(this.#output.text, echoes), prompt: line };
      }
      const question = this.#console.questions.find(({ asked }) => asked.test(line));
      if (question) {
        this.#output.dropLast();
        this.#permit?.check();
        if (question.key.trim() !== '') echoes.add(question.key.trim());
        this.#connection?.channel.write(question.key);
      }
      return null;
    });
  }

  #nameIn(line: string): string | null {
    return this.#console.prompt.exec(line)?.[1] ?? null;
  }

  /** Some devices shorten their name when the prompt also shows a mode. */
  #isMe(name: string): boolean {
    return this.#name === null || name === this.#name || (name.length >= 8 && this.#name.startsWith(name));
  }

  #say(text: string): void {
    if (this.#failure) throw this.#failure;
    this.#permit?.check();
    this.#output.clear();
    this.#isWaiting = true;
    this.#connection?.channel.write(text);
  }

  #hear(text: string): void {
    const fault = this.#output.push(text);
    if (fault !== null) this.#fail(new Error(fault));
    this.#wake();
  }

  #fail(error: Error): void {
    if (this.#failure) return;
    this.#failure = error;
    this.#connection?.reset();
    this.#wake();
  }

  async #until<T>(purpose: string, signal: AbortSignal, found: () => T | null): Promise<T> {
    const giveUp = (): void => this.#fail(new Error(`gave up waiting for the switch ${purpose}${this.#seen()}`));
    const release = onAbort(signal, giveUp);
    try {
      for (;;) {
        const hit = this.#failure ? null : found();
        if (hit !== null) return hit;
        if (this.#failure) throw this.#failure;
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      release();
    }
  }

  #seen(): string {
    const line = this.#output.last;
    return line === '' ? '' : `; its last output is "${line.slice(-60)}"`;
  }
}

/** What we typed at a question is shown like everything else, but the device did not say it. */
const withoutEchoes = (text: string, echoes: ReadonlySet<string>): string =>
  echoes.size === 0
    ? text
    : text
        .split('\n')
        .filter((line) => !echoes.has(line.trim()))
        .join('\n');
