const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** The order in which people count: node-2 before node-10. */
export const naturalOrder = (a: string, b: string): number => collator.compare(a, b);
