import type { BmcDriver } from './bmc-contract.ts';
import { ipmiBmc } from './ipmi-driver.ts';
import { libvirtBmc } from './libvirt-driver.ts';
import { mockBmc } from './mock-driver.ts';
import { redfishBmc } from './redfish-driver.ts';

/** The kinds of BMC there are, by the `type` they are registered with. */
export const bmcDrivers = {
  ipmi: ipmiBmc,
  libvirt: libvirtBmc,
  mock: mockBmc,
  redfish: redfishBmc,
} as const satisfies Record<string, BmcDriver>;
