/** A headnode as a hypervisor is told of it. */
export interface MachineSpec {
  readonly uuid: string;
  readonly image: string;
  readonly hnics: readonly { readonly label: string; readonly vlan: number | null }[];
}

/** Runs headnodes. Every member is idempotent: doing again what is done is no error. */
export interface Hypervisor {
  /** Names of the images a headnode may be made from. */
  images(): Promise<readonly string[]>;
  /** Makes the machine if it is not there, and powers it on. */
  start(machine: MachineSpec): Promise<void>;
  /** Cuts the power. */
  stop(uuid: string): Promise<void>;
  /** Removes the machine and its storage. */
  remove(uuid: string): Promise<void>;
  /** The VNC port of a running machine; null if it is off or not there. */
  vncPort(uuid: string): Promise<number | null>;
}
