import type { Element } from '@corral/base/xml';
import { parseXml } from '@corral/base/libvirt/libvirt-xml';
import { virsh, withFile } from '@corral/base/libvirt/run-virsh';
import { VirshError } from '@corral/base/libvirt/virsh-error';
import { faultFrom, isNoDomain } from './hypervisor-faults.ts';

/** A text of libvirt's, and where its elements stand in it. */
export interface Definition {
  readonly text: string;
  readonly root: Element;
}

/** A libvirt, command by command. Each has a deadline; a failure has a message. */
export class LibvirtHost {
  readonly #uri: string;
  readonly #timeoutMs: number;
  readonly #check: () => void;

  /** `check` throws where no command may be given any more. */
  constructor(uri: string, timeoutMs: number, check: () => void = () => undefined) {
    this.#uri = uri;
    this.#timeoutMs = timeoutMs;
    this.#check = check;
  }

  /** Runs a command to its end and gives what it said. */
  async run(args: readonly string[], timeoutMs = this.#timeoutMs): Promise<string> {
    this.#check();
    try {
      return await virsh(this.#uri, args, AbortSignal.timeout(timeoutMs));
    } catch (error) {
      throw error instanceof VirshError ? faultFrom(error) : error;
    }
  }

  /** Runs a command that reads a definition from the file which is its last argument. */
  async hand(args: readonly string[], definition: string, timeoutMs = this.#timeoutMs): Promise<void> {
    await withFile(definition, (file) => this.run([...args, file], timeoutMs));
  }

  /** What it says in lines, without empty ones. */
  async lines(...args: readonly string[]): Promise<readonly string[]> {
    const said = await this.run(args);
    return said
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  }

  async read(...args: readonly string[]): Promise<Definition> {
    const text = await this.run(args);
    return { text, root: parseXml(text) };
  }

  /** "running", "shut off" and so on; null: there is no such machine. */
  async stateOf(domain: string): Promise<string | null> {
    try {
      return (await this.run(['domstate', '--domain', domain])).trim();
    } catch (error) {
      if (isNoDomain(error)) return null;
      throw error;
    }
  }
}
