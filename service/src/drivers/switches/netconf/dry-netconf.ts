import type { Element } from '@corral/base/xml';
import { parseXml } from '../device-xml.ts';
import type { Netconf } from './netconf-client.ts';

const done = '<rpc-reply><ok/></rpc-reply>';

/** Carries questions only: what would change the device, or lock it, is given to `held`, and taken for done. */
export class DryNetconf implements Netconf {
  readonly #client: Netconf;
  readonly #held: (message: string) => void;

  constructor(client: Netconf, held: (message: string) => void) {
    this.#client = client;
    this.#held = held;
  }

  get ended(): boolean {
    return this.#client.ended;
  }

  async rpc(operation: string, signal: AbortSignal): Promise<Element> {
    if (operation.startsWith('<get-')) return this.#client.rpc(operation, signal);
    signal.throwIfAborted();
    this.#held(operation);
    return parseXml(done);
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
