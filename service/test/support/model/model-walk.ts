import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { statusOf } from '../../../src/server/http-errors.ts';
import type { Answer } from '../http/http-client.ts';
import { expectSound } from '../services/expect-invariants.ts';
import { type Call, type CallerName, predict, type Prediction } from './predict-calls.ts';
import { send, shown } from './model-calls.ts';
import { checkSwitches, checkViews, type RequestedVlans } from './model-checks.ts';
import {
  initial,
  isPending,
  type NicName,
  type NicState,
  type NodeName,
  type Plug,
  plugs,
  plugsOf,
  settlements,
  type State,
  switchOf,
  type SwitchName,
  unique,
  withNic,
} from './model-state.ts';
import { resolved, type Step } from './model-steps.ts';
import type { Service } from '../services/service.ts';
import { done, eventually } from '../services/world.ts';

/** More pending actions than this at once and the walk waits: every one of them doubles what may be. */
const mostPending = 3;

/**
 * A walk through the interface. The engine settles actions in its own time, so the model is not in one state
 * but in one of a few: every answer must fit at least one of them, and those that it does not fit are gone.
 */
export class ModelWalk {
  #service: Service;
  #states: readonly State[] = [initial];
  readonly #faulty = new Set<SwitchName>();
  readonly #statusIds = new Map<Plug, string>();
  readonly #requestedVlans: RequestedVlans = new Map();
  readonly #story: string[] = [];
  /** Has anything changed that an administrator would see, since the last look? */
  #isChanged = false;

  constructor(service: Service) {
    this.#service = service;
  }

  /** The service as it is now; a restart brings another one. */
  get service(): Service {
    return this.#service;
  }

  async take(step: Step): Promise<void> {
    this.#story.push(JSON.stringify(step));
    const inMotion = this.#uncertain(isInMotion);
    switch (step.do) {
      case 'call':
        await this.#make(resolved(step.call, this.#world));
        break;
      case 'fault':
        this.#befall(step.at, step.faults);
        break;
      case 'settle':
        await this.#settle();
        break;
      case 'restart':
        await this.#service.stop();
        this.#service = await this.#service.restart();
        this.#isChanged = true;
        break;
    }
    if (this.#uncertain(isPending).length > mostPending) await this.#settle();
    await this.#observe(inMotion);
    await this.#check();
    this.#isChanged = false;
  }

  /** All faults gone, everything settled, every port known: the switches carry what is recorded, and nothing else. */
  async end(): Promise<void> {
    for (const at of ['sw0', 'sw1'] as const) this.#befall(at, {});
    await this.#settle();
    await eventually(async () => {
      await this.#observe();
      return this.#uncertain(({ suspect }) => suspect !== null).length === 0 ? true : undefined;
    }, 30_000);
    await this.#observe(plugs);
    expect(this.#states, 'everything is known').toHaveLength(1);
    this.#isChanged = true;
    await this.#check();
    await expectSound(this.#service.env);
  }

  /** One of the states that may be. */
  get #world(): State {
    return this.#states[0] ?? initial;
  }

  async #make(call: Call): Promise<Answer> {
    const before = unique(this.#states.flatMap(settlements));
    const plug = 'nic' in call ? (`${call.node}/${call.nic}` as const) : null;
    const statusId = plug === null ? '' : (this.#statusIds.get(plug) ?? 'none');
    const answer = await send(this.#as(call.caller), call, this.#world.networks, statusId);
    const predictions = before.map((state) => predict(state, call));
    this.#states = unique(
      predictions.flatMap((prediction) => (fits(prediction, call, answer) ? [prediction.next] : [])),
    );
    if (answer.status >= 400 && this.#states.length === 0) {
      this.#states = before.filter((_, index) => isRefusedAs(predictions[index], answer));
    }
    if (this.#states.length === 0) throw this.#unexplained(call, answer, predictions);
    if (answer.status === 202 && plug !== null) this.#queued(plug, answer, call);
    if (answer.status < 300) await this.#learn(call);
    this.#isChanged ||= answer.status < 300 && !call.op.startsWith('show_');
    return answer;
  }

  #as(caller: CallerName) {
    return caller === 'admin' ? this.#service.admin : this.#service.as(caller);
  }

  #queued(plug: Plug, { body }: Answer, call: Call): void {
    this.#statusIds.set(plug, (body as { status_id: string }).status_id);
    if (this.#faulty.has(switchOf(plug))) this.#doubt([plug]);
    const vlan = 'network' in call ? this.#world.networks[call.network]?.vlan : null;
    if (vlan) this.#requestedVlans.get(plug)?.add(vlan);
  }

  /** What the model cannot foresee: which VLAN was handed out. What begins anew: a node's time in a project. */
  async #learn(call: Call): Promise<void> {
    if (call.op === 'network_create') {
      const all = (await done(this.#service.admin.get('/networks'))).body as Record<string, { network_id: string }>;
      const vlan = Number(all[call.network]?.network_id);
      this.#states = this.#states.map((state) => ({
        ...state,
        networks: Object.fromEntries(
          Object.entries(state.networks).map(([label, network]) => [
            label,
            label === call.network ? { ...network, vlan } : network,
          ]),
        ),
      }));
    }
    if (call.op === 'project_connect_node')
      for (const plug of plugsOf(call.node)) this.#requestedVlans.set(plug, new Set());
    if (call.op === 'project_detach_node') for (const plug of plugsOf(call.node)) this.#requestedVlans.delete(plug);
  }

  #befall(at: SwitchName, faults: Extract<Step, { do: 'fault' }>['faults']): void {
    this.#service.simulated(at).faults = faults;
    if (Object.keys(faults).length === 0) this.#faulty.delete(at);
    else this.#faulty.add(at);
    if (this.#faulty.has(at)) this.#doubt(plugs.filter((plug) => switchOf(plug) === at));
  }

  /** From now on the pending actions on these nics may fail. */
  #doubt(among: readonly Plug[]): void {
    this.#states = this.#states.map((state) =>
      among.reduce((made, plug) => {
        const { action } = made.nics[plug];
        return action?.status === 'PENDING' ? withNic(made, plug, { action: { ...action, isSure: false } }) : made;
      }, state),
    );
  }

  /** The nics of which this may be so. */
  #uncertain(is: (nic: NicState) => boolean): Plug[] {
    return plugs.filter((plug) => this.#states.some(({ nics }) => is(nics[plug])));
  }

  /** Asks about the nics that the engine may have changed, and about these. */
  async #observe(also: readonly Plug[] = []): Promise<void> {
    for (const plug of new Set([...this.#uncertain(isInMotion), ...also])) {
      const [node, nic] = plug.split('/') as [NodeName, NicName];
      await this.#make({ op: 'show_action', caller: 'admin', node, nic });
      await this.#make({ op: 'show_port', caller: 'admin', node, nic });
    }
  }

  /** No action stays pending, whatever its switch does. */
  async #settle(): Promise<void> {
    await eventually(async () => {
      await this.#observe();
      return this.#uncertain(isPending).length === 0 ? true : undefined;
    });
  }

  async #check(): Promise<void> {
    try {
      checkSwitches(this.#service, unique(this.#states.flatMap(settlements)), this.#requestedVlans);
      if (this.#isChanged) await checkViews(this.#service, this.#states);
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : String(error)}\n${this.#told()}`, { cause: error });
    }
  }

  #unexplained(call: Call, answer: Answer, predictions: readonly Prediction[]): Error {
    const expected = new Set(
      predictions.map(
        (one) => one.refused ?? `success${one.shows === undefined ? '' : ` ${JSON.stringify(one.shows)}`}`,
      ),
    );
    return new Error(
      `${JSON.stringify(call)} was answered ${answer.status} ${answer.text}\n` +
        `where the model expects ${[...expected].join(' or ')}\n${this.#told()}`,
    );
  }

  #told(): string {
    return `after:\n${this.#story.join('\n')}`;
  }
}

const isInMotion = (nic: NicState): boolean => isPending(nic) || nic.suspect !== null;

const fits = (
  prediction: Prediction,
  call: Call,
  answer: Answer,
): prediction is Extract<Prediction, { refused: null }> =>
  prediction.refused === null &&
  answer.status < 300 &&
  (prediction.shows === undefined || isDeepStrictEqual(prediction.shows, shown(call, answer)));

const isRefusedAs = (prediction: Prediction | undefined, { status, body }: Answer): boolean =>
  prediction !== undefined &&
  prediction.refused !== null &&
  status === statusOf[prediction.refused] &&
  (body as { type: string }).type === prediction.refused;
