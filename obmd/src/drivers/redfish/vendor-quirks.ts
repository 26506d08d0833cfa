/** In what a vendor's service differs from the schema, as far as it is not to be seen in what it shows. */
export interface Quirks {
  /**
   * `BootSourceOverrideMode` in a change of the boot device. `first`: always, as it is now, or the machine falls
   * back to another mode. `ifRefused`: only if the change is refused without it. `never`: it is read only.
   */
  readonly bootMode: 'first' | 'ifRefused' | 'never';
}

const usual: Quirks = { bootMode: 'ifRefused' };

/** By what the service root calls its vendor, or the system its manufacturer. */
const vendors: readonly (readonly [RegExp, Partial<Quirks>])[] = [
  [/supermicro/i, { bootMode: 'first' }],
  [/\bhpe?\b|hewlett/i, { bootMode: 'never' }],
];

export const quirksOf = (vendor: string): Quirks => ({
  ...usual,
  ...vendors.find(([pattern]) => pattern.test(vendor))?.[1],
});
