/** A number that can be read: `12,000`. */
export const counted = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
