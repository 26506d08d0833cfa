import type { PortConfig } from '../switch-contract.ts';
import { carriedBy } from '../vlan-lists.ts';
import { childOf, childrenOf, type Element, escapeXml } from '@corral/base/xml';
import { isActive } from './junos-understood.ts';
import { nameOf, type VlanTable } from './junos-vlans.ts';

/** The name of a VLAN that we define ourselves. */
export const newName = (id: number): string => `corral-${id}`;

/** Why a VLAN cannot be defined; null if it can, or is there already. */
export const vlanInTheWay = (id: number, vlans: VlanTable): string | null => {
  const taken = vlans.vlans.has(newName(id));
  return taken && !vlans.names.has(id)
    ? `VLAN ${id} cannot be defined: the switch has another VLAN named ${newName(id)}`
    : null;
};

/**
 * The changes that give the ports their states, as the content of `<configuration>`. `raw` is the candidate
 * without inherited statements: a statement can be deleted only where it stands.
 */
export const editFor = (states: readonly PortConfig[], raw: Element | undefined, vlans: VlanTable): string => {
  const wanted = new Set(states.flatMap(carriedBy));
  const missing = [...wanted].filter((id) => !isDefined(id, vlans)).sort((a, b) => a - b);
  const definitions = missing.map((id) => `<vlan><name>${newName(id)}</name><vlan-id>${id}</vlan-id></vlan>`);
  const leavings = states.flatMap(({ port }) => leaveVlans(port, raw));
  const interfaces = new Map(
    childrenOf(childOf(raw, 'interfaces'), 'interface').map((element) => [nameOf(element), element]),
  );
  return [
    definitions.length + leavings.length > 0 ? `<vlans>${[...definitions, ...leavings].join('')}</vlans>` : '',
    `<interfaces>${states.map((state) => interfaceEdit(state, interfaces.get(state.port), vlans)).join('')}</interfaces>`,
  ].join('');
};

/** Also inside a `vlan-id-list`: then it is a member by its number. */
const isDefined = (id: number, vlans: VlanTable): boolean =>
  vlans.names.has(id) || [...vlans.vlans.values()].some(({ ids }) => ids.includes(id));

const memberFor = (id: number, vlans: VlanTable): string =>
  vlans.names.get(id) ?? (isDefined(id, vlans) ? String(id) : newName(id));

/** A VLAN can list its interfaces too. */
const leaveVlans = (port: string, raw: Element | undefined): readonly string[] =>
  childrenOf(childOf(raw, 'vlans'), 'vlan').flatMap((vlan) =>
    childrenOf(vlan, 'interface')
      .map(nameOf)
      .filter((logical) => logical.startsWith(`${port}.`))
      .map(
        (logical) =>
          `<vlan><name>${escapeXml(nameOf(vlan))}</name><interface operation="delete"><name>${escapeXml(logical)}</name></interface></vlan>`,
      ),
  );

/** A statement that was deactivated stays so when it is set again, unless it is activated. */
const tag = (name: string, old: Element | undefined, content: string): string =>
  `<${name}${old && !isActive(old) ? ' active="active"' : ''}>${content}</${name}>`;

const deletions = (old: Element | undefined, ...names: readonly string[]): string =>
  names
    .filter((name) => childOf(old, name))
    .map((name) => `<${name} operation="delete"/>`)
    .join('');

const interfaceEdit = ({ port, native, tagged }: PortConfig, old: Element | undefined, vlans: VlanTable): string => {
  const isIdle = native === null && tagged.length === 0;
  const name = `<name>${escapeXml(port)}</name>`;
  const others = childrenOf(old, 'unit')
    .map(nameOf)
    .filter((unit) => unit !== '0')
    .map((unit) => `<unit operation="delete"><name>${escapeXml(unit)}</name></unit>`)
    .join('');
  const rest = others + deletions(old, 'vlan-tagging', 'flexible-vlan-tagging', 'encapsulation');
  const unit = childrenOf(old, 'unit').find((each) => nameOf(each) === '0');
  if (isIdle) {
    const disabled = tag('disable', childOf(old, 'disable'), '');
    return tag('interface', old, name + disabled + deletions(old, 'native-vlan-id') + rest + idleUnit(unit));
  }
  const untagged =
    native !== null && tagged.length > 0
      ? tag('native-vlan-id', childOf(old, 'native-vlan-id'), String(native))
      : deletions(old, 'native-vlan-id');
  const members = carriedBy({ native, tagged }).map((id) => memberFor(id, vlans));
  const mode = tagged.length > 0 ? 'trunk' : 'access';
  return tag('interface', old, name + deletions(old, 'disable') + untagged + rest + unitEdit(unit, mode, members));
};

/** A port without networks keeps what has nothing to do with VLANs, such as storm control. */
const idleUnit = (old: Element | undefined): string => {
  const switching = childOf(old, 'family', 'ethernet-switching');
  const gone = deletions(switching, 'interface-mode', 'vlan');
  return gone === '' ? '' : unitWith(`<family><ethernet-switching>${gone}</ethernet-switching></family>`, old);
};

const unitWith = (content: string, old: Element | undefined): string => tag('unit', old, `<name>0</name>${content}`);

const unitEdit = (old: Element | undefined, mode: string, members: readonly string[]): string => {
  const family = childOf(old, 'family');
  const switching = childOf(family, 'ethernet-switching');
  const foreign = family?.children.map(({ name }) => name).filter((name) => name !== 'ethernet-switching') ?? [];
  const vlan = `<vlan operation="replace">${members.map((member) => `<members>${escapeXml(member)}</members>`).join('')}</vlan>`;
  const content = tag('interface-mode', childOf(switching, 'interface-mode'), mode) + vlan;
  return unitWith(
    deletions(old, 'disable', 'vlan-id', 'vlan-id-list') +
      tag('family', family, deletions(family, ...foreign) + tag('ethernet-switching', switching, content)),
    old,
  );
};
