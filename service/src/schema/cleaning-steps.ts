/** A step that a site adds: its own name for it, and what is done. */
export type SiteStep =
  | { readonly kind: 'webhook'; readonly name: string; readonly url: string }
  /** Boots the node from the cleaning network; what answers at the URL says from what. */
  | { readonly kind: 'boot'; readonly name: string; readonly url: string }
  /** A program and its arguments; no shell reads them. */
  | { readonly kind: 'command'; readonly name: string; readonly program: string; readonly args: readonly string[] };

/** What the steps of the service itself are called; a site's own have other names. */
export const ownSteps = ['power', 'networks', 'ports', 'bootdev', 'bmc', 'ports-again', 'maintenance'] as const;

/** What a boot consists of beside itself: the parts of its name, by what each does. */
export const bootParts = {
  attach: 'network',
  wiring: 'wiring',
  off: 'off',
  detach: 'detach',
  bootdev: 'bootdev',
} as const;

/** The names of the steps that a step of the site becomes. */
export const namesOf = ({ name, kind }: Pick<SiteStep, 'name' | 'kind'>): readonly string[] =>
  kind === 'boot' ? [name, ...Object.values(bootParts).map((part) => `${name}-${part}`)] : [name];
