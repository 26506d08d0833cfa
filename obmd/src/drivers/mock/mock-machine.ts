import { MockConsole, type MockLine } from './mock-console.ts';
import { stream } from './mock-console-stream.ts';

export const mockBootDevices = ['pxe', 'disk', 'none'] as const;
type MockBootDevice = (typeof mockBootDevices)[number];

/** How a console behaves beside what the machine says. */
interface MockConsoleHabits {
  readonly tickMs: number;
  readonly streamBytesPerSecond: number;
  /** null: it does not end by itself. */
  readonly dropConsoleMs: number | null;
}

const shutdownMs = 200;
const keptBytes = 4_096;

/** A machine that is only imagined: it lives in this process, and starts turned off. */
export class MockMachine implements MockLine {
  readonly name: string;
  bootDevice: MockBootDevice = 'none';
  /** For the next boot only. */
  nextBoot: MockBootDevice | null = null;
  /** What it was turned on from each time. */
  readonly bootedFrom: MockBootDevice[] = [];
  /** While it is set, no call to its BMC comes back. */
  isHung = false;
  /** What was typed last. */
  lastTyped = '';
  #isOn = false;
  #console: MockConsole | null = null;
  #letGo: () => void = () => undefined;
  #shutdown: NodeJS.Timeout | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get power(): 'on' | 'off' {
    return this.#isOn ? 'on' : 'off';
  }

  /** How often it was turned on. */
  get boots(): number {
    return this.bootedFrom.length;
  }

  /** Is a console open? */
  get isWatched(): boolean {
    return this.#console !== null;
  }

  powerOn(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    const device = this.nextBoot ?? this.bootDevice;
    this.nextBoot = null;
    this.bootedFrom.push(device);
    const from = device === 'none' ? 'the usual device' : device;
    this.say(`${this.name}: power on\r\nmemory test passed\r\nbooting from ${from}\r\n${this.name} login: `);
  }

  powerOff(): void {
    clearTimeout(this.#shutdown);
    if (!this.#isOn) return;
    this.say(`\r\n${this.name}: power off\r\n`);
    this.#isOn = false;
  }

  askToShutDown(): void {
    if (!this.#isOn) return;
    this.say('\r\nthe system is going down\r\n');
    clearTimeout(this.#shutdown);
    this.#shutdown = setTimeout(() => this.powerOff(), shutdownMs).unref();
  }

  /** Writes to the serial line; a machine that is off, or that nobody listens to, writes to nowhere. */
  say(text: string | Buffer): void {
    if (this.#isOn) this.#console?.hear(text);
  }

  /** The previous client loses the console. */
  openConsole({ tickMs, streamBytesPerSecond, dropConsoleMs }: MockConsoleHabits): MockConsole {
    this.#console?.destroy();
    const console = new MockConsole(this);
    let ticks = 0;
    const clock = setInterval(() => this.say(`tick ${(ticks += 1)}\r\n`), tickMs).unref();
    const drop = dropConsoleMs === null ? undefined : setTimeout(() => console.destroy(), dropConsoleMs).unref();
    const quiet = stream(streamBytesPerSecond, (bytes) => this.say(bytes));
    this.#console = console;
    this.#letGo = () => {
      clearInterval(clock);
      clearTimeout(drop);
      quiet();
    };
    return console;
  }

  typed(bytes: Buffer): void {
    if (!this.#isOn) return;
    const text = bytes.toString('latin1');
    this.lastTyped = (this.lastTyped + text).slice(-keptBytes);
    this.say(Buffer.from(text.replaceAll('\r', '\r\n'), 'latin1'));
  }

  left(console: MockConsole): void {
    if (this.#console !== console) return;
    this.#console = null;
    this.#letGo();
  }
}

const machines = new Map<string, MockMachine>();

/** The machine of this name; it is there as soon as somebody asks for it. */
export const mockMachine = (name: string): MockMachine => {
  const known = machines.get(name) ?? new MockMachine(name);
  machines.set(name, known);
  return known;
};
