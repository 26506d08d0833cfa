/** How cards reach their VLANs: ports of an Open vSwitch bridge, or a Linux bridge for each VLAN. */
export type MachineNetwork =
  | { readonly kind: 'ovs'; readonly bridge: string }
  /** With an uplink, bridges that are missing are made on it; the hypervisor is this host then. */
  | { readonly kind: 'bridges'; readonly uplink: string | null };

/** What an operator decides about a libvirt that runs headnodes. */
export interface LibvirtOptions {
  readonly uri: string;
  /** The storage pool for disks of headnodes; images may be volumes in it. */
  readonly pool: string;
  /** Names of domains, or of volumes in the pool with or without `.qcow2`. */
  readonly images: readonly string[];
  readonly network: MachineNetwork;
  /** The hypervisor's address that screens listen on, as this process reaches it. */
  readonly vncHost: string;
  /** Of a machine that is made from a volume. */
  readonly memoryMib: number;
  readonly cpus: number;
  /** How long one command may take, unless it starts a machine or copies a whole disk. */
  readonly timeoutMs: number;
}
