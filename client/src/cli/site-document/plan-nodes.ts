import { isDeepStrictEqual } from 'node:util';
import type { ServiceState, NicState, NodeState } from './service-state.ts';
import type { BmcTypes } from '../device-fields.ts';
import { type KnownBmcs, planBmc } from './plan-bmcs.ts';
import type { SitePlan } from './site-plan.ts';
import type { NicName, PortIndex } from './port-index.ts';
import type { DesiredState, DesiredNic, DesiredNode } from './desired-state.ts';

/** Nodes, nics and cables that are missing or differ, and those that the document does not have. */
export const planNodes = (
  plan: SitePlan,
  desired: DesiredState,
  state: ServiceState,
  portIndex: PortIndex,
  bmcs: KnownBmcs,
): void => {
  if (!desired.nodes) return;
  for (const [label, node] of desired.nodes) {
    const now = state.nodes.get(label);
    if (now) changeNode(plan, label, node, now);
    else createNode(plan, label, node, bmcs.types);
    if (node.bmc) planBmc(plan, label, node.bmc, bmcs);
    for (const [nic, wantedNic] of node.nics) {
      new NicPlan(plan, { node: label, nic }, wantedNic, { wanted: desired, now, portIndex }).make();
    }
    for (const nic of now?.nics.keys() ?? []) {
      if (!node.nics.has(nic)) plan.extra('nic', `nic ${nic} of node ${label}`);
    }
  }
  for (const label of state.nodes.keys()) if (!desired.nodes.has(label)) plan.extra('node', `node ${label}`);
};

const createNode = (plan: SitePlan, node: string, desired: DesiredNode, { isInside }: BmcTypes): void => {
  const { obmd } = desired;
  const adminToken = obmd?.adminToken ?? null;
  const needs = (missing: string): void => plan.mistake(desired, `node ${node} is new and needs ${missing}`);
  if (obmd && !adminToken) return needs('obmd.admin_token_file or obmd.admin_token_env');
  if (!obmd && !isInside) return needs('obmd: no OBM daemon runs inside the service');
  const metadata = Object.fromEntries([...desired.metadata].map(([label, { value }]) => [label, value]));
  plan.step('nodes', {
    sign: 'create',
    kind: 'node',
    what: `node ${node}`,
    ref: desired,
    secrets: adminToken ? [adminToken] : [],
    call: (corral, secretOf) =>
      corral.nodeRegister({
        node,
        ...(obmd && adminToken ? { obmd: { uri: obmd.uri, admin_token: secretOf(adminToken) } } : {}),
        metadata,
      }),
  });
};

const changeNode = (plan: SitePlan, node: string, { obmd, metadata }: DesiredNode, now: NodeState): void => {
  if (obmd && plain(obmd.uri) !== plain(now.uri)) {
    const { adminToken, uri } = obmd;
    if (!adminToken) plan.mistake(obmd, 'another uri needs admin_token_file or admin_token_env');
    else {
      plan.step('nodes', {
        sign: 'change',
        kind: 'node',
        what: `node ${node}: OBM daemon at ${uri} instead of ${now.uri}`,
        ref: obmd,
        secrets: [adminToken],
        call: (corral, secretOf) => corral.nodeSetObmd({ node, uri, admin_token: secretOf(adminToken) }),
      });
    }
  }
  for (const [label, ref] of metadata) {
    const has = Object.hasOwn(now.metadata, label);
    if (has && isDeepStrictEqual(now.metadata[label], carried(ref.value))) continue;
    plan.step('nodes', {
      sign: has ? 'change' : 'create',
      kind: 'node',
      what: `node ${node}: metadata ${label}`,
      ref,
      call: (corral) => corral.nodeSetMetadata({ node, label, value: ref.value }),
    });
  }
  for (const label of Object.keys(now.metadata)) {
    if (!metadata.has(label)) plan.extra('node', `node ${node}: metadata ${label}`);
  }
};

/** A value as it is after JSON has carried it. */
const carried = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

const plain = (uri: string): string => (URL.canParse(uri) ? new URL(uri).href : uri).replace(/\/+$/, '');

interface NodeContext {
  readonly wanted: DesiredState;
  readonly now: NodeState | undefined;
  readonly portIndex: PortIndex;
}

/** What has to be done about one nic: it is deleted and registered again when its address differs. */
class NicPlan {
  readonly #plan: SitePlan;
  readonly #name: NicName;
  readonly #wanted: DesiredNic;
  readonly #node: NodeContext;
  readonly #now: NicState | undefined;
  readonly #what: string;

  constructor(plan: SitePlan, name: NicName, desired: DesiredNic, node: NodeContext) {
    this.#plan = plan;
    this.#name = name;
    this.#wanted = desired;
    this.#node = node;
    this.#now = node.now?.nics.get(name.nic);
    this.#what = `nic ${name.nic} of node ${name.node}`;
  }

  make(): void {
    const { macaddr } = this.#wanted;
    if (macaddr === null) return;
    const isNew = !this.#now;
    const isOther = this.#now !== undefined && sameMac(this.#now.macaddr) !== sameMac(macaddr);
    const { on } = this.#wanted;
    const moves = on !== null && !isNic(this.#node.portIndex.nicOn(on), this.#name);
    const now = this.#now?.on ?? null;
    if ((isOther || (now && moves)) && !this.#isChangeable(isOther)) return;
    if (now && (moves || isOther)) this.#unplug(now);
    if (isOther) this.#forget();
    if (isNew || isOther) this.#register(macaddr, isOther ? this.#now : undefined);
    if (moves || (isOther && now)) this.#plug(on);
  }

  /** What is taken apart has to be put together again, by this run or by the next one. */
  #isChangeable(isOther: boolean): boolean {
    const { project } = this.#node.now ?? { project: null };
    if (project !== null) {
      this.#plan.mistake(
        this.#wanted,
        `it differs from what is registered, and cannot be changed while node ${this.#name.node} is in project ${project}`,
      );
      return false;
    }
    if (isOther && this.#now?.on && !this.#wanted.on) {
      const { switch: label, port } = this.#now.on;
      this.#plan.mistake(
        this.#wanted,
        `changing macaddr detaches the nic from its port; name the port to connect it to again: switch ${label}, port ${port}`,
      );
      return false;
    }
    return true;
  }

  #unplug(from: { readonly switch: string; readonly port: string }): void {
    this.#plan.step('unplug', {
      sign: 'change',
      kind: 'cable',
      what: `${this.#what} off port ${from.port} of switch ${from.switch}`,
      ref: this.#wanted,
      call: (corral) => corral.portDetachNic({ switch: from.switch, port: from.port }),
    });
  }

  #forget(): void {
    this.#plan.step('forget-nics', {
      sign: 'change',
      kind: 'nic',
      what: `${this.#what}: deleted, to be registered with another address`,
      ref: this.#wanted,
      call: (corral) => corral.nodeDeleteNic(this.#name),
    });
  }

  #register(macaddr: string, before: NicState | undefined): void {
    this.#plan.step('nics', {
      sign: before ? 'change' : 'create',
      kind: 'nic',
      what: `${this.#what}${before ? `: ${macaddr} instead of ${before.macaddr}` : ''}`,
      ref: this.#wanted,
      call: (corral) => corral.nodeRegisterNic({ ...this.#name, macaddr }),
    });
  }

  #plug(into: { readonly switch: string; readonly port: string } | null): void {
    if (!into) return;
    const other = this.#node.portIndex.nicOn(into);
    if (other && !isNic(other, this.#name) && !this.#leaves(other)) {
      this.#plan.mistake(
        this.#wanted.on ?? this.#wanted,
        `nic ${other.nic} of node ${other.node} is on port ${into.port} of switch ${into.switch}, and the document leaves it there`,
      );
      return;
    }
    this.#plan.step('plug', {
      sign: this.#now?.on ? 'change' : 'create',
      kind: 'cable',
      what: `${this.#what} on port ${into.port} of switch ${into.switch}`,
      ref: this.#wanted.on ?? this.#wanted,
      call: (corral) => corral.portConnectNic({ switch: into.switch, port: into.port, ...this.#name }),
    });
  }

  /** Does the document plug that nic into another port? */
  #leaves({ node, nic }: NicName): boolean {
    const on = this.#node.wanted.nodes?.get(node)?.nics.get(nic)?.on ?? null;
    return on !== null && !isNic(this.#node.portIndex.nicOn(on), { node, nic });
  }
}

const isNic = (one: NicName | null, { node, nic }: NicName): boolean => one?.node === node && one.nic === nic;

/** An address, however it is written. */
const sameMac = (text: string): string => text.toLowerCase().replaceAll(/[^0-9a-z]/g, '');
