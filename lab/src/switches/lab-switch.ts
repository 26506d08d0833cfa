/** What a port carries, as the device itself tells it. */
export interface LabPort {
  readonly native: number | null;
  readonly tagged: readonly number[];
}

/** How the line to a device is broken. */
export type LineFault =
  /** Bytes are taken and nothing comes back. */
  | { readonly kind: 'hang' }
  /** The line is cut once the device has been sent this many more bytes. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** Nobody answers a new call. */
  | { readonly kind: 'refuse' }
  /**
   * One flow is lost, the first that sends this text: what it holds from there on is delivered when the connection is
   * repaired.
   */
  | { readonly kind: 'hold'; readonly from: string };

/** An address that a frame came in with. */
export interface LabAddress {
  readonly port: string;
  /** In lower case, with colons. */
  readonly mac: string;
  readonly vlan: number;
}

/** A switch in the lab, real or scripted, that a driver is pointed at. */
export interface LabSwitch {
  /** The fields of switch_register that reach it. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Ports that it has, as an operator would write them. */
  readonly ports: readonly string[];
  /** A well-formed name of a port that it does not have; null: it has every port. */
  readonly unknownPort: string | null;
  /** A VLAN that this device says no to. */
  readonly refusedVlan: number;
  /** What a port carries according to the device: not asked through the driver. */
  carried(port: string): Promise<LabPort>;
  /** Somebody changes a port behind our back, to a state that carries something. */
  tamper(port: string, state: LabPort): Promise<void>;
  /** Writes down what a port carries, from now on and whenever that changes. Absent: only frames tell. */
  watch?(port: string): readonly LabPort[];
  /** Breaks the line between driver and device; null repairs it. Open connections are affected too. */
  breakLine(fault: LineFault | null): void;
  /** The number that it tells when it is asked which device it is; null: it does not know the question. */
  serial?: string | null;
  /**
   * Frames with these addresses came in, and none of those before any more. Absent: a real switch learns from frames, or
   * this one shows no such table.
   */
  learn?(learned: readonly LabAddress[]): void;
  /** Everything that it was sent so far, message by message. Absent: nobody is there to write it down. */
  received?(): readonly string[];
  stop(): Promise<void>;
}
