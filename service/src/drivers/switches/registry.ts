import type { SwitchDriver } from './contract.ts';
import { aristaEos } from './cli/arista-eos.ts';
import { ciscoIos } from './cli/cisco-ios.ts';
import { cliSwitch } from './cli/driver.ts';
import { vde } from './cli/vde.ts';
import { aristaEapi } from './http/arista-eapi.ts';
import { brocade } from './http/brocade.ts';
import { dellnos9 } from './http/dellnos9.ts';
import { mockSwitch } from './mock.ts';
import { junosSwitch } from './netconf/junos.ts';
import { ovsSwitch } from './ovs/driver.ts';

/** Every kind of switch that comes with Corral, by its short type name. */
export const switchDrivers = (paths: {
  readonly simulatedSwitches: string;
}): Readonly<Record<string, SwitchDriver>> => ({
  mock: mockSwitch(paths.simulatedSwitches),
  brocade,
  dellnos9,
  'arista-eapi': aristaEapi,
  ovs: ovsSwitch,
  'arista-eos': cliSwitch(aristaEos),
  'cisco-ios': cliSwitch(ciscoIos),
  vde: cliSwitch(vde),
  junos: junosSwitch,
});
