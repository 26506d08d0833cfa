import { addressKey, isOwnKey, prefixKey } from '@corral/base/http/address-key';
import { ConcurrencyLimit } from '@corral/base/http/concurrency-limit';
import { tooMany, unavailable } from '../../core/corral-error.ts';
import { type Description, descriptionIn, refusalIn } from './keystone-responses.ts';
import {
  type KeystoneAddress,
  type KeystoneHttpClient,
  keystoneHttpClient,
  misunderstood,
  type Reply,
} from './keystone-http-client.ts';
import { type OwnCredentials, ServiceToken } from './service-token.ts';

export interface KeystoneClientOptions extends KeystoneAddress {
  readonly credentials: OwnCredentials;
}

/** So many at once are asked about; a Keystone that hangs does not make more of them wait. */
const mostUnderWay = 64;
/** And so many of one address (of IPv6, its /48), or made-up tokens from one would leave no place for others. */
const mostUnderWayFrom = 8;

/** Asks Keystone about tokens, by the service's own credentials. */
export class KeystoneClient {
  readonly #http: KeystoneHttpClient;
  readonly #serviceToken: ServiceToken;
  readonly #limit = new ConcurrencyLimit(mostUnderWayFrom);
  #underWay = 0;

  constructor({ credentials, ...address }: KeystoneClientOptions) {
    this.#http = keystoneHttpClient(address);
    this.#serviceToken = new ServiceToken(this.#http, credentials);
  }

  /** What the token is; null: none that is good. Throws UnavailableError where Keystone does not say. */
  async validate(token: string, address: string): Promise<Description | null> {
    if (this.#underWay >= mostUnderWay) {
      throw unavailable('too many tokens are waiting for Keystone; try again', {
        cause: new Error(`Keystone: ${mostUnderWay} validations are under way`),
      });
    }
    const giveBack = this.#takeSlot(address);
    this.#underWay += 1;
    try {
      return await this.#http.inTime(async (signal) => {
        // Our own may have been revoked, or have ended by another clock than ours: then with the next.
        const answer = (await this.#ask(token, signal)) ?? (await this.#ask(token, signal));
        if (answer === null) throw misunderstood('with a 401 to its own token', 'our own token was refused twice');
        return answer.description;
      });
    } finally {
      this.#underWay -= 1;
      giveBack();
    }
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  /** Answers with how to give it back. Programs on this machine need none. */
  #takeSlot(address: string): () => void {
    if (isOwnKey(addressKey(address))) return () => undefined;
    const giveBack = this.#limit.take(prefixKey(address));
    if (giveBack !== null) return giveBack;
    throw tooMany(
      `${mostUnderWayFrom} tokens from your address are already waiting for Keystone; try again in a second`,
      1,
    );
  }

  /** null: our own token was refused, and is dropped. */
  async #ask(subject: string, signal: AbortSignal): Promise<{ readonly description: Description | null } | null> {
    const own = await this.#serviceToken.get();
    const headers = { accept: 'application/json', 'x-auth-token': own, 'x-subject-token': subject };
    const reply = await this.#http.ask({ method: 'GET', headers }, signal);
    if (reply.status !== 401) return { description: interpret(reply, [own, subject]) };
    this.#serviceToken.drop(own);
    return null;
  }
}

const interpret = (reply: Reply, secrets: readonly string[]): Description | null => {
  const { status } = reply;
  if (status === 200) return descriptionIn(reply);
  const reason = refusalIn(reply, secrets);
  // Only Keystone knows tokens: a 404 of something else in its place says nothing about one.
  if (status === 404 && reason !== null) return null;
  if (status === 403) {
    throw unavailable(
      'Keystone does not allow this service to validate tokens; an administrator has to give its user the role for that',
      { cause: new Error(`Keystone: 403: ${reason ?? 'no reason'}`) },
    );
  }
  throw misunderstood('with an error', `status ${status}: ${reason ?? 'no reason'}`);
};
