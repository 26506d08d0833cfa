import { unlessAborted } from '@corral/base/abort';
import { BmcError } from '../bmc-contract.ts';
import { jsonIn } from './redfish-documents.ts';
import { textAt } from '@corral/base/json-members';
import type { RedfishResponse, RedfishHttpClient } from './redfish-http-client.ts';
import { ownPath, pathOn } from './redfish-paths.ts';
import { notInTime, redirected, wrongPassword } from './redfish-errors.ts';
import type { RedfishTarget } from './redfish-target.ts';
import { errorTextOf } from './redfish-error-text.ts';

/** How requests authenticate: with a session, or with user name and password on every request. */
export type RedfishCredential =
  /** `path`: where the session ends; null if the BMC did not say. */
  { readonly kind: 'session'; readonly token: string; readonly path: string | null } | { readonly kind: 'basic' };

/** How long the end of a session may take when we log out. */
const logOutMs = 2_000;

/**
 * Logs in: one session for all calls, made at the first, and made again when it has ended. A BMC that has no
 * sessions, or none left, is asked with name and password until we log out.
 */
export class RedfishLogin {
  readonly #http: RedfishHttpClient;
  readonly #target: RedfishTarget;
  #credential: RedfishCredential | null = null;
  #making: Promise<RedfishCredential> | null = null;

  constructor(http: RedfishHttpClient, target: RedfishTarget) {
    this.#http = http;
    this.#target = target;
  }

  /** The headers that a request authenticates with. */
  headersOf(credential: RedfishCredential): Readonly<Record<string, string>> {
    if (credential.kind === 'session') return { 'x-auth-token': credential.token };
    const { user, pass: password } = this.#target;
    return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
  }

  /** The credential that there is, or a new one. Calls at the same time share it. */
  async credential(root: unknown, signal: AbortSignal): Promise<RedfishCredential> {
    for (;;) {
      if (this.#credential !== null) return this.#credential;
      const isMine = this.#making === null;
      this.#making ??= this.#make(root, signal).finally(() => (this.#making = null));
      try {
        // As long as our own signal allows: others wait for it too.
        return await unlessAborted(this.#making, signal, { error: notInTime });
      } catch (error) {
        // The abort of another call does not concern this one; a wrong password concerns all.
        const isTheirs = !isMine && error instanceof BmcError && error.fault === 'unreachable';
        if (!isTheirs || signal.aborted) throw error;
      }
    }
  }

  /** The BMC refused it. A session that has not ended after all is ended: there are few. */
  async discard(credential: RedfishCredential, signal: AbortSignal): Promise<void> {
    if (this.#credential === credential) this.#credential = null;
    if (credential.kind === 'session' && credential.path !== null) await this.#end(credential.path, credential, signal);
  }

  /** Ends the session, if there is one and the BMC is quick enough. */
  async logOut(): Promise<void> {
    const signal = AbortSignal.timeout(logOutMs);
    if (this.#making !== null) await unlessAborted(this.#making, signal).catch(() => undefined);
    const credential = this.#credential;
    this.#credential = null;
    if (credential?.kind === 'session' && credential.path !== null)
      await this.#end(credential.path, credential, signal);
  }

  async #make(root: unknown, signal: AbortSignal): Promise<RedfishCredential> {
    const address = textAt(root, 'Links', 'Sessions', '@odata.id');
    const credential = address === undefined ? null : await this.#logIn(address, signal);
    this.#credential = credential ?? { kind: 'basic' };
    return this.#credential;
  }

  /** Null: it makes no session now. Asked once only: a BMC may lock an account after too many attempts. */
  async #logIn(address: string, signal: AbortSignal): Promise<RedfishCredential | null> {
    const { origin, user, pass } = this.#target;
    const path = ownPath(origin, address, 'its list of sessions');
    const body = { UserName: user, Password: pass };
    const answer = await this.#http.send({ method: 'POST', path, body }, signal);
    if (answer.status === 401) throw wrongPassword(errorTextOf(answer, this.#target, ''));
    if (answer.status >= 300 && answer.status < 400) throw redirected(new Error(`HTTP ${answer.status}`));
    if (answer.status >= 300) return null;
    const token = answer.header('x-auth-token');
    const end = this.#sessionPath(answer);
    if (token !== undefined && token !== '') return { kind: 'session', token, path: end };
    // Nobody could ever use this one.
    if (end !== null) await this.#end(end, { kind: 'basic' }, signal);
    return null;
  }

  async #end(path: string, credential: RedfishCredential, signal: AbortSignal): Promise<void> {
    await this.#http
      .send({ method: 'DELETE', path, headers: this.headersOf(credential) }, signal)
      .catch(() => undefined);
  }

  /** A BMC may call itself by a name that we do not know it by: of its `Location` only the path counts. */
  #sessionPath({ header, text }: RedfishResponse): string | null {
    const { origin } = this.#target;
    const location = header('location');
    if (location !== undefined && URL.canParse(location, origin)) return new URL(location, origin).pathname;
    const address = textAt(jsonIn(text), '@odata.id');
    return address === undefined ? null : pathOn(origin, address);
  }
}
