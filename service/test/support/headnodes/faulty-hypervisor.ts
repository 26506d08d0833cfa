import { fileURLToPath } from 'node:url';
import type {
  Endpoint,
  Hypervisor,
  MachinePermit,
  MachineSpec,
} from '../../../src/drivers/hypervisors/hypervisor-contract.ts';

/*
 * An extension, named in the configuration like any other: a hypervisor that can be held up and that fails when the
 * test wants it to. It remembers its machines for as long as the process lives.
 */

/** The settings that plug it in. */
export const oddHypervisor = { CORRAL_EXTENSIONS: fileURLToPath(import.meta.url), CORRAL_HYPERVISOR: 'odd' };

type Verb = 'images' | 'start' | 'stop' | 'remove' | 'vnc' | 'machines';

interface Machine extends MachineSpec {
  readonly isOn: boolean;
}

/** What the test knows of it, and has it do. */
class Backstage {
  readonly machines = new Map<string, Machine>();
  /** Every call, as `start <uuid>`. */
  readonly calls: string[] = [];
  installed: readonly string[] = ['base'];
  /** Where every running machine has its VNC. */
  display: Endpoint = { host: '127.0.0.1', port: 1 };
  /** Comes before a call is carried out: what it throws is the failure, what it waits for holds the call up. */
  before: (verb: Verb, uuid: string) => Promise<void> | void = () => undefined;
  /** Comes after a call was carried out and before it is answered. */
  after: (verb: Verb, uuid: string) => Promise<void> | void = () => undefined;

  reset(): void {
    this.machines.clear();
    this.calls.length = 0;
    this.installed = ['base'];
    this.before = this.after = () => undefined;
  }

  async run<T>(verb: Verb, uuid: string, work: () => T, permit?: MachinePermit): Promise<T> {
    this.calls.push(`${verb} ${uuid}`.trim());
    await this.before(verb, uuid);
    permit?.check();
    const result = work();
    await this.after(verb, uuid);
    return result;
  }
}

export const backstage = new Backstage();
const { machines } = backstage;

const odd: Hypervisor = {
  images: () => backstage.run('images', '', () => backstage.installed),
  start: (spec, permit) =>
    backstage.run('start', spec.uuid, () => void machines.set(spec.uuid, { ...spec, isOn: true }), permit),
  stop: (uuid, permit) =>
    backstage.run(
      'stop',
      uuid,
      () => {
        const machine = machines.get(uuid);
        if (machine) machines.set(uuid, { ...machine, isOn: false });
      },
      permit,
    ),
  remove: (uuid, permit) => backstage.run('remove', uuid, () => void machines.delete(uuid), permit),
  vnc: (uuid) => backstage.run('vnc', uuid, () => (machines.get(uuid)?.isOn === true ? backstage.display : null)),
  machines: () => backstage.run('machines', '', () => [...machines.keys()]),
};

/** @public The service takes it from the module that the setting names. */
export const hypervisors: Readonly<Record<string, Hypervisor>> = { odd };
