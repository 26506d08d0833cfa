/**
 * How an attempt to deliver ended. The sentence contains nothing of the target, nor of the answer but its status.
 *
 * - `failed`: it may be taken another time.
 * - `refused`: this will never be taken, others may be.
 * - `gone`: nothing is to be sent there any more, `because` of what.
 */
export type DeliveryResult =
  | { readonly kind: 'delivered' | 'failed' | 'refused'; readonly result: string }
  | { readonly kind: 'gone'; readonly result: string; readonly because: string };
