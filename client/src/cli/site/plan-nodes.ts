import { isDeepStrictEqual } from 'node:util';
import type { Actual, ActualNic, ActualNode } from './actual.ts';
import type { Draft } from './draft.ts';
import type { NicName, PortBook } from './ports.ts';
import type { Wanted, WantedNic, WantedNode } from './wanted.ts';

/** Nodes, nics and cables that are missing or differ, and those that the document does not have. */
export const planNodes = (draft: Draft, wanted: Wanted, actual: Actual, book: PortBook): void => {
  if (!wanted.nodes) return;
  for (const [label, node] of wanted.nodes) {
    const now = actual.nodes.get(label);
    if (now) changeNode(draft, label, node, now);
    else createNode(draft, label, node);
    for (const [nic, wantedNic] of node.nics) {
      new NicPlan(draft, { node: label, nic }, wantedNic, { wanted, now, book }).make();
    }
    for (const nic of now?.nics.keys() ?? []) {
      if (!node.nics.has(nic)) draft.extra('nic', `nic ${nic} of node ${label}`);
    }
  }
  for (const label of actual.nodes.keys()) if (!wanted.nodes.has(label)) draft.extra('node', `node ${label}`);
};

const createNode = (draft: Draft, node: string, wanted: WantedNode): void => {
  const adminToken = wanted.obmd?.adminToken;
  if (!wanted.obmd || !adminToken) {
    const missing = wanted.obmd ? 'obmd.admin_token_file or obmd.admin_token_env' : 'obmd';
    draft.mistake(wanted, `node ${node} is new and needs ${missing}`);
    return;
  }
  const { uri } = wanted.obmd;
  const metadata = Object.fromEntries([...wanted.metadata].map(([label, { value }]) => [label, value]));
  draft.step('nodes', {
    sign: 'create',
    kind: 'node',
    what: `node ${node}`,
    told: wanted,
    secrets: [adminToken],
    call: (corral, secretOf) =>
      corral.nodeRegister({ node, obmd: { uri, admin_token: secretOf(adminToken) }, metadata }),
  });
};

const changeNode = (draft: Draft, node: string, { obmd, metadata }: WantedNode, now: ActualNode): void => {
  if (obmd && plain(obmd.uri) !== plain(now.uri)) {
    const { adminToken, uri } = obmd;
    if (!adminToken) draft.mistake(obmd, 'another uri needs admin_token_file or admin_token_env');
    else {
      draft.step('nodes', {
        sign: 'change',
        kind: 'node',
        what: `node ${node}: OBM daemon at ${uri} instead of ${now.uri}`,
        told: obmd,
        secrets: [adminToken],
        call: (corral, secretOf) => corral.nodeSetObmd({ node, uri, admin_token: secretOf(adminToken) }),
      });
    }
  }
  for (const [label, told] of metadata) {
    const has = Object.hasOwn(now.metadata, label);
    if (has && isDeepStrictEqual(now.metadata[label], carried(told.value))) continue;
    draft.step('nodes', {
      sign: has ? 'change' : 'create',
      kind: 'node',
      what: `node ${node}: metadata ${label}`,
      told,
      call: (corral) => corral.nodeSetMetadata({ node, label, value: told.value }),
    });
  }
  for (const label of Object.keys(now.metadata)) {
    if (!metadata.has(label)) draft.extra('node', `node ${node}: metadata ${label}`);
  }
};

/** A value as it is after JSON has carried it. */
const carried = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

const plain = (uri: string): string => (URL.canParse(uri) ? new URL(uri).href : uri).replace(/\/+$/, '');

interface Around {
  readonly wanted: Wanted;
  readonly now: ActualNode | undefined;
  readonly book: PortBook;
}

/** What has to be done about one nic: it is deleted and registered again when its address differs. */
class NicPlan {
  readonly #draft: Draft;
  readonly #name: NicName;
  readonly #wanted: WantedNic;
  readonly #around: Around;
  readonly #now: ActualNic | undefined;
  readonly #what: string;

  constructor(draft: Draft, name: NicName, wanted: WantedNic, around: Around) {
    this.#draft = draft;
    this.#name = name;
    this.#wanted = wanted;
    this.#around = around;
    this.#now = around.now?.nics.get(name.nic);
    this.#what = `nic ${name.nic} of node ${name.node}`;
  }

  make(): void {
    const { macaddr } = this.#wanted;
    if (macaddr === null) return;
    const isNew = !this.#now;
    const isOther = this.#now !== undefined && sameMac(this.#now.macaddr) !== sameMac(macaddr);
    const { on } = this.#wanted;
    const moves = on !== null && !isNic(this.#around.book.nicOn(on), this.#name);
    const now = this.#now?.on ?? null;
    if ((isOther || (now && moves)) && !this.#isChangeable(isOther)) return;
    if (now && (moves || isOther)) this.#unplug(now);
    if (isOther) this.#forget();
    if (isNew || isOther) this.#register(macaddr, isOther ? this.#now : undefined);
    if (moves || (isOther && now)) this.#plug(on);
  }

  /** What is taken apart has to be put together again, by this run or by the next one. */
  #isChangeable(isOther: boolean): boolean {
    const { project } = this.#around.now ?? { project: null };
    if (project !== null) {
      this.#draft.mistake(
        this.#wanted,
        `it differs from what is registered, and cannot be changed while node ${this.#name.node} is in project ${project}`,
      );
      return false;
    }
    if (isOther && this.#now?.on && !this.#wanted.on) {
      const { switch: label, port } = this.#now.on;
      this.#draft.mistake(
        this.#wanted,
        `changing macaddr detaches the nic from its port; name the port to connect it to again: switch ${label}, port ${port}`,
      );
      return false;
    }
    return true;
  }

  #unplug(from: { readonly switch: string; readonly port: string }): void {
    this.#draft.step('unplug', {
      sign: 'change',
      kind: 'cable',
      what: `${this.#what} off port ${from.port} of switch ${from.switch}`,
      told: this.#wanted,
      call: (corral) => corral.portDetachNic({ switch: from.switch, port: from.port }),
    });
  }

  #forget(): void {
    this.#draft.step('forget-nics', {
      sign: 'change',
      kind: 'nic',
      what: `${this.#what}: deleted, to be registered with another address`,
      told: this.#wanted,
      call: (corral) => corral.nodeDeleteNic(this.#name),
    });
  }

  #register(macaddr: string, before: ActualNic | undefined): void {
    this.#draft.step('nics', {
      sign: before ? 'change' : 'create',
      kind: 'nic',
      what: `${this.#what}${before ? `: ${macaddr} instead of ${before.macaddr}` : ''}`,
      told: this.#wanted,
      call: (corral) => corral.nodeRegisterNic({ ...this.#name, macaddr }),
    });
  }

  #plug(into: { readonly switch: string; readonly port: string } | null): void {
    if (!into) return;
    const other = this.#around.book.nicOn(into);
    if (other && !isNic(other, this.#name) && !this.#leaves(other)) {
      this.#draft.mistake(
        this.#wanted.on ?? this.#wanted,
        `nic ${other.nic} of node ${other.node} is on port ${into.port} of switch ${into.switch}, and the document leaves it there`,
      );
      return;
    }
    this.#draft.step('plug', {
      sign: this.#now?.on ? 'change' : 'create',
      kind: 'cable',
      what: `${this.#what} on port ${into.port} of switch ${into.switch}`,
      told: this.#wanted.on ?? this.#wanted,
      call: (corral) => corral.portConnectNic({ switch: into.switch, port: into.port, ...this.#name }),
    });
  }

  /** Does the document plug that nic into another port? */
  #leaves({ node, nic }: NicName): boolean {
    const on = this.#around.wanted.nodes?.get(node)?.nics.get(nic)?.on ?? null;
    return on !== null && !isNic(this.#around.book.nicOn(on), { node, nic });
  }
}

const isNic = (one: NicName | null, { node, nic }: NicName): boolean => one?.node === node && one.nic === nic;

/** An address, however it is written. */
const sameMac = (text: string): string => text.toLowerCase().replaceAll(/[^0-9a-z]/g, '');
