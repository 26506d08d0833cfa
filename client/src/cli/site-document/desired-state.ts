import type { SourcePosition } from './yaml-reader.ts';

/** The word for the operator where a network's owner is named. */
export const operator = 'admin';

/** A thing of the document, so that an error in it can be reported with its line. */
export interface SourceRef {
  readonly position: SourcePosition;
  readonly path: string;
}

/** Where a secret is read from: never the document itself. */
export interface Secret extends SourceRef {
  readonly from: 'file' | 'env';
  /** The path of the file, or the name of the variable. */
  readonly name: string;
}

export interface DesiredUser extends SourceRef {
  /** null: nothing is said about it. */
  readonly isAdmin: boolean | null;
  readonly projects: readonly Member[];
  readonly password: Secret | null;
}

/** A project that something belongs to or may use. */
export interface Member extends SourceRef {
  readonly project: string;
}

export interface DesiredNetwork extends SourceRef {
  readonly owner: string | null;
  /** null: nothing is said about it. */
  readonly access: readonly Member[] | 'everybody' | null;
  readonly netId: string | null;
}

/** A switch or a BMC: its type, and the fields of that type. */
export interface DesiredDevice extends SourceRef {
  readonly type: string | null;
  readonly fields: ReadonlyMap<string, SourceRef & { readonly value: unknown }>;
  readonly secrets: ReadonlyMap<string, Secret>;
}

export interface DesiredSwitch extends DesiredDevice {
  /** null: those that nics are plugged into, and nothing is said about others. */
  readonly ports: ReadonlyMap<string, SourceRef> | null;
}

export interface DesiredNic extends SourceRef {
  readonly macaddr: string | null;
  readonly on: (SourceRef & { readonly switch: string; readonly port: string }) | null;
}

export interface DesiredNode extends SourceRef {
  /** null: nothing is said about it; of a new node, that it is the daemon inside the service. */
  readonly obmd: (SourceRef & { readonly uri: string; readonly adminToken: Secret | null }) | null;
  /** null: nothing is said about it. */
  readonly bmc: DesiredDevice | null;
  readonly metadata: ReadonlyMap<string, SourceRef & { readonly value: unknown }>;
  readonly nics: ReadonlyMap<string, DesiredNic>;
}

/** What a document says. null: it does not speak of such things at all. */
export interface DesiredState {
  readonly projects: ReadonlyMap<string, SourceRef> | null;
  readonly users: ReadonlyMap<string, DesiredUser> | null;
  readonly networks: ReadonlyMap<string, DesiredNetwork> | null;
  readonly switches: ReadonlyMap<string, DesiredSwitch> | null;
  readonly nodes: ReadonlyMap<string, DesiredNode> | null;
}
