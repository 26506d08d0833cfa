import { existsSync } from 'node:fs';
import type { LeaseOp } from '@corral/base/db/lease-table';
import { networkNamespace } from '@corral/base/process-namespace';
import type { Vault } from '@corral/base/secrets/vault';
import { type Holder, readHolder } from '@corral/obmd/core/bmc-holder';
import { readServiceToken } from '@corral/obmd/core/service-token';
import { openCurrent } from '@corral/obmd/db/open-obmd-database';
import { bmcDrivers } from '@corral/obmd/drivers/bmc-drivers';
import type { RunningObmd } from '@corral/obmd/start';
import { sql } from 'kysely';
import { type CorralError, obmFailed } from './core/corral-error.ts';
import { daemonFile } from './config/daemon-database.ts';
import type { OwnDaemon } from './core/dependencies.ts';
import type { InsidePlace } from './core/inside-obm-client.ts';
import type { Db } from './db/service-database.ts';

/** The kinds of BMC that a daemon of this version knows; fields that it never shows are `writeOnly`. */
export const bmcTypes: Readonly<Record<string, { readonly fields: object }>> = Object.fromEntries(
  Object.entries(bmcDrivers).map(([type, { info, secrets }]) => {
    const { properties = {}, ...rest } = info as { readonly properties?: Readonly<Record<string, object>> };
    const told = Object.entries(properties).map(([name, field]) => [
      name,
      secrets.includes(name) ? { ...field, writeOnly: true } : field,
    ]);
    return [type, { fields: { ...rest, properties: Object.fromEntries(told) as object } }];
  }),
);

/** What it takes to find the process that has the BMCs. */
export interface DaemonSearch {
  readonly db: Db;
  readonly vault: Vault;
  /** The daemon in this process; null: it has none, or not yet. */
  readonly running: () => RunningObmd | null;
  /** Another process that serves the same port has one. */
  readonly hasSibling: boolean;
  readonly dataDir: string;
}

/** Reads in whichever database the daemon's tables are. */
type DaemonReading<T> = <Schema>(op: LeaseOp<Schema>) => Promise<T>;

/** The OBM daemon inside this service: in this process, or in another one on the same database, on whatever machine. */
export class InsideDaemon implements OwnDaemon {
  readonly #search: DaemonSearch;
  /** Tables that were there once stay. */
  #hasTables = false;
  /** It never changes: a rotation of the key only seals it again. */
  #token: string | null = null;

  constructor(search: DaemonSearch) {
    this.#search = search;
  }

  async isThere(): Promise<boolean> {
    const { running, hasSibling } = this.#search;
    return hasSibling || running() !== null || (await this.#holder()) !== null;
  }

  async placesHere(): Promise<readonly string[]> {
    const holder = await this.#holder();
    const own = this.#search.running()?.addresses ?? [];
    const others = holder === null ? [] : [holder.url, isNear(holder) ? holder.listens_at : null];
    return [...own, ...others].filter((place) => place !== null);
  }

  async place(): Promise<string | null> {
    const holder = await this.#holder();
    return holder?.url ?? holder?.listens_at ?? null;
  }

  /** Where calls go now. */
  readonly locate = async (): Promise<InsidePlace> => {
    const running = this.#search.running();
    // The database need not be asked for what this process knows.
    if (running?.isHolder() === true) return { url: running.addresses[0], token: running.serviceToken };
    const holder = await this.#holder();
    if (holder === null) throw await this.#nobody();
    const url = holder.url ?? (isNear(holder) ? holder.listens_at : null);
    if (url === null) throw tooFar(holder);
    const token = running?.serviceToken ?? (await this.#readToken());
    if (token === null) throw await this.#nobody();
    return { url, token };
  };

  async #holder(): Promise<Holder | null> {
    const running = this.#search.running();
    return running === null ? this.#read((op) => readHolder(op)) : running.holder();
  }

  async #readToken(): Promise<string | null> {
    this.#token ??= await this.#read(({ tx }) => readServiceToken(tx, this.#search.vault));
    return this.#token;
  }

  /** Reads the tables of a daemon that is not in this process; null: there are none. */
  async #read<T>(work: DaemonReading<T>): Promise<T | null> {
    const { db } = this.#search;
    if (db.engine === 'postgres') {
      return (await this.#findTables()) ? db.read((tx) => work({ tx, now: db.now })) : null;
    }
    const file = daemonFile(this.#search.dataDir);
    if (!existsSync(file.path)) return null;
    const daemonDb = await openCurrent(file);
    try {
      return await daemonDb.read((tx) => work({ tx, now: daemonDb.now }));
    } finally {
      await daemonDb.close();
    }
  }

  /** The daemon's tables are beside ours in a PostgreSQL. */
  async #findTables(): Promise<boolean> {
    this.#hasTables ||= await this.#search.db.read(async (tx) => {
      const { rows } = await sql<{ there: boolean }>`select to_regclass('obmd_owner') is not null as there`.execute(tx);
      return rows[0]?.there ?? false;
    });
    return this.#hasTables;
  }

  async #nobody(): Promise<CorralError> {
    const { running, hasSibling } = this.#search;
    const isExpected = running() !== null || hasSibling || (await this.#read(() => Promise.resolve(true))) === true;
    return obmFailed(
      isExpected
        ? 'no process of the service has the BMCs at the moment: if one has died, another takes over within 10 seconds; try again'
        : 'the OBM daemon of this node is the one inside the service, and none runs there; an administrator can start one (CORRAL_OBMD), or name another daemon with PUT /node/<node>/obmd',
    );
  }
}

/** Do both have the same loopback addresses? */
const isNear = ({ network }: Holder): boolean => network === networkNamespace();

/** Which machines there are is for administrators to know. */
const tooFar = ({ host, pid, listens_at }: Holder): CorralError =>
  obmFailed('another machine has the BMCs, and this one cannot reach it; an administrator has to set obmd.url there', {
    forAdmins:
      `process ${pid} on ${host} has the BMCs, and listens at ${listens_at ?? 'an unknown address'} for that machine only; ` +
      'set obmd.url (CORRAL_OBMD_URL) on every machine to the address at which the others reach its OBM daemon, and restart the service there',
  });
