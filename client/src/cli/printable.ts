/** What others say must not move the cursor, ring the bell or turn the direction of writing. */
export const printable = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Bidi_C}]/gu, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The same for several lines. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');
