import { Document, isMap, isScalar, isSeq, visit } from 'yaml';
import { type DeviceTypes, secretsOf } from '../device-fields.ts';
import type { BmcState, ServiceState, NetworkState, NodeState, SwitchState, UserState } from './service-state.ts';

/** A site document of what a service has. It holds no secrets, and says in which files they are expected. */
export const documentOf = (
  state: ServiceState,
  endpoint: string,
  bmcs: { readonly types: DeviceTypes; readonly now: ReadonlyMap<string, BmcState> },
): string => {
  const bmcOf = (label: string): object => {
    const bmc = bmcs.now.get(label);
    if (!bmc) return {};
    const files = secretsOf(bmcs.types, bmc.type).map((name): [string, string] => [
      `${name}_file`,
      `secrets/bmcs/${inPath(label)}/${name}`,
    ]);
    return { bmc: { type: bmc.type, ...bmc.info, ...Object.fromEntries(files) } };
  };
  const document = new Document({
    projects: [...state.projects].sort(),
    ...(state.users ? { users: mapped(state.users, userOf) } : {}),
    networks: mapped(state.networks, networkOf),
    switches: mapped(state.switches, switchOf),
    nodes: mapped(state.nodes, (node, label) => nodeOf(node, label, bmcOf(label))),
  });
  document.commentBefore = [
    ` State of ${endpoint}, written by corral export. Apply it to another service with corral apply.`,
    ' It contains no secrets: put them into the files that are named *_file, or name others.',
    ' They are read only for objects that have to be created.',
  ].join('\n');
  compact(document);
  return document.toString({ lineWidth: 120, flowCollectionPadding: false });
};

const mapped = <T>(things: ReadonlyMap<string, T>, show: (thing: T, label: string) => object): object =>
  new Map([...things].sort(([a], [b]) => (a < b ? -1 : 1)).map(([label, thing]) => [label, show(thing, label)]));

/** A label as a part of a path, which no other label becomes. */
const inPath = (label: string): string => (/^\.+$/.test(label) ? `%2E${label.slice(1)}` : encodeURIComponent(label));

const userOf = ({ isAdmin, projects }: UserState, name: string): object => ({
  is_admin: isAdmin,
  projects: [...projects].sort(),
  password_file: `secrets/users/${inPath(name)}`,
});

const networkOf = ({ owner, access, netId }: NetworkState): object => ({
  owner,
  access: access === null ? 'everybody' : [...access].sort(),
  net_id: Number(netId),
});

const switchOf = ({ type, fields, secrets, ports }: SwitchState, label: string): object => ({
  type,
  ...fields,
  ...Object.fromEntries(secrets.map((name) => [`${name}_file`, `secrets/switches/${inPath(label)}/${name}`])),
  ports: [...ports],
});

/** Without `obmd`: the daemon inside the service, wherever the document is applied. */
const nodeOf = ({ uri, isInside, metadata, nics }: NodeState, label: string, bmc: object): object => ({
  ...(isInside ? {} : { obmd: { uri, admin_token_file: `secrets/obmd/${inPath(label)}` } }),
  ...bmc,
  ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  nics: mapped(nics, ({ macaddr, on }) => ({ macaddr, ...on })),
});

/** Lists of labels and small mappings on one line each. */
const compact = (document: Document): void =>
  visit(document, {
    Seq: (_, node) => {
      if (node.items.every(isScalar)) node.flow = true;
    },
    Map: (_, node) => {
      const isSmall = node.items.length > 0 && node.items.every(({ value }) => isScalar(value) || isFlow(value));
      if (isSmall && node.items.length <= 3) node.flow = true;
    },
  });

const isFlow = (node: unknown): boolean => (isSeq(node) || isMap(node)) && node.flow === true;
