import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { isListening } from '../listen-loopback.ts';
import { end, keep, untilReady } from '../switches/child-processes.ts';
import type { Chassis } from './chassis.ts';
import type { Platform } from './platform.ts';
import { callQemu, type Qmp } from './qmp.ts';

export interface Parts {
  /** A directory of its own. */
  readonly directory: string;
  /** Where the nic's cable is. */
  readonly namespace: string;
  /** The nic's cable: a TAP device. */
  readonly tap: string;
  readonly mac: string;
  readonly platform: Platform;
  /** A file with what its disk holds; null: the disk is empty, and forgets. */
  readonly disk: string | null;
  /** Takes what it says on its serial line. */
  readonly hear: (bytes: Buffer) => void;
}

/** A machine made of QEMU: on is a process, off is none. */
export class QemuProcess implements Chassis {
  bootDevice = 'none';
  /** What it has said on its serial line since it was turned on. */
  said = '';
  readonly #parts: Parts;
  #running: { readonly child: ChildProcess; readonly qmp: Qmp } | null = null;
  /** One thing after the other: a BMC that gets no answer asks again, while the first is still being done. */
  #last: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get power(): 'on' | 'off' {
    return this.#running ? 'on' : 'off';
  }

  /** The process, while it is on. */
  get pid(): number | null {
    return this.#running?.child.pid ?? null;
  }

  powerOn(): Promise<void> {
    return this.#next(() => this.#start());
  }

  powerOff(): Promise<void> {
    return this.#next(() => this.#end());
  }

  reset(): Promise<void> {
    return this.#next(async () => {
      if (!this.#running) return;
      await this.#end();
      await this.#start();
    });
  }

  /** Presses the power button. Firmware does not care, only an operating system would. */
  askToShutDown(): Promise<void> {
    return this.#next(async () => this.#running?.qmp.order('system_powerdown'));
  }

  /** Types on its serial line; nobody hears it if the machine is off. */
  type(bytes: Buffer | string): void {
    this.#running?.child.stdin?.write(bytes);
  }

  #next(step: () => Promise<void>): Promise<void> {
    const done = this.#last.then(step);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #start(): Promise<void> {
    if (this.#running) return;
    this.said = '';
    const orders = join(this.#parts.directory, 'qmp');
    const { program } = this.#parts.platform;
    // However this process ends, QEMU ends with it.
    const dying = ['--pdeathsig', 'KILL', '--', 'ip', 'netns', 'exec', this.#parts.namespace];
    const child = keep(spawn('setpriv', [...dying, program, ...this.#options(orders)], { stdio: 'pipe' }));
    let complaint = '';
    child.stdout.on('data', (bytes: Buffer) => {
      this.said += bytes.toString('latin1');
      this.#parts.hear(bytes);
    });
    child.stderr.on('data', (bytes: Buffer) => (complaint += bytes.toString()));
    child.stdin.on('error', () => undefined);
    child.once('error', (error) => (complaint += error.message));
    try {
      await untilReady(child, 'QEMU', () => isListening({ path: orders }));
      this.#running = { child, qmp: await callQemu(orders) };
    } catch (error) {
      await end(child, 'SIGKILL');
      throw new Error(`the machine cannot be turned on: ${complaint.trim()}`, { cause: error });
    }
    // It may also turn itself off.
    child.once('exit', () => {
      if (this.#running?.child === child) this.#running = null;
    });
  }

  async #end(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    if (!running) return;
    running.qmp.close();
    await end(running.child, 'SIGKILL');
  }

  #options(orders: string): string[] {
    const { tap, mac, platform, disk } = this.#parts;
    const address = (part: Bootable): string => {
      const index = orderOf(this.bootDevice).indexOf(part);
      return index < 0 ? '' : `,bootindex=${index}`;
    };
    return [
      ...['-nodefaults', '-nographic', '-m', '128', ...platform.machine],
      ...['-serial', 'stdio', '-qmp', `unix:${orders},server=on,wait=off`],
      // Plain frames: nothing is left for a card that is not there to do.
      ...['-netdev', `tap,id=net,ifname=${tap},script=no,downscript=no,vnet_hdr=off`],
      ...['-device', `virtio-net-pci,netdev=net,mac=${mac}${platform.nic}${address('nic')}`],
      ...['-drive', `if=none,id=disk,${disk === null ? emptyDisk : `format=raw,file=${disk}`}`],
      ...['-device', `virtio-blk-pci,drive=disk${address('disk')}`],
    ];
  }
}

const emptyDisk = 'driver=null-co,read-zeroes=on,size=4M';

type Bootable = 'nic' | 'disk';

/** What the firmware tries, in this order. With an empty disk it goes on after that, or stays in its own shell. */
const orderOf = (bootDevice: string): readonly Bootable[] => {
  if (bootDevice === 'pxe') return ['nic', 'disk'];
  return bootDevice === 'none' ? ['disk', 'nic'] : ['disk'];
};
