import type { Outbound } from '@corral/base/http/outbound';
import type { Bmc, BmcDriver, BmcIdentity, BmcPermit, NextBoot } from './bmc-contract.ts';
import { addressesAt } from './resolve-bmc-addresses.ts';
import { bootDevices, setBootDevice, setNextBoot } from './redfish/redfish-boot.ts';
import { RedfishClient } from './redfish/redfish-client.ts';
import { identityOf } from './redfish/redfish-identity.ts';
import { PowerSwitch } from './redfish/redfish-power.ts';
import { refused } from './redfish/redfish-errors.ts';
import { findSystem, type RedfishSystem, systemFrom } from './redfish/redfish-system.ts';
import { redfishInfo, type RedfishTarget, targetFrom } from './redfish/redfish-target.ts';

/** BMCs with Redfish. It has no standard way to a serial console: nodes that need theirs are of type `ipmi`. */
export const redfishBmc: BmcDriver = {
  info: redfishInfo,
  secrets: ['pass'],
  hostOf: (info) => new URL(targetFrom(info).origin).hostname,
  placesOf: (info) => {
    const { origin, system } = targetFrom(info);
    const { hostname, port, protocol } = new URL(origin);
    const usualPort = protocol === 'https:' ? 443 : 80;
    const part = system && `system ${system.split('/').at(-1) ?? ''}`;
    return addressesAt({ host: hostname, port: port === '' ? usualPort : Number(port), usualPort, part });
  },
  bmcOf: (info, outbound, permit) => new RedfishBmc(targetFrom(info), outbound, permit),
};

class RedfishBmc implements Bmc {
  readonly bootDevices = bootDevices;
  readonly #client: RedfishClient;
  readonly #power: PowerSwitch;
  /** Where the machine is on the BMC, once it was looked for. */
  #path: string | null = null;

  constructor(target: RedfishTarget, outbound: Outbound, permit?: BmcPermit) {
    this.#client = new RedfishClient(target, outbound, permit);
    this.#power = new PowerSwitch(this.#client, (signal) => this.#look(signal));
  }

  async identify(signal: AbortSignal): Promise<BmcIdentity> {
    const system = await this.#look(signal);
    return identityOf(this.#client, system.path, signal);
  }

  powerStatus(signal: AbortSignal): Promise<string> {
    return this.#power.status(signal);
  }

  powerOn(signal: AbortSignal): Promise<void> {
    return this.#power.on(signal);
  }

  powerOff(signal: AbortSignal): Promise<void> {
    return this.#power.off(signal);
  }

  powerCycle(signal: AbortSignal): Promise<void> {
    return this.#power.cycle(signal);
  }

  /** Whether a BMC offers this is not known before it is asked: one that does not throws `unsupported`. */
  askToShutDown(signal: AbortSignal): Promise<void> {
    return this.#power.askToShutDown(signal);
  }

  async setBootDevice(device: string, signal: AbortSignal): Promise<void> {
    await setBootDevice(this.#client, await this.#look(signal), device, signal);
  }

  async setNextBoot(device: string, signal: AbortSignal): Promise<NextBoot> {
    return setNextBoot(this.#client, await this.#look(signal), device, signal);
  }

  async isNextBootSet(signal: AbortSignal): Promise<boolean> {
    return (await this.#look(signal)).boot?.enabled === 'Once';
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  /** The machine as it is now. Where it is, is remembered until nothing is there. */
  async #look(signal: AbortSignal): Promise<RedfishSystem> {
    for (;;) {
      const known = this.#path;
      const path = known ?? (await findSystem(this.#client, this.#client.target.system, signal));
      const answer = await this.#client.request({ method: 'GET', path }, signal);
      if (answer.status === 200) {
        this.#path = path;
        return systemFrom(this.#client, path, answer.document(), await this.#client.root(signal));
      }
      this.#path = null;
      if (known === null || answer.status !== 404) throw refused('show the machine', answer.error);
    }
  }
}
