import type { RedfishAnswer, RedfishClient } from './redfish-client.ts';
import { itemsOf, member, textAt, textsAt } from '@corral/base/json-members';
import { waitFor } from './redfish-retry.ts';
import { cannot, refused } from './redfish-errors.ts';
import type { Power, RedfishSystem } from './redfish-system.ts';
import { waitForTask } from './redfish-tasks.ts';

const pollMs = 250;
/** How long an accepted "on" or "off" is watched. A BMC that shows its effect later has accepted it all the same. */
const settlingMs = 5_000;
/** How long a machine may take to go off where "on" has to follow. */
const longestOff = 30_000;

/** The reset types that do what is wanted, the best first; and what completes "refused to". */
const resets = {
  on: { types: ['On', 'ForceOn'], purpose: 'turn the machine on' },
  off: { types: ['ForceOff'], purpose: 'turn the machine off' },
  cycle: { types: ['ForceRestart', 'PowerCycle'], purpose: 'restart the machine' },
  shutDown: { types: ['GracefulShutdown'], purpose: 'ask the operating system to shut down' },
} as const;
type Wish = keyof typeof resets;

/** Turns one machine on and off. */
export class PowerSwitch {
  readonly #client: RedfishClient;
  readonly #look: (signal: AbortSignal) => Promise<RedfishSystem>;

  constructor(client: RedfishClient, look: (signal: AbortSignal) => Promise<RedfishSystem>) {
    this.#client = client;
    this.#look = look;
  }

  /** A machine that turns off is on until it is off. */
  async status(signal: AbortSignal): Promise<'on' | 'off'> {
    const { power } = await this.#look(signal);
    if (power === null) throw cannot('the BMC does not report whether the machine is on; tell an administrator');
    return power === 'off' ? 'off' : 'on';
  }

  async on(signal: AbortSignal): Promise<void> {
    // One that is just going off would take no notice.
    const system = await this.#lookUntil((power) => power !== 'turningOff', longestOff, signal);
    if (system.power === 'on' || system.power === 'turningOn') return;
    await this.#reset(system, 'on', ['on', 'turningOn'], signal);
    await this.#settle('on', signal);
  }

  async off(signal: AbortSignal): Promise<void> {
    const system = await this.#look(signal);
    if (system.power === 'off') return;
    await this.#reset(system, 'off', ['off', 'turningOff'], signal);
    await this.#settle('off', signal);
  }

  /** Accepted is enough: there may be no moment at which the BMC shows the machine as off. */
  async cycle(signal: AbortSignal): Promise<void> {
    const system = await this.#lookUntil((power) => power !== 'turningOff', longestOff, signal);
    if (system.power === 'off') return this.on(signal);
    const type = await this.#typeFor(system, 'cycle', signal);
    if (type === null) return this.#offAndOn(signal);
    const answer = await this.#post(system, type, signal);
    if (answer.status < 300) return waitForTask(this.#client, answer, resets.cycle.purpose, signal);
    const now = await this.#look(signal);
    if (now.power === 'off') return this.on(signal);
    // It never said that it can restart a machine, or what state the machine is in.
    if (system.reset?.types === null || now.power === null) return this.#offAndOn(signal);
    throw refused(resets.cycle.purpose, answer.error);
  }

  async askToShutDown(signal: AbortSignal): Promise<void> {
    const system = await this.#look(signal);
    if (system.power === 'off' || system.power === 'turningOff') return;
    await this.#reset(system, 'shutDown', ['off', 'turningOff'], signal);
  }

  async #offAndOn(signal: AbortSignal): Promise<void> {
    const system = await this.#look(signal);
    if (system.power !== 'off') await this.#reset(system, 'off', ['off', 'turningOff'], signal);
    const { power } = await this.#lookUntil((now) => now === 'off' || now === null, longestOff, signal);
    if (power !== 'off' && power !== null)
      throw refused(resets.cycle.purpose, new Error('the machine did not turn off'));
    await this.on(signal);
  }

  /** Resets; a BMC that refuses because the machine is in the wanted state already is forgiven. */
  async #reset(system: RedfishSystem, wish: Wish, wanted: readonly Power[], signal: AbortSignal): Promise<void> {
    const type = await this.#typeFor(system, wish, signal);
    if (type === null) throw cannot(`the BMC offers no way to ${resets[wish].purpose}`);
    const answer = await this.#post(system, type, signal);
    if (answer.status < 300) return waitForTask(this.#client, answer, resets[wish].purpose, signal);
    const { power } = await this.#look(signal);
    if (!wanted.includes(power)) throw refused(resets[wish].purpose, answer.error);
  }

  #post({ reset }: RedfishSystem, type: string, signal: AbortSignal): Promise<RedfishAnswer> {
    if (reset === null) throw cannot('the BMC offers no way to change the power of the machine');
    return this.#client.request({ method: 'POST', path: reset.path, body: { ResetType: type } }, signal);
  }

  /** The best type that the BMC offers; null if it offers none. One that does not say gets the usual. */
  async #typeFor({ reset }: RedfishSystem, wish: Wish, signal: AbortSignal): Promise<string | null> {
    const { types } = resets[wish];
    if (reset === null) throw cannot('the BMC offers no way to change the power of the machine');
    const offered = reset.types ?? (reset.infoPath === null ? null : await this.#typesIn(reset.infoPath, signal));
    return offered === null ? types[0] : (types.find((type) => offered.includes(type)) ?? null);
  }

  async #typesIn(path: string, signal: AbortSignal): Promise<readonly string[] | null> {
    const info = await this.#client.request({ method: 'GET', path }, signal);
    if (info.status !== 200) return null;
    const parameters = itemsOf(member(info.document(), 'Parameters'));
    return textsAt(
      parameters.find((parameter) => textAt(parameter, 'Name') === 'ResetType'),
      'AllowableValues',
    );
  }

  /** Looks until the power is as wanted, or for so long; and gives what was seen last. */
  async #lookUntil(isDone: (power: Power) => boolean, ms: number, signal: AbortSignal): Promise<RedfishSystem> {
    for (const end = performance.now() + ms; ;) {
      const system = await this.#look(signal);
      if (isDone(system.power) || performance.now() > end) return system;
      await waitFor(pollMs, signal);
    }
  }

  /** It is accepted; what goes wrong with looking does not change that. */
  async #settle(wanted: 'on' | 'off', signal: AbortSignal): Promise<void> {
    try {
      await this.#lookUntil((power) => power === wanted || power === null, settlingMs, signal);
    } catch (error) {
      if (signal.aborted) throw error;
    }
  }
}
