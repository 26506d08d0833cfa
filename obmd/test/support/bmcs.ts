import { type Part, type RedfishFlavourName, redfishFlavours } from '@corral/lab';
import { startIpmiBmc } from './ipmi-bmc.ts';
import { startLibvirtBmc } from './libvirt-bmc.ts';
import { startMockBmc } from './mock-bmc.ts';
import { startRedfishBmc } from './redfish-bmc.ts';
import type { TestBmc } from './test-bmc.ts';

/** A kind of BMC to try drivers on: what it needs installed (null: nothing), and how one starts. */
export interface BmcKind {
  /** For the titles of the tests; several kinds may try one driver. */
  readonly name: string;
  /** The driver's `type`. */
  readonly type: string;
  readonly part: Part | null;
  start(): Promise<TestBmc>;
}

const redfish = (name: string, flavour: RedfishFlavourName, scheme: 'http' | 'https'): BmcKind => ({
  name,
  type: 'redfish',
  part: null,
  start: () => startRedfishBmc({ flavour, scheme }),
});
const flavours = Object.keys(redfishFlavours) as RedfishFlavourName[];

/** Every driver of the registry has at least one here. */
export const testBmcs: readonly BmcKind[] = [
  { name: 'ipmi_sim', type: 'ipmi', part: 'ipmi_sim', start: () => startIpmiBmc() },
  {
    name: 'an ipmi_sim that refuses to do what is done',
    type: 'ipmi',
    part: 'ipmi_sim',
    start: () => startIpmiBmc({ refusesRepeats: true }),
  },
  { name: 'a virtual machine', type: 'libvirt', part: 'libvirt', start: startLibvirtBmc },
  { name: 'a mock machine', type: 'mock', part: null, start: () => Promise.resolve(startMockBmc()) },
  redfish('a Redfish service without TLS', 'plain', 'http'),
  ...flavours.map((flavour) => redfish(`a Redfish service (${flavour})`, flavour, 'https')),
];
