const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const wholly = new RegExp(`^${uuid}$`);
const machine = new RegExp(`^headnode-(${uuid})$`);
const volume = new RegExp(`^headnode-(${uuid})-\\d+\\.(?:qcow2|raw)$`);

/** What a headnode's machine is called: labels can be reused, and clients choose them. */
export const machineName = (id: string): string => `headnode-${id}`;

/** The same, as an argument of a command. */
export const domainName = (id: string): string => {
  if (!wholly.test(id)) throw new Error('the id of the machine is not a UUID');
  return machineName(id);
};

export type VolumeFormat = 'qcow2' | 'raw';

/** What the disks of a machine are called, from 0. */
export const volumeName = (id: string, number: number, format: VolumeFormat): string =>
  `headnode-${id}-${number}.${format}`;

/** The headnode that a domain or a volume of this name is of; null: it is none of ours. */
export const ownerOf = (name: string): string | null => (machine.exec(name) ?? volume.exec(name))?.[1] ?? null;
