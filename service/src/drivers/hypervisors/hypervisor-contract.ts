/** One virtual card of a headnode. */
export interface MachineNic {
  readonly label: string;
  /** The same for as long as the headnode lives. */
  readonly macaddr: string;
  /** Its network's VLAN, untagged; null: it is there, and passes nothing. */
  readonly vlan: number | null;
}

/** A headnode as passed to a hypervisor. */
export interface MachineSpec {
  /** Names it on the hypervisor too: labels can change hands. */
  readonly uuid: string;
  readonly image: string;
  readonly hnics: readonly MachineNic[];
}

/** Where something listens, as this process reaches it. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** The right to change a machine, which one process at a time has. */
export interface MachinePermit {
  /**
   * Throws if the right may have passed to another process meanwhile: this one may have slept. A driver calls it right
   * before each command that changes something.
   */
  check(): void;
}

/**
 * Runs headnodes. Every member is idempotent: doing again what is done is no error, and what a crash left half done
 * is done by doing it again. What is thrown is a sentence for the tenant, without addresses; its cause is for the log.
 */
export interface Hypervisor {
  /** Names of the images a headnode may be made from. */
  images(): Promise<readonly string[]>;
  /** Why some of the configured images must not be used, one line each for the operator. Left out: all may. */
  unfitImages?(): Promise<readonly string[]>;
  /** Throws if headnodes made from this image would share something. It may have changed since it was listed. */
  requireFit?(image: string): Promise<void>;
  /** Makes the machine if it is not there, and powers it on. */
  start(machine: MachineSpec, permit?: MachinePermit): Promise<void>;
  /** Cuts the power, for good: it does not come back when the hypervisor is restarted. */
  stop(uuid: string, permit?: MachinePermit): Promise<void>;
  /** Removes the machine and its storage, or what there is of them. */
  remove(uuid: string, permit?: MachinePermit): Promise<void>;
  /** Where the VNC of a running machine answers; null if it is off or not there. */
  vnc(uuid: string): Promise<Endpoint | null>;
  /** The uuids of all machines of ours that are there, or of which something is. */
  machines(): Promise<readonly string[]>;
}
