import { unlessAborted } from '@corral/base/abort';
import type ssh2 from 'ssh2';
import type { Permit, SessionLimits } from '../switch-contract.ts';
import { connectSsh, gaveUp, type SshConnection } from '../ssh-connection.ts';
import type { SshLogin } from '../ssh-login.ts';
import { oneLine } from '../device-text.ts';
import { childOf, childrenOf, type Element } from '@corral/base/xml';
import { parseXml } from '../device-xml.ts';
import { Deframer, framed } from './netconf-framing.ts';
import { RpcRefused, rpcErrorsIn } from './rpc-error.ts';

const base = 'urn:ietf:params:xml:ns:netconf:base:1.0';
/** A line that is closed in good order gets this long to say goodbye. */
const farewellMs = 500;

const ourHello = `<?xml version="1.0" encoding="UTF-8"?>
<hello xmlns="${base}"><capabilities><capability>urn:ietf:params:netconf:base:1.0</capability><capability>urn:ietf:params:netconf:base:1.1</capability></capabilities></hello>`;

interface Waiting {
  readonly resolve: (reply: Element) => void;
  readonly reject: (error: Error) => void;
}

/** Calls to a device over NETCONF. */
export interface Netconf {
  readonly ended: boolean;
  rpc(operation: string, signal: AbortSignal): Promise<Element>;
  close(): Promise<void>;
}

/**
 * A NETCONF session over SSH (RFC 6241, RFC 6242). A call that is aborted ends the session: nobody knows how far
 * the device got, and what it would still answer is of no use.
 */
export class NetconfClient implements Netconf {
  readonly #ssh: SshConnection;
  readonly #permit: Permit | undefined;
  readonly #channel: ssh2.ClientChannel;
  readonly #deframer = new Deframer();
  readonly #waiting = new Map<string, Waiting>();
  #hello: Waiting | null = null;
  #capabilities: ReadonlySet<string> = new Set();
  #lastId = 0;
  #ended: Error | null = null;

  private constructor(ssh: SshConnection, channel: ssh2.ClientChannel, permit: Permit | undefined) {
    this.#ssh = ssh;
    this.#permit = permit;
    this.#channel = channel;
    ssh.client.on('error', (error) =>
      this.#end(new Error(`the connection was lost: ${error.message}`, { cause: error })),
    );
    ssh.client.on('close', () => this.#end(new Error('the device closed the connection')));
    channel.on('error', () => undefined);
    channel.on('close', () => this.#end(new Error('the device ended the NETCONF session')));
    channel.stderr.resume();
    channel.on('data', (bytes: Buffer) => this.#hear(bytes));
  }

  /** Logs in and exchanges greetings. */
  static async open(
    login: SshLogin,
    signal: AbortSignal,
    { permit, outbound }: SessionLimits = {},
  ): Promise<NetconfClient> {
    const ssh = await connectSsh(login, signal, outbound ?? null);
    try {
      const opened = () =>
        new Promise<ssh2.ClientChannel>((resolve, reject) => {
          ssh.client.once('close', () => reject(new Error('the device closed the connection')));
          ssh.client.subsys('netconf', (error, channel) => {
            if (error) reject(new Error(`the device has no NETCONF subsystem: ${error.message}`, { cause: error }));
            else resolve(channel);
          });
        });
      const giveUp = gaveUp('opening the NETCONF subsystem', () => ssh.reset());
      const channel = await unlessAborted(opened, signal, giveUp);
      const client = new NetconfClient(ssh, channel, permit);
      await client.#greet(signal);
      return client;
    } catch (error) {
      ssh.reset();
      throw error;
    }
  }

  /** Is this capability of RFC 6241 offered, such as `candidate`? */
  offers(capability: string): boolean {
    const name = new RegExp(`^urn:ietf:params:(?:xml:ns:)?netconf:capability:${capability}:1\\.[01](?:\\?|$)`);
    return [...this.#capabilities].some((offered) => name.test(offered));
  }

  get ended(): boolean {
    return this.#ended !== null;
  }

  /** One call. A complaint of severity `error` is thrown as RpcRefused; warnings are left to the reply. */
  async rpc(operation: string, signal: AbortSignal): Promise<Element> {
    if (this.#ended) throw this.#ended;
    const id = String(++this.#lastId);
    const what = /^<([a-z-]+)/.exec(operation)?.[1] ?? 'the call';
    const answered = () =>
      new Promise<Element>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        this.#say(`<rpc xmlns="${base}" message-id="${id}">${operation}</rpc>`);
      });
    const giveUp = gaveUp(what, () => this.#end(new Error('a call was aborted')));
    const reply = await unlessAborted(answered, signal, giveUp).finally(() => this.#waiting.delete(id));
    const errors = rpcErrorsIn(reply).filter(({ severity }) => severity === 'error');
    if (errors.length > 0) throw new RpcRefused(what, errors);
    return reply;
  }

  /** Ends the session. Never hangs: a line that does not close by itself, or with a call under way, is cut. */
  async close(): Promise<void> {
    if (this.#ended) return;
    if (this.#waiting.size > 0) {
      this.#end(new Error('the session is closed'));
      return;
    }
    this.#send(`<rpc xmlns="${base}" message-id="${++this.#lastId}"><close-session/></rpc>`);
    this.#ended = new Error('the session is closed');
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#ssh.reset();
        resolve();
      }, farewellMs);
      this.#ssh.client.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      this.#channel.end();
      this.#ssh.client.end();
    });
  }

  async #greet(signal: AbortSignal): Promise<void> {
    const greeted = () =>
      new Promise<Element>((resolve, reject) => {
        this.#hello = { resolve, reject };
        if (this.#ended) reject(this.#ended);
        else this.#say(ourHello);
      });
    const giveUp = gaveUp('the greeting', () => this.#end(new Error('the hello was aborted')));
    const hello = await unlessAborted(greeted, signal, giveUp);
    if (hello.name !== 'hello') throw new Error(`expected a NETCONF hello, received <${hello.name}>`);
    this.#capabilities = capabilitiesIn(hello);
  }

  #say(message: string): void {
    this.#permit?.check();
    this.#send(message);
  }

  #send(message: string): void {
    this.#channel.write(framed(message, this.#deframer.framing));
  }

  #hear(bytes: Buffer): void {
    if (this.#ended) return;
    try {
      this.#deframer.push(bytes);
      for (let message = this.#deframer.next(); message !== null; message = this.#deframer.next()) {
        this.#take(parseXml(message));
      }
    } catch (error) {
      this.#end(new Error(`the device sent ${error instanceof Error ? error.message : String(error)}`));
    }
  }

  #take(message: Element): void {
    if (this.#hello) {
      // Both sides change their framing right after the greetings (RFC 6242, section 4.1).
      if (capabilitiesIn(message).has('urn:ietf:params:netconf:base:1.1')) this.#deframer.framing = 'chunked';
      this.#hello.resolve(message);
      this.#hello = null;
      return;
    }
    const id = message.attributes['message-id'];
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (message.name !== 'rpc-reply' || !waiting) {
      const errors = rpcErrorsIn(message).map(({ message: words }) => words);
      throw new Error(`<${message.name}> that was not requested: ${oneLine(errors.join('; ') || `message-id ${id}`)}`);
    }
    waiting.resolve(message);
  }

  #end(reason: Error): void {
    this.#ended ??= reason;
    this.#ssh.reset();
    this.#hello?.reject(this.#ended);
    this.#hello = null;
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }
}

const capabilitiesIn = (hello: Element): ReadonlySet<string> =>
  new Set(childrenOf(childOf(hello, 'capabilities'), 'capability').map(({ text }) => text));
