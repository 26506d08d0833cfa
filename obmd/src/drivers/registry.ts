import type { BmcDriver } from './contract.ts';
import { ipmiBmc } from './ipmi.ts';
import { libvirtBmc } from './libvirt.ts';
import { mockBmc } from './mock.ts';
import { redfishBmc } from './redfish.ts';

/** The kinds of BMC there are, by the `type` they are registered with. */
export const bmcDrivers = {
  ipmi: ipmiBmc,
  libvirt: libvirtBmc,
  mock: mockBmc,
  redfish: redfishBmc,
} as const satisfies Record<string, BmcDriver>;
