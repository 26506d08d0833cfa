/** How a value of metadata is stored in `node_metadata`. */
export interface MetadataValue {
    readonly text: string | null;
    readonly number: string | null;
}
/** Longer texts are not looked for: an entry of an index has 2,704 bytes at most (PostgreSQL). */
export declare const longestSearched = 200;
/** What is stored of a value, so that nodes are found by it. */
export declare const metadataValueOf: (value: unknown) => MetadataValue;
/** A value as people write it. */
export declare const textOf: (value: unknown) => string;
/** The number that a value is: a number of JSON, or a text that is a plain decimal one. */
export declare const numberOf: (value: unknown) => number | null;
/**
 * A number as 20 digits that sort as the numbers do, in every collation: columns are whole numbers and texts, and both
 * would round it. The bits of a double sort as whole numbers once those of negative ones are turned over.
 */
export declare const numberText: (number: number) => string;
