/** More than any call needs. A mebibyte of `[`, or of fields of three letters, takes a tenth of a second to parse. */
export const mostValues = 20_000;

const quote = 0x22;
const backslash = 0x5c;
const separators = new Uint8Array(256);
for (const sign of [',', '[', '{']) separators[sign.charCodeAt(0)] = 1;

/**
 * Does a JSON text hold more values than anybody has use for? Counts what begins a value, outside of strings, without
 * parsing anything; of a text that is no JSON it may say either.
 */
export const hasTooManyValues = (bytes: Uint8Array): boolean => {
  let count = 0;
  let isInString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (isInString) {
      if (byte === backslash) index += 1;
      else if (byte === quote) isInString = false;
    } else if (byte === quote) isInString = true;
    else if (separators[byte] === 1 && (count += 1) > mostValues) return true;
  }
  return false;
};
