import type { SwitchDriver } from './contract.ts';
import { mockSwitch } from './mock.ts';

/** Every kind of switch that comes with Corral, by its short type name. */
export const switchDrivers = (paths: {
  readonly simulatedSwitches: string;
}): Readonly<Record<string, SwitchDriver>> => ({
  mock: mockSwitch(paths.simulatedSwitches),
});
