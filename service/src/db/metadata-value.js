/** Longer texts are not looked for: an entry of an index has 2,704 bytes at most (PostgreSQL). */
export const longestSearched = 200;
/** What is stored of a value, so that nodes are found by it. */
export const metadataValueOf = (value) => {
    const text = textOf(value);
    const number = numberOf(value);
    return { text: isSearchable(text) ? text : null, number: number === null ? null : numberText(number) };
};
/** A value as people write it. */
export const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
/** PostgreSQL stores neither NUL nor half of a character. */
const isSearchable = (text) => text.length <= longestSearched && !text.includes('\0') && !/\p{Surrogate}/u.test(text);
const decimal = /^-?\d+(\.\d+)?$/;
/** The number that a value is: a number of JSON, or a text that is a plain decimal one. */
export const numberOf = (value) => {
    if (typeof value === 'number')
        return Number.isFinite(value) ? value : null;
    if (typeof value !== 'string' || !decimal.test(value))
        return null;
    const number = Number(value);
    return Number.isFinite(number) ? number : null;
};
const signBit = 1n << 63n;
const allBits = (1n << 64n) - 1n;
/**
 * A number as 20 digits that sort as the numbers do, in every collation: columns are whole numbers and texts, and both
 * would round it. The bits of a double sort as whole numbers once those of negative ones are turned over.
 */
export const numberText = (number) => {
    const view = new DataView(new ArrayBuffer(8));
    // -0 is 0.
    view.setFloat64(0, number === 0 ? 0 : number);
    const bits = view.getBigUint64(0);
    const sorted = (bits & signBit) === 0n ? bits | signBit : bits ^ allBits;
    return sorted.toString().padStart(20, '0');
};
//# sourceMappingURL=metadata-value.js.map