import type { Place } from './reader.ts';

/** The word for the operator where a network's owner is named. */
export const operator = 'admin';

/** A thing of the document, so that an error in it can be reported with its line. */
export interface Told {
  readonly place: Place;
  readonly path: string;
}

/** Where a secret is read from: never the document itself. */
export interface Secret extends Told {
  readonly from: 'file' | 'env';
  /** The path of the file, or the name of the variable. */
  readonly name: string;
}

export interface WantedUser extends Told {
  /** null: nothing is said about it. */
  readonly isAdmin: boolean | null;
  readonly projects: readonly Member[];
  readonly password: Secret | null;
}

/** A project that something belongs to or may use. */
export interface Member extends Told {
  readonly project: string;
}

export interface WantedNetwork extends Told {
  readonly owner: string | null;
  /** null: nothing is said about it. */
  readonly access: readonly Member[] | 'everybody' | null;
  readonly netId: string | null;
}

export interface WantedSwitch extends Told {
  readonly type: string | null;
  readonly fields: ReadonlyMap<string, Told & { readonly value: unknown }>;
  readonly secrets: ReadonlyMap<string, Secret>;
  /** null: those that nics are plugged into, and nothing is said about others. */
  readonly ports: ReadonlyMap<string, Told> | null;
}

export interface WantedNic extends Told {
  readonly macaddr: string | null;
  readonly on: (Told & { readonly switch: string; readonly port: string }) | null;
}

export interface WantedNode extends Told {
  readonly obmd: (Told & { readonly uri: string; readonly adminToken: Secret | null }) | null;
  readonly metadata: ReadonlyMap<string, Told & { readonly value: unknown }>;
  readonly nics: ReadonlyMap<string, WantedNic>;
}

/** What a document says. null: it does not speak of such things at all. */
export interface Wanted {
  readonly projects: ReadonlyMap<string, Told> | null;
  readonly users: ReadonlyMap<string, WantedUser> | null;
  readonly networks: ReadonlyMap<string, WantedNetwork> | null;
  readonly switches: ReadonlyMap<string, WantedSwitch> | null;
  readonly nodes: ReadonlyMap<string, WantedNode> | null;
}
