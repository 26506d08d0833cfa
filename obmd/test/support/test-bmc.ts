/** A BMC that a driver is tried on, seen from the side of the device. */
export interface TestBmc {
  /** What the driver is given. */
  readonly info: Readonly<Record<string, unknown>>;
  /** The same with a wrong password; null if the kind has none. */
  readonly badSecret: Readonly<Record<string, unknown>> | null;
  /** What the device itself says, not what the driver read. */
  power(): Promise<'on' | 'off'>;
  setPower(power: 'on' | 'off'): Promise<void>;
  /** How often the machine was turned on so far; left out where nothing counts it. */
  boots?(): Promise<number>;
  /** The boot device in the words of the driver; null where the device does not show it. */
  bootDevice(): Promise<string | null>;
  /** What the machine was started from last, in the words of the driver; left out where nothing boots. */
  bootedFrom?(): Promise<string | undefined>;
  /** The machine writes this to its serial console. */
  say(text: string): Promise<void>;
  /** All that was typed to the machine so far. */
  typed(): Promise<string>;
  /** It answers nobody from now on. */
  hang(): Promise<void>;
  recover(): Promise<void>;
  stop(): Promise<void>;
}
