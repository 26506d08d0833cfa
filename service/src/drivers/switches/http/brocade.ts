import { setTimeout as sleep } from 'node:timers/promises';
import {
  outcomeOf,
  type PortConfig,
  type PortOutcome,
  type SwitchDriver,
  type SwitchSession,
} from '../switch-contract.ts';
import { nativeFirst } from '../native-first.ts';
import { carriedBy } from '../vlan-lists.ts';
import { type BrocadePort, passedBy } from './brocade-port.ts';
import { BrocadeRest } from './brocade-rest.ts';
import { writesToCarry, writesToIdle } from './brocade-writes.ts';
import { notToBeOpened } from '../known-elements.ts';
import { httpDriverOfType } from './http-driver.ts';
import type { SwitchHttp } from './switch-http-client.ts';
import { slashedPortName } from './http-port-names.ts';

const defaults = { scheme: 'http', ports: { http: 80, https: 443 } } as const;

/** Brocade VDX switches, by the REST interface of Network OS. */
export const brocade: SwitchDriver = {
  ...httpDriverOfType(defaults, (http, interfaceType) => new BrocadeSession(http, interfaceType)),
  capabilities: [],
  hasLegacyType: true,
  portName: slashedPortName,
  refuse: nativeFirst,
};

/** Up to so many ports are read one by one. */
const few = 16;

class BrocadeSession implements SwitchSession {
  readonly #http: SwitchHttp;
  readonly #rest: BrocadeRest;
  readonly #type: string;

  constructor(http: SwitchHttp, interfaceType: string) {
    this.#http = http;
    this.#rest = new BrocadeRest(http, interfaceType);
    this.#type = interfaceType;
  }

  /** Finds out whether anybody is there, lets us in, and has ports of our kind. */
  async probe(signal: AbortSignal): Promise<void> {
    if ((await this.#rest.names(this.#type, signal)).size === 0)
      throw new Error(`the switch has no ports of the kind ${this.#type}`);
  }

  async apply(ports: readonly PortConfig[], signal: AbortSignal): Promise<readonly PortOutcome[]> {
    const now = await this.#portsNamed(
      ports.map(({ port }) => port),
      signal,
    );
    const refusedVlans = await this.#makeVlans(ports, signal);
    const outcomes: PortOutcome[] = [];
    for (const wanted of ports) {
      const reason =
        [wanted.native, ...wanted.tagged].map((vlan) => refusedVlans.get(vlan)).find((words) => words !== undefined) ??
        (await this.#set(wanted, now.get(wanted.port), signal));
      outcomes.push(outcomeOf(wanted.port, reason));
    }
    return outcomes;
  }

  async read(ports: readonly string[], signal: AbortSignal): Promise<readonly PortConfig[]> {
    const now = await this.#portsNamed(ports, signal);
    return ports.flatMap((name) => {
      const port = now.get(name);
      return port === undefined ? [] : [passedBy(port)];
    });
  }

  async readAll(signal: AbortSignal): Promise<readonly PortConfig[]> {
    return [...(await this.#rest.everyPort(signal)).values()].map(passedBy);
  }

  /** The copy runs in the background of the switch; it is asked how that goes until it is done. */
  async save(signal: AbortSignal): Promise<void> {
    const begun = await this.#rest.operate(
      'bna-config-cmd',
      '<src>running-config</src><dest>startup-config</dest>',
      { element: 'session-id', done: '0' },
      signal,
    );
    for (;;) {
      const status = await this.#rest.operate(
        'bna-config-cmd-status',
        `<session-id>${begun}</session-id>`,
        { element: 'status', done: 'completed' },
        signal,
      );
      if (status === 'completed') return;
      if (status !== 'in-progress') throw new Error(`the switch did not save its configuration: "${status}"`);
      await sleep(500, undefined, { signal });
    }
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  /** Null if the port is as wanted, else why it is not. */
  async #set(wanted: PortConfig, now: BrocadePort | undefined, signal: AbortSignal): Promise<string | null> {
    if (now === undefined) return `the switch has no port ${this.#type} ${wanted.port}`;
    if (wanted.native === null && wanted.tagged.length > 0) return 'this switch needs a native VLAN beside tagged ones';
    if (wanted.native !== null && now.unclear.length > 0) return notToBeOpened(now.unclear);
    const writes = wanted.native === null ? writesToIdle(now) : writesToCarry(now, wanted.native, wanted.tagged);
    for (const write of writes) {
      const reason = await this.#rest.writeToPort(wanted.port, write, signal);
      if (reason !== null) return reason;
    }
    return null;
  }

  /** A VLAN must exist before a port can carry it. Says which could not be made, and why. */
  async #makeVlans(ports: readonly PortConfig[], signal: AbortSignal): Promise<ReadonlyMap<number | null, string>> {
    const wanted = new Set(ports.flatMap(carriedBy));
    const refused = new Map<number | null, string>();
    if (wanted.size === 0) return refused;
    const existing = await this.#rest.names('Vlan', signal);
    for (const vlan of wanted) {
      if (existing.has(String(vlan))) continue;
      const reason = await this.#rest.makeVlan(vlan, signal);
      if (reason !== null) refused.set(vlan, reason);
    }
    return refused;
  }

  /** A few ports are asked for one by one: a fabric has more than a thousand. */
  #portsNamed(names: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, BrocadePort>> {
    if (names.length > few) return this.#rest.everyPort(signal);
    return this.#rest.ports(names, signal);
  }
}
