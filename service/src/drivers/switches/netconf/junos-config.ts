import type { PortConfig } from '../switch-contract.ts';
import { unknownElements, describeElement } from '../known-elements.ts';
import { type Carried, unclear } from '../vlan-lists.ts';
import type { Element } from '@corral/base/xml';
import { type Mentions, mentionsIn, portNamed } from './junos-mentions.ts';
import { onInterface, onUnit, statements } from './junos-understood.ts';
import { activeAt, activeChildren, defaultVlan, membersIn, nameOf, type VlanTable, vlanTable } from './junos-vlans.ts';

/** What the configuration of a Junos device says of its ports, inherited statements included. */
export interface JunosView {
  readonly vlans: VlanTable;
  /** Names of all interfaces that are configured. */
  readonly interfaces: readonly string[];
  /** What the port would pass. A port without configuration passes nothing. */
  stateOf(port: string): PortConfig;
}

/** What decides over a port. */
interface Whole {
  readonly vlans: VlanTable;
  readonly mentions: Mentions;
  /** Templates that the device did not expand: their effect is unknown. */
  readonly templates: readonly string[];
}

export const viewOf = (configuration: Element): JunosView => {
  const all = activeChildren(activeAt(configuration, 'interfaces'), 'interface');
  const interfaces = new Map<string, Element[]>();
  for (const element of all) interfaces.set(nameOf(element), [...(interfaces.get(nameOf(element)) ?? []), element]);
  const whole: Whole = {
    vlans: vlanTable(configuration),
    mentions: mentionsIn(configuration),
    templates: templatesIn(configuration),
  };
  return {
    vlans: whole.vlans,
    interfaces: [...interfaces.keys()],
    stateOf: (port) => {
      const passed = passedBy(interfaces.get(port) ?? [], port, whole);
      if (passed.unclear !== undefined) return { port, ...passed };
      const tagged = [...new Set(passed.tagged)].filter((vlan) => vlan !== passed.native).sort((a, b) => a - b);
      return { port, ...passed, tagged };
    },
  };
};

/** With inheritance there are none left: the device has put everything where it belongs. */
const templatesIn = (configuration: Element): readonly string[] =>
  [configuration, ...activeChildren(configuration, 'interfaces'), ...activeChildren(configuration, 'vlans')].flatMap(
    ({ children }) =>
      children.filter(({ name }) => name === 'apply-groups' || name === 'interface-range').map(describeElement),
  );

const nothing: Carried = { native: null, tagged: [] };

const passedBy = (elements: readonly Element[], port: string, whole: Whole): Carried => {
  const [element, ...more] = elements;
  if (element && more.length === 0 && activeAt(element, 'disable')) return nothing;
  const units = elements.flatMap((each) => activeChildren(each, 'unit')).filter((unit) => !activeAt(unit, 'disable'));
  const [unit, ...others] = [...units].sort((a, b) => Number(nameOf(b) === '0') - Number(nameOf(a) === '0'));
  const switching = unit && nameOf(unit) === '0' ? activeAt(unit, 'family', 'ethernet-switching') : undefined;
  const lists = listsOf(port, whole, switching !== undefined || hasShutUnit(elements));
  const odd = [
    ...whole.templates,
    ...more.map(() => `interfaces ${port} is shown twice`),
    ...elements.flatMap((each) => unknownElements(each, onInterface, statements)),
    ...(unit && nameOf(unit) !== '0' ? [describeElement(unit)] : []),
    ...others.map(describeElement),
    ...(unit && nameOf(unit) === '0' ? unknownElements(unit, onUnit, statements, ['unit 0']) : []),
    ...lists.odd,
    ...(whole.mentions.ofPort.get(port) ?? []),
    ...whole.mentions.ofAny,
  ];
  if (odd.length > 0) return unclear(...odd);
  return element && switching ? switchedBy(element, switching, lists.vlans, whole.vlans) : nothing;
};

const hasShutUnit = (elements: readonly Element[]): boolean =>
  elements.some((element) =>
    activeChildren(element, 'unit').some((unit) => nameOf(unit) === '0' && activeAt(unit, 'disable')),
  );

/** VLANs that list the port: understood where it is about unit 0, which switches. */
const listsOf = (
  port: string,
  { vlans: { interfaces } }: Whole,
  isSwitched: boolean,
): { readonly vlans: readonly string[]; readonly odd: readonly string[] } => {
  const lists = [...interfaces].filter(([logical]) => [port, 'any'].includes(portNamed(logical)));
  const odd = lists.filter(([logical]) => logical !== `${port}.0` || !isSwitched);
  return {
    vlans: interfaces.get(`${port}.0`) ?? [],
    odd: odd.flatMap(([logical, names]) => names.map((name) => `vlans ${name} interface ${logical}`)),
  };
};

const switchedBy = (element: Element, family: Element, listing: readonly string[], vlans: VlanTable): Carried => {
  const members = [...activeChildren(activeAt(family, 'vlan'), 'members').map(({ text }) => text), ...listing];
  const meant = members.map((member) => membersIn(member, vlans));
  const mode = activeAt(family, 'interface-mode')?.text ?? 'access';
  const untagged = activeAt(element, 'native-vlan-id')?.text;
  const odd = meant.flatMap((each) => each.unclear);
  if (mode === 'access') {
    const [only, ...more] = members.length === 0 ? [defaultVlan(vlans)] : meant;
    const [native, ...rest] = only?.ids ?? [];
    if (odd.length + (only?.unclear.length ?? 0) > 0) return unclear(...odd, ...(only?.unclear ?? []));
    if (more.length > 0 || rest.length > 0) return unclear(`interface-mode access vlan members ${members.join(' ')}`);
    return untagged === undefined
      ? { native: native ?? null, tagged: [] }
      : unclear(`native-vlan-id ${untagged} in access mode`);
  }
  if (mode !== 'trunk') return unclear(`interface-mode ${mode}`);
  const native = untagged === undefined ? null : membersIn(untagged, vlans);
  if (odd.length > 0) return unclear(...odd);
  if (native && (native.unclear.length > 0 || native.ids.length !== 1)) return unclear(`native-vlan-id ${untagged}`);
  return { native: native?.ids[0] ?? null, tagged: meant.flatMap(({ ids }) => ids) };
};
