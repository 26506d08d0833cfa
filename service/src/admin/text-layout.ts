/** What a result is about, in a column of its own. */
export const heading = (label: string): string => label.padEnd(14);

export const lines = (...texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('');

/** A number and what it counts. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
