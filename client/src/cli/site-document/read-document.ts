import { brokenNameRule, type NamedThing } from '../../name-rule.ts';
import { type YamlValue, type Mistake, YamlReader } from './yaml-reader.ts';
import {
  operator,
  type Member,
  type Secret,
  type DesiredDevice,
  type DesiredState,
  type DesiredNetwork,
  type DesiredNic,
  type DesiredNode,
  type DesiredSwitch,
  type DesiredUser,
} from './desired-state.ts';

/** The word for a network that all projects may use. */
const everybody = 'everybody';
const secretSuffix = /^(.+)_(file|env)$/;

const nothing: DesiredState = { projects: null, users: null, networks: null, switches: null, nodes: null };

/** Reads a site document. Reports all errors in the document itself, not those that only the service can find. */
export const readDocument = (
  text: string,
): { readonly wanted: DesiredState; readonly mistakes: readonly Mistake[]; readonly isReadable: boolean } => {
  const reader = new YamlReader(text);
  if (!reader.isReadable) return { wanted: nothing, mistakes: reader.mistakes, isReadable: false };
  const { projects, users, networks, switches, nodes } = reader.fields(reader.top, [
    'projects',
    'users',
    'networks',
    'switches',
    'nodes',
  ]);
  const desired: DesiredState = {
    projects: projects ? projectsIn(reader, projects) : null,
    users: users ? things(reader, users, 'username', userIn) : null,
    networks: networks ? things(reader, networks, 'network', networkIn) : null,
    switches: switches ? things(reader, switches, 'switch', switchIn) : null,
    nodes: nodes ? things(reader, nodes, 'node', nodeIn) : null,
  };
  requireOneNicAPort(reader, desired);
  return { wanted: desired, mistakes: reader.mistakes, isReadable: reader.isReadable };
};

const requireLabel = (reader: YamlReader, found: YamlValue, label: string, thing: NamedThing): void => {
  const rule = brokenNameRule(thing, label);
  if (rule !== null) reader.mistake(found, `${JSON.stringify(label)} is not a valid name here; expected ${rule}`);
};

const things = <T>(
  reader: YamlReader,
  found: YamlValue,
  thing: NamedThing,
  read: (reader: YamlReader, found: YamlValue) => T,
): ReadonlyMap<string, T> =>
  new Map(
    [...reader.entries(found)].map(([label, value]) => {
      requireLabel(reader, value, label, thing);
      return [label, read(reader, value)];
    }),
  );

/** Labels of a list, each once. */
const labelsIn = (reader: YamlReader, found: YamlValue, thing: NamedThing): ReadonlyMap<string, YamlValue> => {
  const labels = new Map<string, YamlValue>();
  for (const item of reader.items(found)) {
    const label = reader.text(item);
    if (label === null) continue;
    requireLabel(reader, item, label, thing);
    if (labels.has(label)) reader.mistake(item, `duplicate ${label}`);
    labels.set(label, item);
  }
  return labels;
};

const projectsIn = (reader: YamlReader, found: YamlValue): DesiredState['projects'] =>
  labelsIn(reader, found, 'project');

const membersIn = (reader: YamlReader, found: YamlValue | undefined): readonly Member[] =>
  found ? [...labelsIn(reader, found, 'project')].map(([project, ref]) => ({ ...ref, project })) : [];

const secretIn = (
  reader: YamlReader,
  fields: Partial<Readonly<Record<string, YamlValue>>>,
  name: string,
): Secret | null => {
  const plain = fields[name];
  if (plain) return reader.mistake(plain, `this document must not contain secrets; use ${name}_file or ${name}_env`);
  const parsed = (['file', 'env'] as const).flatMap((from) => {
    const found = fields[`${name}_${from}`];
    const text = found && reader.text(found);
    return found && text !== null && text !== undefined ? [{ ...found, from, name: text }] : [];
  });
  if (parsed[1]) return reader.mistake(parsed[1], `${name}_file and ${name}_env are both given; give one of them`);
  return parsed[0] ?? null;
};

const userIn = (reader: YamlReader, found: YamlValue): DesiredUser => {
  const fields = reader.fields(found, ['is_admin', 'projects', 'password_file', 'password_env', 'password']);
  return {
    ...found,
    isAdmin: fields.is_admin ? reader.flag(fields.is_admin) : null,
    projects: membersIn(reader, fields.projects),
    password: secretIn(reader, fields, 'password'),
  };
};

const networkIn = (reader: YamlReader, found: YamlValue): DesiredNetwork => {
  const { owner, access, net_id } = reader.fields(found, ['owner', 'access', 'net_id']);
  const ownerName = owner ? reader.text(owner) : reader.mistake(found, `owner is missing: a project, or ${operator}`);
  return {
    ...found,
    owner: ownerName,
    access: access ? accessIn(reader, access) : null,
    netId: net_id ? vlanIn(reader, net_id) : null,
  };
};

const accessIn = (reader: YamlReader, found: YamlValue): DesiredNetwork['access'] =>
  reader.plain(found) === everybody ? everybody : membersIn(reader, found);

const vlanIn = (reader: YamlReader, found: YamlValue): string | null => {
  const text = reader.text(found);
  if (text === null) return null;
  return /^[1-9]\d{0,3}$/.test(text) && Number(text) <= 4094
    ? text
    : reader.mistake(found, `${text} is not a VLAN id; expected 1 to 4094`);
};

const switchIn = (reader: YamlReader, found: YamlValue): DesiredSwitch => {
  const entries = new Map(reader.entries(found));
  const ports = entries.get('ports');
  entries.delete('ports');
  return {
    ...deviceIn(reader, found, entries, 'the driver, such as cisco-nxos'),
    ports: ports ? labelsIn(reader, ports, 'port') : null,
  };
};

/** `types`: what a type is, for the one who left it out. */
const deviceIn = (
  reader: YamlReader,
  found: YamlValue,
  entries: Map<string, YamlValue>,
  types: string,
): DesiredDevice => {
  const type = entries.get('type');
  entries.delete('type');
  const all = Object.fromEntries(entries);
  const secretNames = new Set([...entries.keys()].flatMap((name) => secretSuffix.exec(name)?.[1] ?? []));
  const secrets = [...secretNames].flatMap((name): [string, Secret][] => {
    const secret = secretIn(reader, all, name);
    return secret ? [[name, secret]] : [];
  });
  const plain = [...entries].filter(([name]) => !secretSuffix.test(name) && !secretNames.has(name));
  return {
    ...found,
    type: type ? reader.text(type) : reader.mistake(found, `type is missing: ${types}`),
    fields: new Map(plain.map(([name, value]) => [name, { ...value, value: reader.plain(value) }])),
    secrets: new Map(secrets),
  };
};

const nodeIn = (reader: YamlReader, found: YamlValue): DesiredNode => {
  const { obmd, bmc, metadata, nics } = reader.fields(found, ['obmd', 'bmc', 'metadata', 'nics']);
  return {
    ...found,
    obmd: obmd ? obmdIn(reader, obmd) : null,
    bmc: bmc ? deviceIn(reader, bmc, new Map(reader.entries(bmc)), 'the kind of BMC, such as ipmi') : null,
    metadata: metadata
      ? things(reader, metadata, 'label', (_, value) => ({ ...value, value: reader.plain(value) }))
      : new Map(),
    nics: nics ? things(reader, nics, 'nic', nicIn) : new Map(),
  };
};

const obmdIn = (reader: YamlReader, found: YamlValue): DesiredNode['obmd'] => {
  const fields = reader.fields(found, ['uri', 'admin_token_file', 'admin_token_env', 'admin_token']);
  const adminToken = secretIn(reader, fields, 'admin_token');
  const uri = fields.uri ? reader.text(fields.uri) : reader.mistake(found, 'uri is missing');
  if (uri === null) return null;
  const isAddress = URL.canParse(uri) && /^https?:$/.test(new URL(uri).protocol);
  if (!isAddress) reader.mistake(fields.uri ?? found, `${JSON.stringify(uri)} is not an http or https address`);
  return { ...found, uri, adminToken };
};

const nicIn = (reader: YamlReader, found: YamlValue): DesiredNic => {
  const fields = reader.fields(found, ['macaddr', 'switch', 'port']);
  const macaddr = fields.macaddr ? reader.text(fields.macaddr) : reader.mistake(found, 'macaddr is missing');
  if (!fields.switch && !fields.port) return { ...found, macaddr, on: null };
  if (!fields.switch || !fields.port) {
    reader.mistake(found, `${fields.switch ? 'port' : 'switch'} is missing: a nic is plugged into a port of a switch`);
    return { ...found, macaddr, on: null };
  }
  const [label, port] = [reader.text(fields.switch), reader.text(fields.port)];
  if (label === null || port === null) return { ...found, macaddr, on: null };
  return { ...found, macaddr, on: { ...fields.port, switch: label, port } };
};

const requireOneNicAPort = (reader: YamlReader, { nodes }: DesiredState): void => {
  const taken = new Map<string, string>();
  for (const node of nodes?.values() ?? []) {
    for (const nic of node.nics.values()) {
      if (!nic.on) continue;
      const port = `port ${nic.on.port} of switch ${nic.on.switch}`;
      const other = taken.get(port);
      if (other !== undefined) reader.mistake(nic.on, `${port} is already assigned to ${other}`);
      else taken.set(port, nic.path);
    }
  }
};
