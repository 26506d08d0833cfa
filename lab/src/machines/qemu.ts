import { type Capture, captureFrames } from '../switches/frames.ts';
import { ip } from '../switches/namespaces.ts';
import type { LabOvs } from '../switches/lab-ovs.ts';
import { built, temporaryDirectory, type Undo } from '../switches/undo.ts';
import { platforms } from './platform.ts';
import { QemuProcess } from './qemu-process.ts';
import { type Chassis, startChassisProgram } from './chassis.ts';
import { openSerialLine } from './serial-line.ts';

export interface LabQemuOptions {
  /** The switch that its nic is plugged into. */
  readonly ovs: LabOvs;
  /** The name of its port there, which is made for it: `m0` if left out. */
  readonly port?: string;
  /** Of its nic: another one for each machine on a switch. */
  readonly mac?: string;
  /** Where its serial line listens on loopback: a free port if left out. */
  readonly serialPort?: number;
  /** `x86`: a PC, also where this computer is none. */
  readonly platform?: keyof typeof platforms;
  /** A file with what its disk holds, of 1 MiB at least and without a comma in its name; it is empty if left out. */
  readonly disk?: string;
}

/** A machine with firmware, a nic on a switch, a serial line and a disk. It is off at first. */
export interface LabQemu extends Chassis {
  readonly port: string;
  readonly mac: string;
  /** The program by which a BMC drives it. A caller that waits for it must leave this process free to answer. */
  readonly chassis: string;
  /** Where its serial line listens on loopback, whether it is on or off. */
  readonly serialPort: number;
  /** The process that it is while it is on. */
  readonly pid: number | null;
  /** What it has said on its serial line since it was turned on. */
  readonly said: string;
  /** Types on its serial line. */
  type(text: string): void;
  /** Captures what leaves the machine, before the switch decides where it goes. */
  capture(): Promise<Capture>;
  /** Turns it off and unplugs it. The switch is stopped afterwards, not before. */
  stop(): Promise<void>;
}

/** Plugs a machine into a switch. */
export const startMachine = (options: LabQemuOptions): Promise<LabQemu> =>
  built('the machine', (undo, stop) => build(options, undo, stop));

const build = async (
  { ovs, port = 'm0', mac = '52:54:00:00:00:01', serialPort: wantedPort, platform = 'own', disk }: LabQemuOptions,
  undo: Undo,
  stop: () => Promise<void>,
): Promise<LabQemu> => {
  const directory = await temporaryDirectory('machine', undo);
  // The cable stays in the switch while the machine is off.
  await ip([`tuntap add dev ${port} mode tap`], ovs.namespace);
  undo.push(() => ip([`link delete ${port}`], ovs.namespace));
  await ip([`link set ${port} addrgenmode none`, `link set ${port} up`], ovs.namespace);
  await ovs.vsctl('add-port', ovs.bridge, port);
  undo.push(() => ovs.vsctl('del-port', ovs.bridge, port));

  const line = await openSerialLine((bytes) => body.type(bytes), wantedPort);
  undo.push(() => line.stop());
  const body = new QemuProcess({
    directory,
    namespace: ovs.namespace,
    tap: port,
    mac,
    platform: platforms[platform],
    disk: disk ?? null,
    hear: (bytes) => line.say(bytes),
  });
  undo.push(() => body.powerOff());
  const program = await startChassisProgram(directory, body);
  undo.push(() => program.stop());

  const capture = async (): Promise<Capture> => {
    const begun = await captureFrames(ovs.namespace, { machine: mac, device: port });
    undo.push(() => begun.stop());
    return begun;
  };
  return Object.assign(body, { port, mac, chassis: program.path, serialPort: line.port, capture, stop });
};
