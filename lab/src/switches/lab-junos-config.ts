import type { LabPort } from './lab-switch.ts';
import type { Complaint } from './lab-netconf.ts';
import { everyVlan } from './vlan-text.ts';
import type { Xml } from './lab-xml.ts';

/*
 * The part of the Junos configuration (with enhanced Layer 2 software) that the lab's device knows: which
 * statements exist, how an edit-config changes them, what a commit checks, and what a port then carries.
 */

/** What may stand in what, by `parent/child`. What is not listed here has no statements inside. */
const schema: Readonly<Record<string, string>> = {
  '/configuration': 'interfaces vlans protocols forwarding-options routing-instances switch-options',
  'configuration/interfaces': 'interface interface-range',
  'interfaces/interface':
    'name description disable native-vlan-id mtu unit ether-options vlan-tagging flexible-vlan-tagging encapsulation apply-macro',
  'interface/apply-macro': 'name',
  'interfaces/interface-range': 'name member description disable native-vlan-id unit',
  'interface-range/member': 'name',
  'interface-range/unit': 'name description disable family',
  'interface/unit': 'name description disable encapsulation vlan-id vlan-tags family',
  'unit/vlan-tags': 'outer inner',
  'unit/family': 'ethernet-switching inet',
  'family/inet': 'address',
  'inet/address': 'name',
  'family/ethernet-switching': 'interface-mode vlan storm-control filter native-vlan-id port-mode',
  'ethernet-switching/filter': 'input',
  'ethernet-switching/vlan': 'members',
  'ethernet-switching/storm-control': 'profile-name',
  'interface/ether-options': 'ieee-802.3ad',
  'ether-options/ieee-802.3ad': 'bundle',
  'configuration/vlans': 'vlan',
  'vlans/vlan': 'name description vlan-id vlan-id-list vlan-range interface l3-interface isolated-vlan dot1q-tunneling',
  'vlan/interface': 'name',
  'configuration/protocols': 'dot1x lldp',
  'protocols/dot1x': 'authenticator',
  'dot1x/authenticator': 'interface',
  'authenticator/interface': 'name supplicant guest-vlan',
  'protocols/lldp': 'interface',
  'lldp/interface': 'name',
  'configuration/switch-options': 'voip interface',
  'switch-options/interface': 'name interface-mac-limit',
  'switch-options/voip': 'interface',
  'voip/interface': 'name vlan',
  'configuration/forwarding-options': 'analyzer',
  'forwarding-options/analyzer': 'name input output',
  'analyzer/input': 'ingress',
  'input/ingress': 'interface',
  'ingress/interface': 'name',
  'analyzer/output': 'interface',
  'output/interface': 'name',
  'configuration/routing-instances': 'instance',
  'routing-instances/instance': 'name instance-type interface',
  'instance/interface': 'name',
};

/** Which hierarchies of the configuration this software has. */
export const hierarchies: readonly string[] = (schema['/configuration'] ?? '').split(' ');
const lists: readonly string[] = ['members', 'vlan-id-list'];
const media = /^(?:ge|mge|xe|et|ae|irb|lo|me|vme|em)[-\d]?/;

export const element = (name: string, ...content: readonly (Xml | string)[]): Xml => ({
  name,
  attributes: {},
  text: content.filter((each) => typeof each === 'string').join(''),
  children: content.filter((each) => typeof each !== 'string'),
});

export const copyOf = ({ name, text, attributes, children }: Xml): Xml => ({
  name,
  text,
  attributes: { ...attributes },
  children: children.map(copyOf),
});

const all = (parent: Xml | undefined, name: string): Xml[] =>
  parent?.children.filter((child) => child.name === name) ?? [];
const at = (parent: Xml | undefined, ...path: readonly string[]): Xml | undefined =>
  path.reduce<Xml | undefined>((here, name) => all(here, name)[0], parent);
const keyOf = (item: Xml): string | undefined => at(item, 'name')?.text;

const counterpart = (parent: Xml, item: Xml): Xml | undefined => {
  const key = keyOf(item);
  return all(parent, item.name).find(
    (each) => (key === undefined || keyOf(each) === key) && (!lists.includes(item.name) || each.text === item.text),
  );
};

/** Changes the tree as `<edit-config>` says, with what is wrong left out. Answers with what was wrong. */
export const edit = (tree: Xml, changes: Xml, above = '', path: readonly string[] = ['edit']): Complaint[] => {
  const allowed = (schema[`${above}/${tree.name}`] ?? '').split(' ');
  return changes.children.flatMap((change): Complaint[] => {
    if (change.name === 'name' && change.text === keyOf(tree)) return [];
    const where = path.join(' ');
    if (!allowed.includes(change.name)) return [{ message: 'syntax error', path: where, badElement: change.name }];
    const wrong = wrongValue(change, tree.name);
    if (wrong) return [wrong];
    const old = counterpart(tree, change);
    const { operation, active, inactive } = change.attributes;
    if (operation === 'delete') {
      if (!old) return [{ tag: 'data-missing', message: 'statement not found', path: where, badElement: change.name }];
      tree.children.splice(tree.children.indexOf(old), 1);
      return [];
    }
    if (operation === 'create' && old)
      return [{ tag: 'data-exists', message: 'statement already exists', path: where }];
    const key = at(change, 'name');
    const fresh = element(change.name, ...(key ? [element('name', key.text)] : []));
    const target = old && operation !== 'replace' ? old : fresh;
    if (!old) tree.children.push(fresh);
    else if (target === fresh) tree.children.splice(tree.children.indexOf(old), 1, fresh);
    if (active !== undefined) delete target.attributes['inactive'];
    if (inactive !== undefined) target.attributes['inactive'] = 'inactive';
    target.text = change.text;
    const step = [change.name, ...(key ? [key.text] : [])];
    // Junos leaves out the name of a list where the name of the item says enough.
    const shown = change.name === 'interface' || change.name === 'vlan' ? step.slice(key ? 1 : 0) : step;
    return schema[`${tree.name}/${change.name}`] === undefined
      ? []
      : edit(target, change, tree.name, [...path, ...shown]);
  });
};

const wrongValue = (change: Xml, parent: string): Complaint | null => {
  const isId = ['vlan-id', 'native-vlan-id'].includes(change.name) && change.attributes['operation'] !== 'delete';
  if (isId && change.text !== 'none' && !isVlanId(change.text)) {
    return { message: `Value ${change.text} is not within range (1..4094)`, badElement: change.text };
  }
  if (change.name === 'interface-mode' && !['access', 'trunk', ''].includes(change.text)) {
    return { message: `invalid value '${change.text}'`, badElement: 'interface-mode' };
  }
  const name = keyOf(change) ?? '';
  if (parent === 'interfaces' && change.name === 'interface' && !media.test(name)) {
    return { message: `invalid interface type in '${name}'`, badElement: name };
  }
  return null;
};

const isVlanId = (text: string): boolean => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 4094;

/** The tree without what is deactivated, and with what interfaces inherit from their ranges. */
export const effective = (tree: Xml): Xml => {
  const result = inherited(tree);
  const prune = (item: Xml): void => {
    item.children = item.children.filter(({ attributes }) => attributes['inactive'] === undefined);
    item.children.forEach(prune);
  };
  prune(result);
  return result;
};

/** The tree with what interfaces inherit from their ranges, as `inherit="inherit"` shows it. */
export const inherited = (tree: Xml): Xml => {
  const result = copyOf(tree);
  const interfaces = at(result, 'interfaces');
  if (!interfaces) return result;
  for (const range of all(interfaces, 'interface-range')) {
    for (const name of all(range, 'member').map(keyOf)) {
      let own = all(interfaces, 'interface').find((each) => keyOf(each) === name);
      if (!own) {
        own = element('interface', element('name', name ?? ''));
        interfaces.children.push(own);
      }
      inherit(own, range);
    }
  }
  interfaces.children = all(interfaces, 'interface');
  return result;
};

const inherit = (own: Xml, from: Xml): void => {
  for (const item of from.children) {
    if (item.name === 'name' || item.name === 'member') continue;
    const mine = counterpart(own, item);
    if (mine) inherit(mine, item);
    else own.children.push(copyOf(item));
  }
};

/** Everything that speaks against a commit. */
export const check = (configuration: Xml): Complaint[] => {
  const tree = effective(configuration);
  const seen = new Map<string, string>();
  const duplicates = all(at(tree, 'vlans'), 'vlan').flatMap((vlan): Complaint[] => {
    const id = at(vlan, 'vlan-id')?.text;
    const name = keyOf(vlan) ?? '';
    if (id === undefined || !seen.has(id)) {
      seen.set(id ?? '', name);
      return [];
    }
    return [
      { tag: 'operation-failed', message: `l2ald: Duplicate vlan-id exists for vlan ${name}`, path: 'edit vlans' },
    ];
  });
  return [...duplicates, ...all(at(tree, 'interfaces'), 'interface').flatMap((each) => checkInterface(tree, each))];
};

const checkInterface = (tree: Xml, item: Xml): Complaint[] => {
  const name = keyOf(item) ?? '';
  const refusal = (message: string, path: string, badElement?: string): Complaint[] => [
    { tag: 'operation-failed', message, path, ...(badElement === undefined ? {} : { badElement }) },
  ];
  const unit = all(item, 'unit').find((each) => keyOf(each) === '0');
  if (unit && at(item, 'ether-options', 'ieee-802.3ad')) {
    return refusal('logical unit is not allowed on aggregated links', `edit interfaces ${name}`, 'unit 0');
  }
  const family = at(unit, 'family', 'ethernet-switching');
  const members = all(at(family, 'vlan'), 'members').map(({ text }) => text);
  const isTrunk = at(family, 'interface-mode')?.text === 'trunk';
  if (isTrunk && members.length === 0) {
    return refusal(
      'For trunk interface, please ensure either vlan members is configured or inner-vlan-id-list is configured',
      `edit interfaces ${name} unit 0 family`,
      'ethernet-switching',
    );
  }
  if (family && !isTrunk && members.length > 1) {
    return refusal(`Access interface <${name}.0> has more than one vlan member: <${members.join('> and <')}>`, '');
  }
  const missing = members.find((member) => idsOf(tree, member).length === 0);
  return missing === undefined
    ? []
    : refusal(`No vlan matches vlan tag ${missing} for interface ${name}.0`, `edit interfaces ${name} unit 0`);
};

const span = (text: string): number[] => {
  const [first = 0, last = first] = text.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
};

/** Which ids of VLANs that are defined a member stands for. */
const idsOf = (tree: Xml, member: string): number[] => {
  const vlans = all(at(tree, 'vlans'), 'vlan');
  const idsIn = (vlan: Xml | undefined): number[] =>
    [...all(vlan, 'vlan-id'), ...all(vlan, 'vlan-id-list')].flatMap(({ text }) => (text === 'none' ? [] : span(text)));
  if (member === 'all') return [...everyVlan];
  if (!/^\d+(-\d+)?$/.test(member)) return idsIn(vlans.find((vlan) => keyOf(vlan) === member));
  const defined = new Set(vlans.flatMap(idsIn));
  return span(member).filter((id) => defined.has(id));
};

/** What a port passes with this configuration. */
export const carriedBy = (configuration: Xml, port: string): LabPort => {
  const tree = effective(configuration);
  const item = all(at(tree, 'interfaces'), 'interface').find((each) => keyOf(each) === port);
  if (at(item, 'disable')) return { native: null, tagged: [] };
  const own = switchedBy(tree, item, port);
  const tagged = [...new Set([...own.tagged, ...besides(tree, item, port)])].filter((id) => id !== own.native);
  return { native: own.native, tagged: tagged.sort((a, b) => a - b) };
};

/** What a port passes for other reasons than the VLANs of its unit 0. */
const besides = (tree: Xml, item: Xml | undefined, port: string): readonly number[] => {
  const isThis = (each: Xml): boolean => [port, `${port}.0`, 'all', 'access-ports'].includes(keyOf(each) ?? '');
  const bundle = at(item, 'ether-options', 'ieee-802.3ad', 'bundle')?.text;
  const bundled = bundle === undefined ? { native: null, tagged: [] } : carriedBy(tree, bundle);
  const units = all(item, 'unit').map((unit) => `${port}.${keyOf(unit) ?? ''}`);
  const listing = all(at(tree, 'vlans'), 'vlan').filter((vlan) =>
    all(vlan, 'interface').some((each) => (keyOf(each) ?? '') !== `${port}.0` && units.includes(keyOf(each) ?? '')),
  );
  const chosen = [
    ...all(at(tree, 'switch-options', 'voip'), 'interface')
      .filter(isThis)
      .map((each) => at(each, 'vlan')?.text),
    ...all(at(tree, 'protocols', 'dot1x', 'authenticator'), 'interface')
      .filter(isThis)
      .map((each) => at(each, 'guest-vlan')?.text),
    ...listing.map(keyOf),
  ];
  const mirrors = all(at(tree, 'forwarding-options'), 'analyzer').filter((each) =>
    all(at(each, 'output'), 'interface').some(isThis),
  );
  return [
    ...bundled.tagged,
    ...(bundled.native === null ? [] : [bundled.native]),
    ...chosen.flatMap((vlan) => idsOf(tree, vlan ?? '')),
    ...(mirrors.length > 0 ? everyVlan : []),
  ];
};

const switchedBy = (tree: Xml, item: Xml | undefined, port: string): LabPort => {
  const unit = all(item, 'unit').find((each) => keyOf(each) === '0');
  const family = at(unit, 'family', 'ethernet-switching');
  if (!family || at(unit, 'disable')) return { native: null, tagged: [] };
  const listedBy = all(at(tree, 'vlans'), 'vlan')
    .filter((vlan) => all(vlan, 'interface').some((each) => keyOf(each) === `${port}.0`))
    .map((vlan) => keyOf(vlan) ?? '');
  const members = [...all(at(family, 'vlan'), 'members').map(({ text }) => text), ...listedBy];
  const ids = [...new Set(members.flatMap((member) => idsOf(tree, member)))].sort((a, b) => a - b);
  if (at(family, 'interface-mode')?.text === 'trunk') {
    const text = at(item, 'native-vlan-id')?.text;
    const native = text === undefined ? null : Number(text);
    return { native, tagged: ids.filter((id) => id !== native) };
  }
  const native = members.length === 0 ? idsOf(tree, 'default')[0] : ids[0];
  return { native: native ?? null, tagged: ids.slice(1) };
};
