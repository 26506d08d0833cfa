import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Neighbour, PortConfig } from './switch-contract.ts';

/** The faults of a simulated switch, until they are changed. */
export interface Faults {
  /** Takes this long to let anyone in. */
  readonly loginMs?: number;
  /** Takes this long to change anything. */
  readonly delayMs?: number;
  /** Takes this long for each port that it changes. */
  readonly portMs?: number;
  /** Drops the line at so many of a hundred ports, after it has changed those before. */
  readonly dropPercent?: number;
  /** Does not save its configuration. */
  readonly saveFails?: boolean;
  /** Refuses every login. */
  readonly unreachable?: boolean;
  /** Accepts the call and never answers. */
  readonly hang?: boolean;
  /** Says no to every change of these ports; `*` means all. */
  readonly refuse?: readonly string[];
  /** Says no to every change that has one of these VLANs. */
  readonly refuseVlans?: readonly number[];
  /** Makes the change, then drops the line before it can say so, or show it to anyone. */
  readonly drop?: boolean;
  /** Does not show the addresses that it has learned. */
  readonly tellsNothing?: boolean;
  /** Says yes to changes of these ports and does nothing; `*` means all. */
  readonly lie?: readonly string[];
}

interface Memory {
  readonly ports: Readonly<Record<string, Omit<PortConfig, 'port'>>>;
}

/**
 * A switch that exists only as two small files: what its ports carry, and its faults. Its
 * memory is its own: it survives a restart of the service, so reading it back means something.
 */
export class SimulatedSwitch {
  readonly #memoryFile: string;
  readonly #startupFile: string;
  readonly #faultsFile: string;
  readonly #serialFile: string;
  readonly #dropsFile: string;
  readonly #learnedFile: string;

  constructor(directory: string, label: string) {
    const place = join(directory, directoryFor(label));
    mkdirSync(place, { recursive: true });
    this.#memoryFile = join(place, 'ports.json');
    this.#startupFile = join(place, 'startup.json');
    this.#faultsFile = join(place, 'faults.json');
    this.#serialFile = join(place, 'serial.json');
    this.#dropsFile = join(place, 'drops.json');
    this.#learnedFile = join(place, 'learned.json');
  }

  get faults(): Faults {
    return (load(this.#faultsFile) as Faults | null) ?? {};
  }

  set faults(faults: Faults) {
    store(this.#faultsFile, faults);
  }

  /** What it says it is; null: nothing. */
  get serial(): string | null {
    const serial = load(this.#serialFile);
    return typeof serial === 'string' ? serial : null;
  }

  set serial(serial: string | null) {
    store(this.#serialFile, serial);
  }

  /** The addresses that it has learned. No frame reaches it: somebody writes them. */
  get learned(): readonly Neighbour[] {
    return (load(this.#learnedFile) as readonly Neighbour[] | null) ?? [];
  }

  set learned(learned: readonly Neighbour[]) {
    store(this.#learnedFile, learned);
  }

  /** What the ports carry now; a port never written carries nothing. */
  read(ports: readonly string[]): PortConfig[] {
    const memory = new Map(Object.entries(this.#memory.ports));
    return ports.map((port) => ({ native: null, tagged: [], ...memory.get(port), port }));
  }

  /** Every port that was ever written. */
  get ports(): PortConfig[] {
    return this.read(Object.keys(this.#memory.ports));
  }

  write(ports: readonly PortConfig[]): void {
    const memory = new Map(Object.entries(this.#memory.ports));
    for (const { port, ...state } of ports) memory.set(port, state);
    store(this.#memoryFile, { ports: Object.fromEntries(memory) });
  }

  /** Counts a line that dropped by chance: how long the work had to take follows from it. */
  noteDrop(): void {
    const drops = load(this.#dropsFile);
    store(this.#dropsFile, (typeof drops === 'number' ? drops : 0) + 1);
  }

  /** Running configuration to startup configuration. */
  save(): void {
    store(this.#startupFile, this.#memory);
  }

  /** A power cut: what was not saved is gone. */
  reboot(): void {
    store(this.#memoryFile, load(this.#startupFile) ?? { ports: {} });
  }

  get #memory(): Memory {
    return (load(this.#memoryFile) as Memory | null) ?? { ports: {} };
  }
}

/** File names end at 255 bytes; a label may be longer than that once it is encoded. */
const directoryFor = (label: string): string => {
  const encoded = encodeURIComponent(label).replaceAll('.', '%2E');
  return encoded.length <= 200 ? encoded : hash('sha256', label);
};

const load = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown;
  } catch {
    return null;
  }
};

// Renamed into place, so that a process killed in the middle leaves the old file or the new one.
const store = (file: string, value: unknown): void => {
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, JSON.stringify(value));
  renameSync(fresh, file);
};
