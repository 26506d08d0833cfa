import {
  type Neighbour,
  outcomeOf,
  type PortConfig,
  type PortOutcome,
  type Refusal,
  type SwitchSession,
} from '../switch-contract.ts';
import { carriedBy, isSame } from '../vlan-lists.ts';
import { childOf, childrenOf, type Element, findAll } from '@corral/base/xml';
import { type Complaint, complaintsFrom } from './junos-blame.ts';
import { type JunosView, viewOf } from './junos-config.ts';
import { editFor, vlanInTheWay } from './junos-edit.ts';
import { notToBeOpened } from '../known-elements.ts';
import { junosAbout, junosIdentity } from './junos-identity.ts';
import { junosNeighbours } from './junos-neighbours.ts';
import { isPort } from './junos-ports.ts';
import type { Netconf } from './netconf-client.ts';
import { isUnknownTo, requireDone, RpcRefused, wordsOf } from './rpc-error.ts';

type Database = 'candidate' | 'committed';

/** Refusals that say something about our standing and nothing about a port. */
const faults: readonly string[] = ['access-denied', 'lock-denied', 'resource-denied', 'in-use', 'malformed-message'];

const candidate = '<target><candidate/></target>';
const validate = '<validate><source><candidate/></source></validate>';

/** Where a port can be given a VLAN, or be named by something that gives it one. */
const places: readonly string[] = ['interfaces', 'vlans', 'protocols', 'forwarding-options', 'routing-instances'];
/** The same on some devices only: of the enhanced Layer 2 software, of the one before, of routers. */
const placesOfSome: readonly string[] = [
  'switch-options',
  'ethernet-switching-options',
  'bridge-domains',
  'logical-systems',
];

/** What one pass has found out so far. */
interface Pass {
  /** The candidate before the pass, without inherited statements. */
  readonly raw: Element;
  readonly before: JunosView;
  readonly refused: Map<string, string>;
  /** Was the configuration found sound without our changes? */
  isSound: boolean;
  readonly signal: AbortSignal;
}

interface JunosSessionOptions {
  readonly confirmSeconds: number;
  /** Is what was edited and committed read back? Not where nothing is sent. */
  readonly comparesEdits: boolean;
  /** The device itself, where `client` holds changes back. */
  readonly direct?: Netconf;
}

const isIdle = ({ native, tagged }: PortConfig): boolean => native === null && tagged.length === 0;

/**
 * A session with a Junos switch. A pass is one confirmed commit: the device takes it back by itself unless we
 * have seen the new configuration and confirmed it, so a process that dies in between leaves nothing half done.
 */
export class JunosSession implements SwitchSession {
  readonly #client: Netconf;
  readonly #confirmSeconds: number;
  readonly #comparesEdits: boolean;
  readonly #direct: Netconf;
  /** Is there something of ours in the candidate that is not committed? */
  #isDirty = false;
  /** What is asked of the configuration; a device refuses to tell of statements that it does not have. */
  #scope: readonly string[] = [...places, ...placesOfSome];

  constructor(client: Netconf, { confirmSeconds, comparesEdits, direct = client }: JunosSessionOptions) {
    this.#client = client;
    this.#confirmSeconds = confirmSeconds;
    this.#comparesEdits = comparesEdits;
    this.#direct = direct;
  }

  async apply(ports: readonly PortConfig[], signal: AbortSignal): Promise<readonly PortOutcome[]> {
    await this.#lock(signal);
    try {
      const refused = await this.#pass(ports, signal);
      return ports.map(({ port }) => outcomeOf(port, refused.get(port) ?? null));
    } finally {
      await this.#unlock(signal);
    }
  }

  async read(ports: readonly string[], signal: AbortSignal): Promise<readonly PortConfig[]> {
    const view = await this.#view('committed', signal);
    const known = await this.#known(ports, view, signal);
    return ports.filter((port) => known.has(port)).map((port) => view.stateOf(port));
  }

  identity(signal: AbortSignal): Promise<string | null> {
    return junosIdentity(this.#client, signal);
  }

  about(signal: AbortSignal): Promise<string | null> {
    return junosAbout(this.#client, signal);
  }

  neighbours(signal: AbortSignal): Promise<readonly Neighbour[] | Refusal> {
    return junosNeighbours(this.#client, signal);
  }

  /** Locks the candidate for a moment. That somebody else has it says that the user may. */
  async lacks(signal: AbortSignal): Promise<readonly string[]> {
    try {
      await this.#direct.rpc(`<lock>${candidate}</lock>`, signal);
    } catch (error) {
      if (!(error instanceof RpcRefused)) throw error;
      const denied = error.errors.filter(({ tag, message }) => tag === 'access-denied' || /permission/i.test(message));
      return denied.map((each) => `the user may not configure the switch: ${wordsOf(each)}`);
    }
    await this.#direct.rpc(`<unlock>${candidate}</unlock>`, signal);
    return [];
  }

  async readAll(signal: AbortSignal): Promise<readonly PortConfig[]> {
    const view = await this.#view('committed', signal);
    const ports = new Set([...view.interfaces, ...(await this.#physical(signal))].filter(isPort));
    return [...ports].map((port) => view.stateOf(port));
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #pass(ports: readonly PortConfig[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    this.#isDirty = true;
    await this.#discard(signal);
    const raw = await this.#configuration('<get-configuration database="candidate">', signal);
    const before = await this.#view('candidate', signal);
    const refused = new Map<string, string>();
    const pass: Pass = { raw, before, refused, isSound: false, signal };
    const names = ports.map(({ port }) => port);
    const known = await this.#known(names, before, signal);
    for (const port of names) if (!known.has(port)) refused.set(port, `the switch has no interface ${port}`);

    const present = ports.filter(({ port }) => known.has(port));
    const changes = await this.#sieve(
      present.filter((state) => isIdle(state) || !isSame(state, before.stateOf(state.port))),
      pass,
    );
    // A port that is freed is always written, however idle it looked.
    if (changes.length > 0) await this.#commitConfirmed(changes, signal);
    else await this.#discard(signal);
    // Without changes too: a commit that a dead process left unconfirmed must not be taken back later.
    await this.#do('<commit/>', signal);
    this.#isDirty = false;
    return refused;
  }

  async #commitConfirmed(changes: readonly PortConfig[], signal: AbortSignal): Promise<void> {
    const timeout = `<confirm-timeout>${this.#confirmSeconds}</confirm-timeout>`;
    await this.#do(`<commit><confirmed/>${timeout}</commit>`, signal);
    if (!this.#comparesEdits) return;
    const view = await this.#view('committed', signal);
    const strange = changes.find((state) => !isSame(state, view.stateOf(state.port)));
    if (strange) throw new Error(`${strange.port} differs from what was committed; the switch will roll back`);
  }

  /** Leaves the largest set of these states that the device takes in its candidate; the others are refused. */
  async #sieve(states: readonly PortConfig[], pass: Pass): Promise<readonly PortConfig[]> {
    if (states.length === 0) return [];
    const complaints = await this.#load(states, pass);
    const [first] = complaints;
    if (!first) return states;
    for (const { port, reason } of complaints) if (port !== null) pass.refused.set(port, reason);
    const rest = states.filter(({ port }) => !pass.refused.has(port));
    if (rest.length < states.length) return this.#sieve(rest, pass);

    // The device named nobody: halve until it is clear who it is, if it is one of us at all.
    await this.#requireSound(pass);
    const refuse = (culprits: readonly PortConfig[]) =>
      culprits.forEach(({ port }) => pass.refused.set(port, first.reason));
    if (states.length === 1) {
      refuse(states);
      return [];
    }
    const middle = Math.ceil(states.length / 2);
    const head = await this.#sieve(states.slice(0, middle), pass);
    const tail = await this.#sieve(states.slice(middle), pass);
    if (head.length + tail.length < states.length) return this.#sieve([...head, ...tail], pass);
    // Either half is fine, together they are too much.
    refuse(tail);
    return this.#sieve(head, pass);
  }

  /** A configuration that fails its own check refuses every port, whatever is wanted of it. */
  async #requireSound(pass: Pass): Promise<void> {
    if (pass.isSound) return;
    await this.#discard(pass.signal);
    await this.#do(validate, pass.signal);
    pass.isSound = true;
  }

  /** Puts these states, and nothing else, into the candidate; says what speaks against committing them. */
  async #load(states: readonly PortConfig[], pass: Pass): Promise<readonly Complaint[]> {
    const { raw, before, signal } = pass;
    const inTheWay = states.flatMap((state) => {
      const reason = carriedBy(state)
        .map((id) => vlanInTheWay(id, before.vlans))
        .find((each) => each !== null);
      return reason === undefined ? [] : [{ port: state.port, reason }];
    });
    if (inTheWay.length > 0) return inTheWay;
    const edit = editFor(states, raw, before.vlans);
    try {
      await this.#discard(signal);
      this.#isDirty = true;
      await this.#do(
        `<edit-config>${candidate}<config><configuration>${edit}</configuration></config></edit-config>`,
        signal,
      );
      await this.#do(validate, signal);
    } catch (error) {
      if (!(error instanceof RpcRefused) || error.errors.some(({ tag }) => faults.includes(tag))) throw error;
      return complaintsFrom(error.errors, states, before.vlans);
    }
    if (!this.#comparesEdits) return [];
    const view = await this.#view('candidate', signal);
    return states
      .map((state) => ({ state, shown: view.stateOf(state.port) }))
      .filter(({ state, shown }) => !isSame(state, shown))
      .map(({ state: { port }, shown: { unclear } }) => ({
        port,
        reason:
          unclear === undefined
            ? `the switch would not apply this to ${port}: a group, an interface range or a deactivated statement overrides it`
            : notToBeOpened([unclear]),
      }));
  }

  async #lock(signal: AbortSignal): Promise<void> {
    try {
      await this.#do(`<lock>${candidate}</lock>`, signal);
    } catch (error) {
      if (!(error instanceof RpcRefused)) throw error;
      const words = error.errors.map(wordsOf).join('; ');
      const why = /modified/i.test(words) ? 'has uncommitted changes' : 'is locked by another session';
      throw new Error(`the configuration of the switch ${why}: ${words}`, { cause: error });
    }
  }

  /** Nothing of ours stays in the candidate, and nobody is kept out. */
  async #unlock(signal: AbortSignal): Promise<void> {
    if (this.#client.ended) return;
    try {
      await this.#discard(signal);
      await this.#client.rpc(`<unlock>${candidate}</unlock>`, signal);
    } catch {
      // The lock goes with the session. What the pass itself came to is not changed by this.
      await this.#client.close();
    }
  }

  async #discard(signal: AbortSignal): Promise<void> {
    if (this.#isDirty) await this.#do('<discard-changes/>', signal);
    this.#isDirty = false;
  }

  /** Has something done. A reply that names no error and does not say either that it is done is a fault. */
  async #do(operation: string, signal: AbortSignal): Promise<void> {
    requireDone(await this.#client.rpc(operation, signal));
  }

  async #configuration(request: string, signal: AbortSignal): Promise<Element> {
    const scope = this.#scope.map((place) => `<${place}/>`).join('');
    try {
      const reply = await this.#client.rpc(
        `${request}<configuration>${scope}</configuration></get-configuration>`,
        signal,
      );
      const [configuration, ...more] = childrenOf(reply, 'configuration');
      // An empty reply is not an empty configuration: the device did not send it.
      if (configuration === undefined || more.length > 0)
        throw new Error(`the switch answered with <${reply.children[0]?.name ?? ''}> instead of its configuration`);
      return configuration;
    } catch (error) {
      const unknown = this.#scope.filter((place) => placesOfSome.includes(place) && isUnknownTo(error, place));
      if (unknown.length === 0) throw error;
      this.#scope = this.#scope.filter((place) => !unknown.includes(place));
      return this.#configuration(request, signal);
    }
  }

  async #view(database: Database, signal: AbortSignal): Promise<JunosView> {
    const view = viewOf(
      await this.#configuration(`<get-configuration database="${database}" inherit="inherit">`, signal),
    );
    // No switch is without interfaces, its management port among them.
    if (view.interfaces.length === 0) throw new Error('the switch shows no interfaces in its configuration');
    return view;
  }

  /** Junos takes the configuration of any interface, so what is there must be asked for. */
  async #known(ports: readonly string[], view: JunosView, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const configured = new Set(view.interfaces);
    if (ports.every((port) => configured.has(port))) return configured;
    return new Set([...configured, ...(await this.#physical(signal))]);
  }

  async #physical(signal: AbortSignal): Promise<readonly string[]> {
    const reply = await this.#client.rpc('<get-interface-information><terse/></get-interface-information>', signal);
    return findAll(reply, 'physical-interface').map((element) => childOf(element, 'name')?.text ?? '');
  }
}
