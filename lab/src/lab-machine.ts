import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { LabCallName, LabFault } from './lab-faults.ts';

export const bootDevices = ['pxe', 'disk', 'none'] as const;
export type LabBootDevice = (typeof bootDevices)[number];

const bootLines = ['POST: memory ok', 'booting', 'login:'] as const;
const floodChunk = Buffer.alloc(64 * 1024, 'corral console flood\r\n');

/** A simulated machine as its OBM daemon sees it: power, next boot device, serial console. */
export class LabMachine {
  readonly id: string;
  power: 'on' | 'off' = 'off';
  bootDevice: LabBootDevice = 'none';
  /** For the next boot only. */
  nextBoot: LabBootDevice | null = null;
  /** What it was started from each time. */
  readonly bootedFrom: LabBootDevice[] = [];
  /** Who holds it may give orders; null: nobody. */
  token: string | null = null;
  /** Every token that was ever given out: none of them may turn up anywhere else. */
  readonly tokens: string[] = [];
  fault: LabFault | null = null;
  /** What the console has sent to anybody, in bytes. */
  sent = 0;
  /** How many consoles were opened. */
  watched = 0;
  #watcher: ServerResponse | null = null;
  #clock: NodeJS.Timeout | null = null;

  constructor(id: string) {
    this.id = id;
  }

  /** Is a console client connected? */
  get isWatched(): boolean {
    return this.#watcher !== null;
  }

  /** The fault that this call meets, if any. */
  faultOn(call: LabCallName): LabFault | null {
    return this.fault !== null && (this.fault.on?.includes(call) ?? true) ? this.fault : null;
  }

  newToken(): string {
    const token = randomBytes(16).toString('hex');
    this.token = token;
    this.tokens.push(token);
    this.disconnect();
    return token;
  }

  voidToken(): void {
    this.token = null;
    this.disconnect();
  }

  powerOn(): void {
    if (this.power === 'on') return;
    this.power = 'on';
    this.#boot();
  }

  powerOff(): void {
    if (this.power === 'off') return;
    this.power = 'off';
    this.print('power off\r\n');
  }

  powerCycle(): void {
    this.power = 'on';
    this.#boot();
  }

  /** Writes to the serial line; without a client it is lost, as on a real one. */
  print(text: string | Buffer): void {
    if (this.#watcher === null) return;
    this.sent += Buffer.byteLength(text);
    this.#watcher.write(text);
  }

  /** Streams the console to this client until either side ends it. */
  watch(client: ServerResponse, tickMs: number): void {
    this.disconnect();
    this.watched += 1;
    this.#watcher = client;
    client.once('close', () => this.#left(client));
    client.writeHead(200, { 'content-type': 'application/octet-stream' });
    client.flushHeaders();
    let ticks = 0;
    this.#clock = setInterval(() => this.power === 'on' && this.print(`tick ${(ticks += 1)}\r\n`), tickMs);
    if (this.faultOn('console')?.kind === 'flood') this.#flood(client);
  }

  /** Ends the console client's connection. */
  disconnect(): void {
    const client = this.#watcher;
    if (client === null) return;
    this.#left(client);
    client.destroy();
  }

  #left(client: ServerResponse): void {
    if (this.#watcher !== client) return;
    this.#watcher = null;
    if (this.#clock) clearInterval(this.#clock);
    this.#clock = null;
  }

  #boot(): void {
    this.bootedFrom.push(this.nextBoot ?? this.bootDevice);
    this.nextBoot = null;
    for (const line of bootLines) this.print(`${line} (${this.bootDevice})\r\n`);
  }

  #flood(client: ServerResponse): void {
    const more = (): void => {
      if (client.destroyed) return;
      this.sent += floodChunk.length;
      // A turn of the event loop after every chunk: the reader may live in this process too.
      if (client.write(floodChunk)) setImmediate(more);
    };
    client.on('drain', more);
    more();
  }
}
