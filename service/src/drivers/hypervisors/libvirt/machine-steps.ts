/** The moments between which a process can die at a machine: each is reached after what it names has happened. */
export const machineSteps = [
  'remains removed',
  'volume made',
  'bridge made',
  'machine defined',
  'autostart set',
  'machine started',
  'autostart unset',
  'machine stopped',
  'machine undefined',
  'volume deleted',
] as const;

export type MachineStep = (typeof machineSteps)[number];
