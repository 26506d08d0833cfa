import type { Vault } from '@corral/base/secrets/vault';

/** What has to be known when a browser comes back from the provider. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  /** PKCE: the code alone cannot be used. */
  readonly verifier: string;
  readonly redirectUri: string;
  readonly returnTo: string;
  readonly expiresAt: number;
}

/** For this long somebody may take to log in at the provider. */
export const attemptLastsMs = 10 * 60_000;
/** If the clock is set back meanwhile, an attempt lasts longer, but not for ever. */
const longestLeftMs = 24 * 3_600_000;
const purpose = 'oidc login';

/** An attempt for the browser to keep: it can neither read nor change it. */
export const sealAttempt = (vault: Vault, attempt: Attempt): string =>
  vault.seal(JSON.stringify({ ...attempt, purpose }));

/** What the browser kept; null: nothing that was sealed here for this, or too long ago. */
export const openAttempt = (vault: Vault, sealed: string): Attempt | null => {
  try {
    const { purpose: sealedFor, ...attempt } = JSON.parse(vault.open(sealed)) as Attempt & { purpose?: unknown };
    const leftMs = attempt.expiresAt - Date.now();
    // What is far in the future was sealed by a clock that has been set back since.
    return sealedFor === purpose && leftMs > 0 && leftMs <= longestLeftMs ? attempt : null;
  } catch {
    return null;
  }
};
