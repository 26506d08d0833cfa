import type { Outbound } from '@corral/base/http/outbound';
import type { BmcPermit } from '../bmc-contract.ts';
import { RedfishLogin } from './redfish-login.ts';
import { type Document, documentIn, jsonIn } from './redfish-documents.ts';
import { textAt } from '@corral/base/json-members';
import { type RedfishRequest, type RedfishResponse, RedfishHttpClient } from './redfish-http-client.ts';
import { requestWithRetry } from './redfish-retry.ts';
import { notAllowed, notRedfish, refused, wrongPassword } from './redfish-errors.ts';
import type { RedfishTarget } from './redfish-target.ts';
import { errorTextOf } from './redfish-error-text.ts';

/** The response of a BMC to a request that it authorised. */
export interface RedfishAnswer {
  readonly status: number;
  /** What it said about it, for the log. */
  readonly error: Error;
  readonly location: string | undefined;
  readonly etag: string | undefined;
  /** Reads the body, which must be a JSON object. */
  document(): Document;
}

const rootPath = '/redfish/v1/';

/** Asks one BMC, and handles authentication. Nothing is sent anywhere but to the registered host. */
export class RedfishClient {
  readonly target: RedfishTarget;
  readonly #http: RedfishHttpClient;
  readonly #login: RedfishLogin;
  #root: Document | null = null;

  constructor(target: RedfishTarget, outbound: Outbound, permit?: BmcPermit) {
    this.target = target;
    this.#http = new RedfishHttpClient(target, outbound, permit);
    this.#login = new RedfishLogin(this.#http, target);
  }

  /** The service root, which is shown to everybody. */
  async root(signal: AbortSignal): Promise<Document> {
    if (this.#root !== null) return this.#root;
    const answer = await requestWithRetry(this.#http, { method: 'GET', path: rootPath }, signal);
    // A service that hides even this has its resources in the usual places.
    if (answer.status === 401 || answer.status === 403) return usualRoot;
    if (answer.status !== 200) throw notRedfish(errorTextOf(answer, this.target, ''));
    this.#root = documentIn(answer.text);
    return this.#root;
  }

  /** Throws where the connection, the login or the rights of our user are at fault; other answers are returned. */
  async request(request: RedfishRequest, signal: AbortSignal): Promise<RedfishAnswer> {
    const root = await this.root(signal);
    for (let isRenewed = false; ; isRenewed = true) {
      const credential = await this.#login.credential(root, signal);
      const token = credential.kind === 'session' ? credential.token : '';
      const headers = { ...request.headers, ...this.#login.headersOf(credential) };
      const answer = await requestWithRetry(this.#http, { ...request, headers }, signal);
      const errorText = (): Error => errorTextOf(answer, this.target, token);
      if (answer.status === 401) {
        await this.#login.discard(credential, signal);
        // A session may have ended meanwhile; a new one that is not known either is another matter.
        if (isRenewed || credential.kind === 'basic') throw wrongPassword(errorText());
        continue;
      }
      if (answer.status === 403) throw notAllowed(errorText());
      return answerFrom(answer, errorText);
    }
  }

  /** Reads a resource that has to be there. `what` goes on after "refused to". */
  async read(path: string, what: string, signal: AbortSignal): Promise<Document> {
    const answer = await this.request({ method: 'GET', path }, signal);
    if (answer.status !== 200) throw refused(what, answer.error);
    return answer.document();
  }

  /** Ends the session and closes the connection. */
  async close(): Promise<void> {
    await this.#login.logOut();
    this.#root = null;
    await this.#http.close();
  }
}

const usualRoot: Document = {
  Systems: { '@odata.id': '/redfish/v1/Systems' },
  Links: { Sessions: { '@odata.id': '/redfish/v1/SessionService/Sessions' } },
};

const answerFrom = (answer: RedfishResponse, errorText: () => Error): RedfishAnswer => ({
  status: answer.status,
  get error() {
    return errorText();
  },
  location: answer.header('location'),
  get etag() {
    return etagOf(answer);
  },
  document: () => documentIn(answer.text),
});

/** From the header, or else from the document; only one that can stand in a header again. */
const etagOf = ({ header, text }: RedfishResponse): string | undefined => {
  const etag = header('etag') ?? textAt(jsonIn(text), '@odata.etag');
  return etag !== undefined && /^[\x20-\x7e]{1,200}$/.test(etag) ? etag : undefined;
};
