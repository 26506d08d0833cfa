import type { SwitchDriver } from './switch-contract.ts';
import { aristaEos } from './cli/arista-eos.ts';
import { ciscoIos } from './cli/cisco-ios.ts';
import { ciscoNxos, nexus } from './cli/cisco-nxos.ts';
import { dellOs10 } from './cli/dell-os10.ts';
import { delln3000 } from './cli/delln3000.ts';
import { cliSwitch } from './cli/cli-driver.ts';
import {
  aristaQuestions,
  dellNQuestions,
  iosQuestions,
  nxosQuestions,
  os10Questions,
  powerconnectQuestions,
} from './cli/cli-identity.ts';
import { powerconnect55xx } from './cli/powerconnect55xx.ts';
import { vde } from './cli/vde-dialect.ts';
import { aristaEapi } from './http/arista-eapi.ts';
import { brocade } from './http/brocade.ts';
import { dellnos9 } from './http/dellnos9.ts';
import { mockSwitch } from './mock-switch.ts';
import { junosSwitch } from './netconf/junos.ts';
import { ovsSwitch } from './ovs/ovs-driver.ts';

/** Every kind of switch that comes with Corral, by its short type name. */
export const switchDrivers = (paths: {
  readonly simulatedSwitches: string;
}): Readonly<Record<string, SwitchDriver>> => ({
  mock: mockSwitch(paths.simulatedSwitches),
  brocade,
  dellnos9,
  'arista-eapi': aristaEapi,
  ovs: ovsSwitch,
  'arista-eos': cliSwitch(aristaEos, { identity: aristaQuestions }),
  'cisco-ios': cliSwitch(ciscoIos, { identity: iosQuestions }),
  'cisco-nxos': cliSwitch(ciscoNxos, { identity: nxosQuestions }),
  nexus: cliSwitch(nexus, { identity: nxosQuestions }),
  'dell-os10': cliSwitch(dellOs10, { identity: os10Questions }),
  delln3000: cliSwitch(delln3000, { identity: dellNQuestions }),
  powerconnect55xx: cliSwitch(powerconnect55xx, { identity: powerconnectQuestions }),
  vde: cliSwitch(vde, { isPerUser: true }),
  junos: junosSwitch,
});
