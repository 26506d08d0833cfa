/** Seals secrets before they are stored and opens them where they are used. */
export interface Vault {
  /**
   * Called inside the transaction that stores the value: a rotation of the key waits for the transactions that had
   * begun before it, so that none of them stores something under a key that is gone.
   */
  seal(secret: string): string;
  open(sealed: string): string;
}
