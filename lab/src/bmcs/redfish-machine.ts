import type { RedfishFlavour } from './redfish-flavours.ts';

/** `BootSourceOverride…` of a machine. */
export interface RedfishBoot {
  readonly enabled: string;
  readonly target: string;
  readonly mode: string;
}

/** What became of a request: the service turns it into a status. */
export type Verdict = 'done' | 'noChange' | 'refused';

const turnsOn = ['On', 'ForceOn'];
const turnsOff = ['ForceOff', 'GracefulShutdown'];
const restarts = ['ForceRestart', 'GracefulRestart', 'PowerCycle'];

/** The machine behind a Redfish service: its power, what it boots from, and a number that changes with it. */
export class RedfishMachine {
  readonly id: string;
  readonly #flavour: RedfishFlavour;
  /** How long it takes to go on or off. */
  readonly #powerMs: number;
  #timer: NodeJS.Timeout | undefined;
  /** What it is, or is about to become. */
  #goal: 'on' | 'off' = 'off';
  #power = 'Off';
  #version = 1;
  #boot: RedfishBoot = { enabled: 'Disabled', target: 'None', mode: 'UEFI' };
  /** What it was started from each time: a `BootSourceOverrideTarget`, or `None`. */
  readonly bootedFrom: string[] = [];
  /** The reset types it was given, also those that it refused. */
  readonly resets: string[] = [];

  constructor(id: string, flavour: RedfishFlavour, powerMs: number) {
    this.id = id;
    this.#flavour = flavour;
    this.#powerMs = powerMs;
  }

  /** `On`, `Off`, and on some services `PoweringOn` and `PoweringOff`. */
  get powerState(): string {
    return this.#power;
  }

  /** What it really is: a machine that powers off is on until it is off. */
  get power(): 'on' | 'off' {
    return this.#power === 'Off' || this.#power === 'PoweringOn' ? 'off' : 'on';
  }

  /** How often it was turned on or started again. */
  get boots(): number {
    return this.bootedFrom.length;
  }

  get boot(): RedfishBoot {
    return this.#boot;
  }

  /** Changes whenever what the system shows changes. */
  get version(): number {
    return this.#version;
  }

  /** Somebody uses the button at the front. */
  setPower(power: 'on' | 'off'): void {
    this.stop();
    this.#goal = power;
    if (this.#power === (power === 'on' ? 'On' : 'Off')) return;
    if (power === 'on') this.#start();
    else this.#become('Off');
  }

  setBoot(boot: Partial<RedfishBoot>): void {
    this.#boot = { ...this.#boot, ...boot };
    this.touch();
  }

  /** Something about the system changes that has nothing to do with power and boot. */
  touch(): void {
    this.#version += 1;
  }

  reset(type: string): Verdict {
    this.resets.push(type);
    if (!this.#flavour.resetTypes.includes(type)) return 'refused';
    if (turnsOn.includes(type)) {
      // One that is just going off takes no notice either.
      if (this.power === 'on' || this.#goal === 'on') return 'noChange';
      this.#go('on', () => this.#start());
    } else if (turnsOff.includes(type)) {
      if (this.power === 'off' && this.#goal === 'off') return 'noChange';
      this.#go('off', () => this.#become('Off'));
    } else if (restarts.includes(type)) {
      if (this.power === 'off') return 'refused';
      this.#go('off', () => {
        this.#become('Off');
        this.#go('on', () => this.#start());
      });
    }
    return 'done';
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #start(): void {
    this.bootedFrom.push(this.#boot.enabled === 'Disabled' ? 'None' : this.#boot.target);
    if (this.#boot.enabled === 'Once') this.#boot = { ...this.#boot, enabled: 'Disabled', target: 'None' };
    this.#become('On');
  }

  #become(power: string): void {
    this.#power = power;
    this.touch();
  }

  /** Cancels a pending change of state. */
  #go(goal: 'on' | 'off', then: () => void): void {
    this.stop();
    this.#goal = goal;
    if (this.#flavour.showsTransitions) this.#become(goal === 'on' ? 'PoweringOn' : 'PoweringOff');
    if (this.#powerMs === 0) then();
    else this.#timer = setTimeout(then, this.#powerMs);
  }
}
