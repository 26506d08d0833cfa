import { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '@corral/base/backoff';
import type { Domain } from './libvirt-domain.ts';
import { isPassing, isTaken } from './libvirt-bmc-faults.ts';
import { attach, type Attached, escape, type Manner } from './virsh-console.ts';
import { isOff } from './domain-commands.ts';

const lookEveryMs = 1_000;
const growth = { firstMs: 200, longestMs: 5_000 };
/** A console that lasted this long was a good one: the next is tried again soon. */
const goodMs = 10_000;

/** Opens the console of a domain. It stays open while the machine is off, as that of a real one does. */
export const openDomainConsole = async (domain: Domain, signal: AbortSignal): Promise<Duplex> =>
  new DomainConsole(domain, await attachTo(domain, 'by force', signal));

/** null if the machine is off. */
const attachTo = async (domain: Domain, manner: Manner, signal: AbortSignal): Promise<Attached | null> => {
  for (const failures = new Backoff(growth); ;) {
    if (await isOff(domain, signal)) return null;
    try {
      return await attach(domain, manner, signal);
    } catch (error) {
      if (!isPassing(error)) throw error;
      await sleep(failures.failed(), undefined, { signal });
    }
  }
};

/** A console goes with its machine when that is turned off; this is one after the other, as one. */
class DomainConsole extends Duplex {
  readonly #domain: Domain;
  readonly #end = new AbortController();
  readonly #done: Promise<void>;
  #attached: Attached | null = null;

  constructor(domain: Domain, first: Attached | null) {
    super();
    this.#domain = domain;
    this.#done = this.#follow(first).then(
      () => void this.push(null),
      (error: unknown) => {
        if (!this.#end.signal.aborted) this.destroy(error instanceof Error ? error : new Error(String(error)));
      },
    );
    this.once('end', () => this.destroy());
  }

  override _read(): void {
    this.#attached?.line.resume();
  }

  override _write(typed: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const line = this.#attached?.line;
    const bytes = typed.filter((byte) => byte !== escape.byte);
    // There is nobody to type to while the machine is off.
    if (!line?.writable || bytes.length === 0) done();
    else line.write(bytes, () => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#end.abort();
    this.#attached?.letGo();
    void this.#done.then(() => done(error));
  }

  /**
   * Ends when somebody takes the console. That a virsh ends is no sign of it: it does so too as soon as the machine
   * begins to go off. Without force, a console that is in use is refused.
   */
  async #follow(first: Attached | null): Promise<void> {
    const { signal } = this.#end;
    const losses = new Backoff(growth);
    for (let now = first; !signal.aborted;) {
      const begun = performance.now();
      if (now) await this.#listenTo(now);
      if (performance.now() - begun >= goodMs) losses.succeeded();
      await sleep(now ? losses.failed() : lookEveryMs, undefined, { signal });
      try {
        now = await attachTo(this.#domain, 'politely', signal);
      } catch (error) {
        if (isTaken(error)) return;
        throw error;
      }
    }
  }

  async #listenTo(attached: Attached): Promise<void> {
    this.#attached = attached;
    attached.line.on('data', (bytes: Buffer) => {
      if (!this.push(bytes)) attached.line.pause();
    });
    attached.line.resume();
    if (this.#end.signal.aborted) attached.letGo();
    await attached.ended;
    this.#attached = null;
  }
}
