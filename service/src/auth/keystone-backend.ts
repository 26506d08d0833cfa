import type { Caller } from '../core/caller.ts';
import { unauthorized } from '../core/corral-error.ts';
import type { Db } from '../db/service-database.ts';
import type { AuthBackend } from './auth-contract.ts';
import { timeOf, tokenPattern } from './keystone/keystone-responses.ts';
import { KeystoneClient, type KeystoneClientOptions } from './keystone/keystone-client.ts';
import { type Identity, identityOf } from './keystone/keystone-identity.ts';
import { RegisteredProjects } from './keystone/registered-projects.ts';
import { TokenCache } from './token-cache.ts';

/** How the question about a token ended: it was not asked again, it is good, it is not, nobody knows. */
export type TokenOutcome = 'remembered' | 'good' | 'refused' | 'failed';

export interface KeystoneOptions extends KeystoneClientOptions {
  /** How long an answer is remembered; 0: not at all. */
  readonly cacheMs: number;
  readonly adminRole: string;
  /** Told of every token. */
  readonly tokenChecked: (outcome: TokenOutcome, seconds: number) => void;
}

/** One answer for garbage, and for what has expired or was revoked. */
const wrong = () => unauthorized('the Keystone token is invalid or expired; request a new one from Keystone');

/** Tokens of an OpenStack Keystone (v3), in `X-Auth-Token`. A project's id there is its label here. */
export const keystoneBackend = (db: Db, options: KeystoneOptions): AuthBackend & { close(): Promise<void> } => {
  const client = new KeystoneClient(options);
  const tokens = new TokenCache<Identity>(options.cacheMs);
  const registered = new RegisteredProjects(db);
  const underWay = new Map<string, Promise<Identity>>();

  const validate = async (name: string, token: string, address: string): Promise<Identity> => {
    const askedAt = performance.now();
    const told = (outcome: TokenOutcome) => options.tokenChecked(outcome, (performance.now() - askedAt) / 1000);
    const description = await client.validate(token, address).catch((error: unknown) => {
      told('failed');
      throw error;
    });
    const expiresAt = description === null ? 0 : timeOf(description.expires_at);
    // A time that is none is never to come.
    if (description === null || !(expiresAt > Date.now())) {
      told('refused');
      tokens.refuse(name, askedAt);
      throw wrong();
    }
    told('good');
    const identity = identityOf(description, options.adminRole);
    tokens.remember(name, identity, askedAt, expiresAt);
    return identity;
  };

  /** Those who come with one token at the same time share one question. */
  const identify = (name: string, token: string, address: string): Promise<Identity> => {
    const waiting = underWay.get(name);
    if (waiting) return waiting;
    const verdict = validate(name, token, address).finally(() => underWay.delete(name));
    underWay.set(name, verdict);
    return verdict;
  };

  const admit = ({ caller, project }: Identity): Caller | Promise<Caller> => {
    if (caller.admin) return caller;
    if (project === null) throw unauthorized('the Keystone token is not scoped to a project; request one that is');
    const isRegistered = registered.has(project);
    return isRegistered === true ? caller : requireRegistered(caller, project, isRegistered);
  };

  return {
    name: 'keystone',
    challenge: `Keystone uri="${options.url}"`,
    authenticate: (credentials) => {
      const token = credentials.header('x-auth-token');
      if (token === undefined) return null;
      if (!tokenPattern.test(token)) throw wrong();
      const name = tokens.nameOf(token);
      const known = tokens.recall(name);
      if (known === undefined) return identify(name, token, credentials.address).then(admit);
      options.tokenChecked('remembered', 0);
      if (known === null) throw wrong();
      return admit(known);
    },
    close: () => client.close(),
  };
};

const requireRegistered = async (
  caller: Caller,
  project: string,
  isRegistered: boolean | Promise<boolean>,
): Promise<Caller> => {
  if (await isRegistered) return caller;
  throw unauthorized(
    `the Keystone project ${project} is not registered here; an administrator can register it with PUT /project/${project}`,
  );
};
