/** A step that a site adds: its own name for it, and what is done. */
export type SiteStep =
  | { readonly kind: 'webhook'; readonly name: string; readonly url: string }
  /** A program and its arguments; no shell reads them. */
  | { readonly kind: 'command'; readonly name: string; readonly program: string; readonly args: readonly string[] };

/** What the steps of the service itself are called; a site's own have other names. */
export const ownSteps = ['power', 'ports', 'bootdev', 'bmc', 'ports-again', 'maintenance'] as const;
